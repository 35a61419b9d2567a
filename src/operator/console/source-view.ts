import { type Html, html } from './html.ts';

/** Most lines of a source that are shown. */
const MOST_LINES = 2_000;

/** A source with numbered lines. Lines in `failing` (from 1) are marked. */
export function sourceView(source: string, failing: ReadonlySet<number> = new Set()): Html {
  const lines = source.split('\n');
  const shown = lines.slice(0, MOST_LINES).map((line, index) => {
    const text = html`<span class="n">${index + 1}</span>${line}`;
    return failing.has(index + 1) ? html`<span class="failing">${text}</span>\n` : html`${text}\n`;
  });
  return html`<pre class="code">${shown}${lines.length > MOST_LINES && `… ${lines.length - MOST_LINES} more lines`}</pre>`;
}
