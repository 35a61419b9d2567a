import { type Html, html, type Part } from './html.ts';

/** A page of the console. */
export interface Page {
  title: string;
  /** The entry of the navigation that it belongs to. */
  place: (typeof PLACES)[number]['path'];
  /** Whether it is refreshed while it is open. */
  isLive?: boolean;
  /** A short sentence about what was just done. */
  note?: string | undefined;
  body: Part;
}

const PLACES = [
  { path: '/', name: 'Overview' },
  { path: '/jobs', name: 'Jobs' },
  { path: '/handlers', name: 'Handlers' },
  { path: '/board', name: 'BullMQ' },
] as const;

/** The whole document of a page. */
export function layout({ title, place, isLive = false, note, body }: Page): string {
  const links = PLACES.map(
    ({ path, name }) => html`<a href="${path}"${path === place && html` aria-current="page"`}>${name}</a>`,
  );
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · protosmith</title>
<link rel="stylesheet" href="/console.css">
<link rel="icon" href="/console.svg">
<script src="/console.js" defer></script>
</head>
<body>
<header><strong>protosmith</strong><nav>${links}</nav></header>
<main${isLive && html` data-live`}>
${note !== undefined && html`<p class="note" role="status">${note}</p>`}
${body}
</main>
</body>
</html>
`.text
  }`;
}

/** A table with a head, or a text instead of a table without rows. A wide table scrolls within the page. */
export function table(head: readonly string[], rows: readonly (readonly Part[])[], empty = 'none'): Html {
  if (rows.length === 0) return html`<p class="quiet">${empty}</p>`;
  return html`<div class="wide"><table>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody>
</table></div>`;
}

/** Names with their values. */
export function facts(entries: readonly (readonly [name: string, value: Part])[]): Html {
  return html`<dl>${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`;
}

/** A section with a heading that can be linked to. */
export function section(id: string, heading: string, body: Part): Html {
  return html`<section id="${id}"><h2>${heading}</h2>\n${body}\n</section>\n`;
}

/** A state as a coloured word. The colour says nothing that the word does not. */
export function badge(word: string, tone: 'good' | 'bad' | 'warn' | 'quiet'): Html {
  return html`<span class="badge ${tone}">${word}</span>`;
}

/** The colour of a verdict, a result or a job's state. */
export function toneOf(word: string): 'good' | 'bad' | 'warn' | 'quiet' {
  if (/^(?:generated|clean|passed|accepted|verified|read|confirmed)$/.test(word)) return 'good';
  if (/^(?:error|failed|refused|broken)/.test(word)) return 'bad';
  if (/^(?:disputed|warned|rejected|declined|contested)/.test(word)) return 'warn';
  return 'quiet';
}
