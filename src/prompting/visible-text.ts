import { escapeInvisible, INVISIBLE } from '../kernel/invisible-characters.ts';

/**
 * Lines of Markdown that render as nothing: link definitions used as comments. Only a line feed ends a line here; `^`
 * would also match after other separators.
 */
const MARKDOWN_COMMENT =
  /(?<![^\n])(?: {0,3}[>*+-])* {0,3}\[(?:(?:\/\/|comment)\]:[^\n]*|[^\]\n]{1,999}\]:[ \t]*(?:#|<>)(?:[ \t][^\n]*)?)(?![^\n])/giu;

/**
 * An agreement's text as shown to the model. Invisible characters become `[U+200B]`, HTML and Markdown comments become
 * a note, line ends become LF. All text that a human reader sees is unchanged.
 */
export function visibleText(text: string): string {
  return withoutComments(text.replaceAll(/\r\n?/g, '\n'))
    .replaceAll(MARKDOWN_COMMENT, '[comment removed]')
    .replaceAll(INVISIBLE, (character) =>
      character === '\n' || character === '\t' ? character : `[U+${codePoint(character)}]`,
    );
}

/** A JSON value as text with every invisible character escaped, so that it parses to exactly the same value. */
export function visibleJson(value: unknown, indent = 2): string {
  return visibleSource(JSON.stringify(value, null, indent));
}

/** Source text with invisible characters and starts of HTML comments escaped as in a string literal. */
export function visibleSource(text: string): string {
  return escapeInvisible(text.replaceAll(/<(?=!--)/g, '\\u003c'));
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** A text without HTML comments; the start of an unclosed comment is made visible. */
function withoutComments(text: string): string {
  let result = '';
  let from = 0;
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', from)) {
    const end = endOfComment(text, start + 4);
    if (end === -1) return result + text.slice(from).replaceAll('<!--', '[<!--]');
    result += `${text.slice(from, start)}[comment removed]`;
    from = end;
  }
  return result + text.slice(from);
}

function endOfComment(text: string, from: number): number {
  // `<!-->` and `<!--->` are whole comments in HTML.
  const usual = text.indexOf('-->', from - 2);
  const odd = text.indexOf('--!>', from);
  if (usual === -1) return odd === -1 ? -1 : odd + 4;
  return odd !== -1 && odd < usual ? odd + 4 : usual + 3;
}
