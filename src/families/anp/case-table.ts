import type { Line } from '../../documents/markdown-lines.ts';

/** A table cell with its column and place: UTF-16 offsets of its text, end exclusive. */
export interface Cell<Kind = string> {
  kind: Kind | undefined;
  start: number;
  end: number;
}

/** Most bars of a row, and most rows, that are read. */
const [MAX_BARS, MAX_ROWS] = [40, 1_000];

/** The rows of all Markdown tables with a request column and a response column. Linear in the text. */
export function payloadRows<Kind extends string>(
  lines: readonly Line[],
  kindOf: (head: string) => Kind | undefined,
): Cell<Kind>[][] {
  const rows: Cell<Kind>[][] = [];
  let kinds: (Kind | undefined)[] | undefined;
  for (const [index, line] of lines.entries()) {
    if (rows.length >= MAX_ROWS) break;
    if (line.fenced || !isRow(line.text)) {
      kinds = undefined;
      continue;
    }
    if (isDelimiter(line.text)) continue;
    if (kinds !== undefined) {
      const of = kinds;
      rows.push(cellsOf(line).map((cell, column) => ({ ...cell, kind: of[column] })));
    } else if (isDelimiter(lines[index + 1]?.text ?? '')) {
      const heads = cellsOf(line).map(({ start, end }) =>
        kindOf(line.text.slice(start - line.start, end - line.start)),
      );
      if (heads.includes('request' as Kind) && heads.includes('response' as Kind)) kinds = heads;
    }
  }
  return rows;
}

/** The cases of all Markdown tables with a row for each part and a column for each case. Linear in the text. */
export function payloadColumns<Kind extends string>(
  lines: readonly Line[],
  kindOf: (label: string) => Kind | undefined,
): Cell<Kind>[][] {
  const cases: Cell<Kind>[][] = [];
  let rows: Cell<Kind>[][] = [];
  let left = MAX_ROWS;
  for (const line of [...lines, { start: 0, text: '', fenced: false }]) {
    if (!line.fenced && isRow(line.text)) {
      left -= 1;
      if (left < 0) break;
      const cells = isDelimiter(line.text) ? [] : cellsOf(line);
      const [label = { start: 0, end: 0 }] = cells;
      const kind = kindOf(line.text.slice(label.start - line.start, label.end - line.start));
      if (cells.length > 0) rows.push(cells.map((cell) => ({ ...cell, kind })));
      continue;
    }
    const kinds = rows.map(([label]) => label?.kind);
    const isWhole = kinds.includes('request' as Kind) && kinds.includes('response' as Kind);
    const width = isWhole ? Math.max(...rows.map((row) => row.length)) : 0;
    for (let column = 1; width > 2 && column < width && cases.length < MAX_ROWS; column += 1)
      cases.push(rows.flatMap((row) => row[column] ?? []));
    rows = [];
  }
  return cases;
}

function isRow(text: string): boolean {
  return /^[ \t]*\|/.test(text);
}

function isDelimiter(text: string): boolean {
  return text.includes('-') && /^[ \t]*\|[ \t|:-]*$/.test(text);
}

/** The cells of a row; none if the line is not a row. Escaped bars, and bars in code, do not separate cells. */
export function cellsOf({ start, text }: Pick<Line, 'start' | 'text'>): { start: number; end: number }[] {
  if (!isRow(text)) return [];
  const isPaired = (text.match(/`/g)?.length ?? 0) % 2 === 0;
  const bars: number[] = [];
  let inCode = false;
  for (let at = 0; at < text.length && bars.length < MAX_BARS; at += 1) {
    if (text[at] === '`' && isPaired) inCode = !inCode;
    if (text[at] === '|' && !inCode && text[at - 1] !== '\\') bars.push(at);
  }
  if (bars.length < MAX_BARS && /[^ \t]/.test(text.slice((bars.at(-1) ?? 0) + 1))) bars.push(text.length);
  return bars.slice(1).map((bar, index) => {
    const cell = text.slice((bars[index] ?? 0) + 1, bar);
    const from = (bars[index] ?? 0) + 1 + (cell.length - cell.trimStart().length);
    return { start: start + from, end: start + from + cell.trim().length };
  });
}
