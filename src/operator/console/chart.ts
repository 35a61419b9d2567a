import { type Html, html } from './html.ts';

/** One line of a chart: its name, and its values in order; `null` where nothing is known. */
export interface Series {
  name: string;
  values: readonly (number | null)[];
}

const WIDTH = 240;
const HEIGHT = 56;

/**
 * A small chart of time series, with their latest values and the highest one as text. All lines share a scale from
 * zero.
 */
export function chart(title: string, series: readonly Series[], show: (value: number) => string = round): Html {
  const most = Math.max(0, ...series.flatMap(({ values }) => values.filter((value) => value !== null)));
  const latest = series.map(({ name, values }, index) => {
    const value = values.findLast((one) => one !== null);
    return html`<li class="line-${index % 6}">${name} <b>${value === undefined || value === null ? '–' : show(value)}</b></li>`;
  });
  return html`<figure>
<figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}, at most ${show(most)}" preserveAspectRatio="none">
${series.map(({ values }, index) => html`<path class="line-${index % 6}" d="${pathOf(values, most)}"/>`)}
</svg>
<ul>${latest}</ul>
</figure>`;
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
