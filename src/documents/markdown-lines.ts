/** A line of a document with its place: UTF-16 offsets, end exclusive, without the line break. */
export interface Line {
  start: number;
  end: number;
  text: string;
  /** Whether the line is in a fenced block, including the fence lines. */
  fenced: boolean;
}

/** A fenced block. */
export interface Fence {
  /** From the start of the opening fence's line to the end of the closing fence's line. */
  start: number;
  end: number;
  /** The lines between the two fences. */
  contentStart: number;
  contentEnd: number;
  /** Indentation of the opening fence, in characters. */
  indent: number;
  /** The word after the opening fence, in lower case; empty if there is none. */
  language: string;
}

const FENCE = /^([ \t]*(?:>[ \t]?)*)(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;

/**
 * Splits a text into lines and finds its fenced blocks, in one pass. A fence without a closing fence does not count.
 */
export function readLines(text: string): { lines: Line[]; fences: Fence[] } {
  const lines: Line[] = [];
  const marks: (RegExpExecArray | null)[] = [];
  const ticks = new Occurrences(text, '```');
  const tildes = new Occurrences(text, '~~~');
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start);
    const next = found < 0 ? text.length : found;
    const end = next > start && text.charCodeAt(next - 1) === CARRIAGE_RETURN ? next - 1 : next;
    const line = { start, end, text: text.slice(start, end), fenced: false };
    lines.push(line);
    const mayMark = end - start <= 200 && (ticks.areBefore(start, end) || tildes.areBefore(start, end));
    marks.push(mayMark ? FENCE.exec(line.text) : null);
    start = next + 1;
  }
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

const CARRIAGE_RETURN = 0x0d;

/** Finds a short text in a longer one. Calls must come in text order. */
class Occurrences {
  readonly #text: string;
  readonly #wanted: string;
  #next = -1;

  constructor(text: string, wanted: string) {
    this.#text = text;
    this.#wanted = wanted;
  }

  areBefore(start: number, end: number): boolean {
    if (this.#next < start) {
      const found = this.#text.indexOf(this.#wanted, start);
      this.#next = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#next < end;
  }
}

/** Most characters by which a closing fence may be longer than its opening fence. */
const MAX_LONGER = 5;

/** For each line that can open a fence, the first later line that closes it. */
function closingFences(marks: readonly (RegExpExecArray | null)[]): (number | undefined)[] {
  const closers: (number | undefined)[] = [];
  // Later closers by mark and length. Reading backwards visits each line once.
  const nearest = { '`': new Map<number, number>(), '~': new Map<number, number>() };
  for (let index = marks.length - 1; index >= 0; index -= 1) {
    const mark = marks[index];
    if (!mark) continue;
    const fence = mark[2] ?? '';
    const sameMark = nearest[fence.startsWith('~') ? '~' : '`'];
    let closer: number | undefined;
    for (let length = fence.length; length <= fence.length + MAX_LONGER; length += 1) {
      const line = sameMark.get(length);
      if (line !== undefined && (closer === undefined || line < closer)) closer = line;
    }
    closers[index] = closer;
    if ((mark[3] ?? '') === '') sameMark.set(fence.length, index);
  }
  return closers;
}

/**
 * Replaces the `>` of block quotes with blanks if the quote contains JSON or a fenced block, or if the whole text is
 * quoted. Every offset stays the same. Text inside fences is not changed.
 */
export function withoutQuoteMarks(text: string): string {
  if (!/^[ \t]*>/m.test(text)) return text;
  if (!/^(?![ \t]*>)[^\S\n]*\S/m.test(text)) return withoutMarks(text);
  if (!HOLDS_PAYLOAD.test(text)) return text;
  const { lines, fences } = readLines(text);
  const parts: string[] = [];
  let [done, fence] = [0, 0];
  for (let first = 0; first < lines.length && parts.length < 2 * MAX_QUOTES; first += 1) {
    const start = lines[first]?.start ?? text.length;
    while ((fences[fence]?.end ?? text.length) < start) fence += 1;
    // A fence opened outside a quote contains verbatim text, even if its lines start with `>`.
    const isVerbatim = (fences[fence]?.start ?? text.length) < start && lines[first]?.fenced === true;
    if (isVerbatim || !isQuoted(lines[first])) continue;
    let last = first;
    while (isQuoted(lines[last + 1])) last += 1;
    const end = lines[last]?.end ?? text.length;
    const quote = text.slice(start, end);
    if (HOLDS_PAYLOAD.test(quote)) {
      parts.push(text.slice(done, start), withoutMarks(quote));
      done = end;
    }
    first = last;
  }
  return done === 0 ? text : parts.join('') + text.slice(done);
}

/** Most block quotes read in a text: twice the number for two per case. */
const MAX_QUOTES = 400;

const HOLDS_PAYLOAD = /^[ \t]*>[ \t>]*(?:```|~~~|[{[])/m;

function isQuoted(line: Line | undefined): boolean {
  return line !== undefined && /^[ \t]*>/.test(line.text);
}

function withoutMarks(quote: string): string {
  return quote.replace(/^[ \t]*>/gm, (mark) => ' '.repeat(mark.length));
}

/**
 * Reverses `withoutQuoteMarks` for a part of a text that was changed in one place. Unchanged lines get back their
 * original marks, and new lines inside a quote get marks too. `given` is the original text, `at` the part's offset in
 * it.
 */
export function withQuoteMarks(changed: string, before: string, given: string, at: number): string {
  const most = Math.min(changed.length, before.length);
  let head = 0;
  while (head < most && changed[head] === before[head]) head += 1;
  let tail = 0;
  while (tail < most - head && changed.at(-1 - tail) === before.at(-1 - tail)) tail += 1;
  const between = changed.slice(head, changed.length - tail);
  const end = at + before.length;
  const lines = given.slice(given.lastIndexOf('\n', at + head - 1) + 1, end - tail);
  const marked = /^[ \t]*>/m.test(lines) ? between.replace(/\n(?: {1,2})?/g, '\n> ') : between;
  return given.slice(at, at + head) + marked + given.slice(end - tail, end);
}
