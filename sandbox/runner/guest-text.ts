/**
 * Characters that control a terminal or the direction of text: C0 but tab and line feed, DEL, C1, line separators and
 * marks of direction.
 */
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;

/**
 * Makes a guest's text safe for logs and terminals: well-formed, control characters escaped, cut to so many characters.
 */
export function tidy(text: string, maxCharacters: number): string {
  const short = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
  return short
    .toWellFormed()
    .replace(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Makes a guest's log lines safe for logs and terminals, and cuts them to so many bytes altogether. */
export function tidyLogs(lines: readonly string[], maxBytes: number): string[] {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    const text = tidy(line, line.length);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > maxBytes) {
      const room = Math.max(0, maxBytes - (bytes - Buffer.byteLength(text) - 1));
      kept.push(
        `${Buffer.from(text)
          .subarray(0, room)
          .toString()
          .replace(/\ufffd+$/, '')}… (log cut at ${maxBytes} bytes)`,
      );
      return kept;
    }
    kept.push(text);
  }
  return kept;
}

/** The first position in the bundle that a stack names, if it names one. Line and column from 1. */
export function positionIn(stack: string): { position?: { line: number; column: number } } {
  const [, line, column] = /handler\.js:(\d{1,7}):(\d{1,7})/.exec(stack) ?? [];
  return line && column && Number(line) > 0 && Number(column) > 0
    ? { position: { line: Number(line), column: Number(column) } }
    : {};
}
