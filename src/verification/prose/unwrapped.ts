/** Where something else begins than the rest of a paragraph or item. */
const BEGINS =
  /^\s*(?:[-*+•>|#<[{}\]]|\d+[.)、]\s|```|~~~|$|[`"*]{0,2}[\p{L}\p{N}_]+(?: [\p{L}\p{N}_]+){0,2}[`"*]{0,2}(?:\s?[:：=→]|\s[–—-]\s))|\S {2,}\S/u;

/** What no paragraph or item ends with where it is merely too long for its line. */
const ENDED = /(?:[.!?;:。！？；：|]["'”’)）*_`]*|^\s*(?:#.*|\|.*|```.*|~~~.*)| {2}|\\)$/;

/** No line is broken for its length below the first of these widths, in UTF-16 units, or beyond the second. */
const [LEAST_WIDTH, MOST_WIDTH] = [40, 140];

/**
 * A text in which the lines that were broken for their length alone are one again, as Markdown reads them. What stands on a line of its own for
 * another reason stays there: items, headings, rows, code, and lines that had room for the next one's first word.
 */
export function unwrapped(text: string): string {
  const lines = text.split('\n');
  const widths = widthsOf(lines);
  let inCode = false;
  const isFull = lines.map((line, index) => {
    if (/^\s*(?:```|~~~)/.test(line)) inCode = !inCode;
    const next = lines[index + 1];
    if (inCode || next === undefined || BEGINS.test(next) || ENDED.test(line) || line.trim() === '') return false;
    const width = widths[index] as number;
    const [first = ''] = next.trim().split(' ', 1);
    return width >= LEAST_WIDTH && width <= MOST_WIDTH && line.length + 1 + first.length > width;
  });
  // A small letter, or Chinese, goes on with a sentence; where one does, a name or a number behind a full line does so too.
  const isWrapped = lines.some((line, index) => isFull[index - 1] === true && /^\s*[\p{Ll}\p{Script=Han}]/u.test(line));
  if (!isWrapped) return text;
  return lines.reduce((whole, line, index) =>
    isFull[index - 1] === true ? `${whole} ${line.trimStart()}` : `${whole}\n${line}`,
  );
}

/** Four blanks in front make code, but of what belongs to an item. */
const INDENTED = /^(?: {4}|\t)/;
const ITEM = /^\s*(?:[-*+•]|\d+[.)、])\s/;

/** For each line the length of the longest one of the paragraph or item that it stands in; 0 for code. */
function widthsOf(lines: readonly string[]): number[] {
  const widths: number[] = [];
  let isList = false;
  for (let from = 0; from < lines.length; ) {
    let to = from + 1;
    while (to < lines.length && !BEGINS.test(lines[to] as string)) to += 1;
    const [first = '', ...rest] = lines.slice(from, to);
    isList = ITEM.test(first) || (isList && first.trim() !== '');
    const width = rest.reduce((most, line) => Math.max(most, line.length), first.length);
    for (const line of [first, ...rest]) widths.push(!isList && INDENTED.test(line) ? 0 : width);
    from = to;
  }
  return widths;
}
