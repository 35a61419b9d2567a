import { type Html, html } from './html.ts';

/** One line of a chart. */
export interface Series {
  name: string;
  /** In order; `null` if nothing is known. */
  values: readonly (number | null)[];
  /** The number beside the name; default: the latest value. */
  shown?: number;
  /** What colour it has; default: one by its place. */
  tone?: 'good' | 'bad' | 'warn' | 'quiet';
}

const WIDTH = 240;
const HEIGHT = 56;

/**
 * A small chart of time series, with a number for each line and the highest value as text. All lines share a scale
 * from zero.
 */
export function chart(title: string, series: readonly Series[]): Html {
  const most = Math.max(0, ...series.flatMap(({ values }) => values.filter((value) => value !== null)));
  const named = series.map(({ name, values, shown, tone }, index) => {
    const value = shown ?? values.findLast((one) => one !== null);
    return html`<li class="${classOf(index, tone)}">${name} <b>${value == null ? '–' : round(value)}</b></li>`;
  });
  return html`<figure>
<figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}, at most ${round(most)}" preserveAspectRatio="none">
${series.map(({ values, tone }, index) => html`<path class="${classOf(index, tone)}" d="${pathOf(values, most)}"/>`)}
</svg>
<ul>${named}</ul>
</figure>`;
}

/** A line without a tone of its own gets a colour by its place. */
function classOf(index: number, tone: Series['tone']): string {
  return tone === undefined || tone === 'quiet' ? `line-${index % 4}` : `line-${tone}`;
}

/** A path that breaks where a value is unknown. */
function pathOf(values: readonly (number | null)[], most: number): string {
  const step = WIDTH / Math.max(1, values.length - 1);
  let path = '';
  values.forEach((value, index) => {
    if (value === null) return;
    const before = values[index - 1] ?? null;
    const y = HEIGHT - 2 - (most === 0 ? 0 : value / most) * (HEIGHT - 6);
    path += `${before === null ? 'M' : 'L'}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
    // A single value between unknown ones is a point.
    if (before === null && (values[index + 1] ?? null) === null) path += 'h1';
  });
  return path;
}

function round(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
}
