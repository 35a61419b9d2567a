/** A line of a document with its place: UTF-16 offsets, end exclusive and without the line break. */
export interface Line {
  start: number;
  end: number;
  text: string;
  /** Whether the line stands inside a fenced block, the fences themselves included. */
  fenced: boolean;
}

/** A fenced block. */
export interface Fence {
  /** From the start of the opening fence's line to the end of the closing one's. */
  start: number;
  end: number;
  /** The lines between the fences. */
  contentStart: number;
  contentEnd: number;
  /** How far the opening fence is indented, in characters. */
  indent: number;
  /** The word after the opening fence, lower case; empty where there is none. */
  language: string;
}

const FENCE = /^([ \t]*(?:>[ \t]?)*)(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;

/** Splits a text into lines and finds its fenced blocks, in one pass. A fence that is never closed is no fence. */
export function readLines(text: string): { lines: Line[]; fences: Fence[] } {
  const lines: Line[] = [];
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start);
    const next = found < 0 ? text.length : found;
    const end = next > start && text[next - 1] === '\r' ? next - 1 : next;
    lines.push({ start, end, text: text.slice(start, end), fenced: false });
    start = next + 1;
  }
  const marks = lines.map((line) =>
    line.text.length > 200 || !/`{3}|~{3}/.test(line.text) ? null : FENCE.exec(line.text),
  );
  const closers = closingFences(marks);
  const fences: Fence[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const closer = closers[index];
    const [opening, closing] = [lines[index], closer === undefined ? undefined : lines[closer]];
    const mark = marks[index];
    if (closer === undefined || opening === undefined || closing === undefined || !mark) continue;
    for (let inside = index; inside <= closer; inside += 1) {
      const line = lines[inside];
      if (line !== undefined) line.fenced = true;
    }
    fences.push({
      start: opening.start,
      end: closing.end,
      contentStart: lines[index + 1]?.start ?? opening.end,
      contentEnd: closing.start,
      indent: mark[1]?.length ?? 0,
      language: (mark[3] ?? '').toLowerCase(),
    });
    index = closer;
  }
  return { lines, fences };
}

/** How many characters longer than its opening a closing fence may be. */
const MAX_LONGER = 5;

/** For each line that can open a fence, the first later line that closes it. */
function closingFences(marks: readonly (RegExpExecArray | null)[]): (number | undefined)[] {
  const closers: (number | undefined)[] = [];
  // Later closers by their mark and length; read backwards so that every line is met once.
  const nearest = new Map<string, number>();
  for (let index = marks.length - 1; index >= 0; index -= 1) {
    const mark = marks[index];
    if (!mark) continue;
    const fence = mark[2] ?? '';
    let closer: number | undefined;
    for (let length = fence.length; length <= fence.length + MAX_LONGER; length += 1) {
      const line = nearest.get(`${fence[0]}${length}`);
      if (line !== undefined && (closer === undefined || line < closer)) closer = line;
    }
    closers[index] = closer;
    if ((mark[3] ?? '') === '') nearest.set(`${fence[0]}${fence.length}`, index);
  }
  return closers;
}
