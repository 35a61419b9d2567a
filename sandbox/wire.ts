import type { Answer, HandlerFailure } from './contract.ts';
import type { ResolvedLimits } from './policy.ts';
import type { PlainRow, ReportRow } from './report-wire.ts';

/**
 * A message: a header and texts. Texts are what guest and host exchange (JSON of requests, results, calls); they are
 * sent as they are, so that nothing is quoted twice. Layout: the header as JSON on the first line, then all texts with
 * nothing between them; the header has their lengths.
 */
export interface Packed<Header> {
  header: Header;
  texts: Texts;
}

/** Texts joined to one: passed on as they are, and cut out when one is wanted. */
export class Texts {
  readonly joined: string;
  readonly lengths: readonly number[];
  #read = 0;
  #at = 0;

  constructor(joined: string, lengths: readonly number[]) {
    this.joined = joined;
    this.lengths = lengths;
  }

  /** Joins texts. */
  static of(texts: readonly string[]): Texts {
    return new Texts(
      texts.join(''),
      texts.map((text) => text.length),
    );
  }

  /** The next text. Throws if there is none left. */
  next(): string {
    const length = this.lengths[this.#read];
    if (length === undefined) throw new RangeError('Cannot read message: a text is missing');
    this.#read += 1;
    const at = this.#at;
    this.#at += length;
    return this.joined.slice(at, this.#at);
  }

  /** Cuts out `count` texts from the index `from` on. */
  slice(from: number, count: number): Texts {
    if (from === 0 && count === this.lengths.length) return new Texts(this.joined, this.lengths);
    const at = sum(this.lengths, 0, from);
    return new Texts(
      this.joined.slice(at, at + sum(this.lengths, from, from + count)),
      this.lengths.slice(from, from + count),
    );
  }
}

function sum(lengths: readonly number[], from: number, to: number): number {
  let total = 0;
  for (let index = from; index < to; index += 1) total += lengths[index] as number;
  return total;
}

/** Writes header and texts as one string. */
export function pack<Header extends object>(header: Header, { joined, lengths }: Texts): string {
  return `${JSON.stringify({ ...header, lengths })}\n${joined}`;
}

/** Reads what `pack` wrote. Throws for anything else. */
export function unpack<Header>(packed: string): Packed<Header> {
  const end = packed.indexOf('\n');
  const header = JSON.parse(packed.slice(0, end)) as Header & { lengths: number[] };
  let total = 0;
  for (const length of header.lengths) {
    if (!(length >= 0)) throw new RangeError('Cannot read message: found an invalid length, wanted one from 0');
    total += length;
  }
  if (end < 0 || end + 1 + total !== packed.length)
    throw new RangeError('Cannot read message: lengths that do not add up');
  return { header, texts: new Texts(packed.slice(end + 1), header.lengths) };
}

/**
 * A frame is a message as UTF-8 with its length in bytes in front, written as so many hexadecimal digits: so a frame is
 * one text.
 */
export const frameHeadBytes = 8;

/** The head of a frame with this many bytes after it. */
export function frameHead(bytes: number): string {
  return bytes.toString(16).padStart(frameHeadBytes, '0');
}

/** What the parent sends a cell. Each message has a number, and the cell says which it has finished. */
export type ParentMessage = { seq: number } & (
  | { op: 'load'; handler: number; limits: ResolvedLimits }
  | ({ op: 'run'; handler: number } & RunTable)
  /** `atMs` is the host's time. */
  | {
      op: 'answers';
      handler: number;
      atMs: number;
      answers: AnswerRow[];
    }
  | { op: 'end'; handler: number; run: number }
  | { op: 'drop'; handler: number }
);

/** An answer on its way to the run that made the call. */
export interface GivenAnswer {
  run: number;
  call: number;
  answer: Answer;
}

/**
 * An answer as it is sent; the code is empty for an output. The output or the error message is the text of the same
 * index.
 */
export type AnswerRow = [run: number, call: number, code: HandlerFailure['code'] | ''];

/** Writes answers as rows and texts. */
export function answersToRows(answers: readonly GivenAnswer[]): { rows: AnswerRow[]; texts: Texts } {
  return {
    rows: answers.map(({ run, call, answer }) => [run, call, 'error' in answer ? answer.error.code : '']),
    texts: Texts.of(answers.map(({ answer }) => ('error' in answer ? answer.error.message : answer.output))),
  };
}

/** Reads what `answersToRows` wrote. Throws if a text is missing. */
export function rowsToAnswers(rows: readonly AnswerRow[], texts: Texts): GivenAnswer[] {
  return rows.map(([run, call, code]) => {
    const text = texts.next();
    return { run, call, answer: code === '' ? { output: text } : { error: { code, message: text } } };
  });
}

/** Runs as they are sent, in columns. The input of each run is the text of the same index. */
export interface RunTable {
  /** Number of the first run; the others are numbered after it. */
  first: number;
  seeds: readonly string[];
  /** Each for a number of runs in a row; settings with the same clock follow one another. */
  settings: RunSetting[];
  tools: (readonly string[])[];
  answers: AnswerTable[];
}

/**
 * What `runs` runs in a row have in common. `aheadMs` is how far their clock is ahead of the host's after the first
 * step; null if it stands still except for `ticksMs`, one with each answer. `tools` and `answers` are indexes into the
 * lists of the table, -1 for none.
 */
export type RunSetting = [
  nowMs: number,
  aheadMs: number | null,
  ticksMs: readonly number[],
  send: boolean,
  tools: number,
  answers: number,
  runs: number,
];

/** Prepared answers: tool → canonical JSON of the input → answer. */
export type AnswerTable = Readonly<Record<string, Readonly<Record<string, Answer>>>>;

/** What a cell sends its parent. */
export type CellMessage =
  | { op: 'ready' }
  /**
   * This run is executed alone from now on: it is at fault for a death. `moreMs` is what it gets on top of its time.
   */
  | { op: 'at'; run: number; moreMs?: number }
  /** The texts are those of `plain`, then of `reports`, then of `calls`. */
  | {
      op: 'news';
      done: number;
      plain: PlainRow[];
      reports: ReportRow[];
      calls: [run: number, call: number, tool: string | null][];
    };
