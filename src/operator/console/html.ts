import { forTerminal } from '../shell/for-terminal.ts';

/** Markup that goes into a page as it is. Only `html` makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may be inserted into a template. Texts are escaped; `null`, `undefined` and `false` leave nothing. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

/** A template of markup. Every part that is not markup itself is escaped, also for attributes in double quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((string, index) => string + (index < parts.length ? render(parts[index]) : '')).join(''));
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return escaped(String(part));
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Invisible characters are shown by their numbers, so that no text can be read as another one. */
function escaped(text: string): string {
  return forTerminal(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
