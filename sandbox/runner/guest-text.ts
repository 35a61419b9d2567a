/** Whatever moves a terminal's cursor, rings, colours or turns text round: C0 but tab and line feed, DEL, C1, separators of lines, and the marks of direction. */
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;

/** A guest's text made fit for logs and terminals: well-formed, control characters written out, cut to so many characters. */
export function tidy(text: string, maxCharacters: number): string {
  const short = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
  return short
    .toWellFormed()
    .replace(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A guest's log lines made fit for logs and terminals, cut to so many bytes altogether. */
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

/** The first place in the bundle that a stack names, if it names one. */
export function positionIn(stack: string): { position?: { line: number; column: number } } {
  const [, line, column] = /handler\.js:(\d{1,7}):(\d{1,7})/.exec(stack) ?? [];
  return line && column && Number(line) > 0 && Number(column) > 0
    ? { position: { line: Number(line), column: Number(column) } }
    : {};
}
