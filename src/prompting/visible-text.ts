import { escapeInvisible, INVISIBLE } from '../kernel/invisible-characters.ts';

/**
 * Lines of Markdown that render as nothing: link definitions by the names, or with the targets, that comments are written with. Only a line feed ends
 * a line: `^` would look from every other separator too.
 */
const MARKDOWN_COMMENT =
  /(?<![^\n])(?: {0,3}[>*+-])* {0,3}\[(?:(?:\/\/|comment)\]:[^\n]*|[^\]\n]{1,999}\]:[ \t]*(?:#|<>)(?:[ \t][^\n]*)?)(?![^\n])/giu;

/**
 * Text of an agreement as the model may see it: characters that nobody sees are spelt out as `[U+200B]`, HTML comments and Markdown comment
 * lines are taken out with a note in their place, lines end in LF. Everything that a human reader would have seen stays to the letter.
 */
export function visibleText(text: string): string {
  return withoutComments(text.replaceAll(/\r\n?/g, '\n'))
    .replaceAll(MARKDOWN_COMMENT, '[comment removed]')
    .replaceAll(INVISIBLE, (character) =>
      character === '\n' || character === '\t' ? character : `[U+${codePoint(character)}]`,
    );
}

/** A JSON value as text, with every unseen character escaped, so that it reads and parses as exactly the value it stands for. */
export function visibleJson(value: unknown, indent = 2): string {
  return visibleSource(JSON.stringify(value, null, indent));
}

/** Source text with every unseen character and the mark of every HTML comment escaped as inside a string literal. */
export function visibleSource(text: string): string {
  return escapeInvisible(text.replaceAll(/<(?=!--)/g, '\\u003c'));
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** Without what HTML treats as a comment; the mark of one that never ends is spelt out instead. */
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
