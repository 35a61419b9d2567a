import type { HistoryEntry } from '../../contract/history.ts';
import { type Html, html } from './html.ts';

/** Something that took time: when it began and ended, in milliseconds since 1970. */
interface Bar {
  name: string;
  fromMs: number;
  toMs: number;
  tone: 'own' | 'model' | 'bad';
}

/** Most bars that are shown. */
const MOST_BARS = 120;

/** The work on a job over time, as bars: its stages, the calls of models, the runs of candidates. */
export function timeline(entries: readonly HistoryEntry[]): Html {
  const bars = entries.flatMap(barOf);
  if (bars.length === 0) return html`<p class="quiet">Nothing that takes time is recorded.</p>`;
  const startMs = Math.min(...bars.map(({ fromMs }) => fromMs));
  const spanMs = Math.max(1, ...bars.map(({ toMs }) => toMs - startMs));
  const shown = bars.sort((one, other) => one.fromMs - other.fromMs).slice(0, MOST_BARS);
  return html`<ul class="bars">${shown.map(({ name, fromMs, toMs, tone }) => {
    const x = ((fromMs - startMs) / spanMs) * 1_000;
    const width = Math.max(2, ((toMs - fromMs) / spanMs) * 1_000);
    return html`<li><span>${name} <span class="quiet">${Math.round(toMs - fromMs)} ms</span></span><svg viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true"><rect class="${tone}" x="${x.toFixed(1)}" y="2" width="${width.toFixed(1)}" height="10"/></svg></li>\n`;
  })}</ul>${bars.length > shown.length && html`<p class="quiet">and ${bars.length - shown.length} more</p>`}`;
}

function barOf(entry: HistoryEntry): Bar[] {
  const bar = (name: string, durationMs: number, tone: Bar['tone'] = 'own'): Bar[] => [
    { name, fromMs: entry.atMs - durationMs, toMs: entry.atMs, tone },
  ];
  switch (entry.type) {
    case 'stage':
      return bar(`stage ${entry.stage}`, entry.durationMs, entry.code === undefined ? 'own' : 'bad');
    case 'completed':
      return bar(`model answers question ${entry.attempt}`, entry.durationMs, 'model');
    case 'try-failed':
      return bar(`${entry.code} at ${entry.endpoint}`, entry.durationMs, 'bad');
    case 'tried':
      return bar(`candidate ${entry.attempt}: cases`, entry.durationMs, entry.failed.length > 0 ? 'bad' : 'own');
    case 'checked':
      return bar(`candidate ${entry.attempt}: checks`, entry.durationMs, entry.failed.length > 0 ? 'bad' : 'own');
    case 'derived':
      return bar(`candidate ${entry.attempt}: derived cases`, entry.durationMs, entry.confirmed > 0 ? 'bad' : 'own');
    default:
      return [];
  }
}
