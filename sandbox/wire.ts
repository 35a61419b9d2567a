import type { AnsweredCall, HandlerFailure } from './contract.ts';
import type { ResolvedLimits } from './policy.ts';
import type { PlainRows, ReportRow } from './report-wire.ts';

/**
 * A message is a header and texts. Texts are what guest and host exchange (JSON of requests, results, calls); they are carried as they are,
 * so that nothing is quoted twice. Layout: header as JSON on the first line, then all texts without anything between them; the header
 * has their lengths.
 */
export interface Packed<Header> {
  header: Header;
  texts: string[];
}

/** Writes header and texts as one string. */
export function pack<Header extends object>(header: Header, texts: readonly string[]): string {
  return `${JSON.stringify({ ...header, lengths: texts.map((text) => text.length) })}\n${texts.join('')}`;
}

/** Reads what `pack` wrote. Throws on anything else. */
export function unpack<Header>(packed: string): Packed<Header> {
  const end = packed.indexOf('\n');
  const header = JSON.parse(packed.slice(0, end)) as Header & { lengths: number[] };
  let at = end + 1;
  const texts = header.lengths.map((length) => {
    if (!(length >= 0)) throw new RangeError('Cannot read message: a length that is none');
    const text = packed.slice(at, at + length);
    at += length;
    return text;
  });
  if (end < 0 || at !== packed.length) throw new RangeError('Cannot read message: lengths that do not add up');
  return { header, texts };
}

/** A frame is a message as UTF-8 with its length in bytes in front: so many hexadecimal digits, so that a frame is one text. */
export const frameHeadBytes = 8;

/** The head of a frame of so many bytes. */
export function frameHead(bytes: number): string {
  return bytes.toString(16).padStart(frameHeadBytes, '0');
}

/** What the parent says to a cell. Each has a number; the cell says which it has dealt with. */
export type ParentMessage = { seq: number } & (
  | { op: 'load'; handler: number; limits: ResolvedLimits }
  | ({ op: 'run'; handler: number } & RunTable)
  | { op: 'answers'; handler: number; answers: [run: number, call: number, code: HandlerFailure['code'] | ''][] }
  | { op: 'end'; run: number }
  | { op: 'drop'; handler: number }
);

/** Runs as they are sent, in columns; each one's input is the text of the same index. */
export interface RunTable {
  runs: number[];
  seeds: string[];
  /** For each run an index into `settings`, which few differ in. */
  setting: number[];
  settings: RunSetting[];
  tools: (readonly string[])[];
  answers: AnswerTable[];
}

/** What runs of a batch have in common. `tools` and `answers` are indexes into the lists beside, -1 for none. */
export type RunSetting = [nowMs: number, fixedClock: boolean, send: boolean, tools: number, answers: number];

/** Prepared answers: tool → canonical JSON of the input → answer. */
export type AnswerTable = Readonly<Record<string, Readonly<Record<string, AnsweredCall['answer'] & object>>>>;

/** What a cell says to its parent. */
export type CellMessage =
  | { op: 'ready' }
  /** This run is now executed alone: a death from here on is its doing. */
  | { op: 'at'; run: number }
  /** The texts are those of `plain`, then of `reports`, then of `calls`. */
  | {
      op: 'news';
      done: number;
      plain: PlainRows[];
      reports: ReportRow[];
      calls: [run: number, call: number, tool: string | null][];
    };
