import { open, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { keepsDigits, mayLoseDigits } from '../../kernel/json.ts';
import { forTerminal } from './for-terminal.ts';

/** A file of the command line cannot be read as expected. Ends the command with exit code 65. */
export class UnreadableInput extends Error {
  override readonly name = 'UnreadableInput';
}

/**
 * Reads a file, or standard input for `-`, as UTF-8 without a byte order mark. Throws `UnreadableInput` if that fails.
 */
export async function readText(name: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      await (name === '-' ? buffer(process.stdin) : readFile(name)),
    );
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** Reads JSON from a file or standard input. Throws `UnreadableInput` if it is not JSON or cannot be passed on. */
export async function readJson(name: string): Promise<unknown> {
  const given = await readText(name);
  const unfit = unfitness(given);
  if (unfit !== undefined) throw new UnreadableInput(`Cannot read "${forTerminal(name)}": ${unfit}`);
  try {
    return JSON.parse(given);
  } catch (error) {
    throw new UnreadableInput(
      `Cannot read "${forTerminal(name)}": ${error instanceof Error ? error.message.slice(0, 200) : 'no JSON'}, wanted JSON`,
    );
  }
}

/** The lines of a file or of standard input, as they come. Throws `UnreadableInput` if it cannot be read. */
export async function readLines(name: string): Promise<AsyncIterable<string>> {
  if (name === '-') return linesOf(process.stdin);
  try {
    const file = await open(name);
    // A folder can be opened but not read.
    if ((await file.stat()).isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    return linesOf(file.createReadStream());
  } catch (error) {
    throw unreadable(name, error);
  }
}

/**
 * The lines of a UTF-8 stream without their line feed, or carriage return and line feed. Other separators may be part
 * of JSON strings. Of a line longer than any request, only the beginning is kept.
 */
export async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let line = '';
  let isFirst = true;
  const take = (): string => {
    const taken = isFirst ? line.replace(byteOrderMark, '') : line;
    isFirst = false;
    line = '';
    return taken.endsWith('\r') ? taken.slice(0, -1) : taken;
  };
  stream.setEncoding('utf8');
  for await (const chunk of stream as AsyncIterable<string>) {
    let at = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', at)) {
      line += chunk.slice(at, end);
      at = end + 1;
      yield take();
    }
    if (line.length <= maxLineLength) line += chunk.slice(at);
  }
  if (line !== '') yield take();
}

const byteOrderMark = /^\ufeff/;
/** Four times the largest frame, in UTF-16 code units. */
const maxLineLength = 134_217_728;

function unreadable(name: string, error: unknown): UnreadableInput {
  const { code: found = 'an unknown fault' } = error as NodeJS.ErrnoException;
  if (found === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    return new UnreadableInput(`Cannot read "${forTerminal(name)}": not valid UTF-8, wanted UTF-8 text`);
  return new UnreadableInput(`Cannot read "${forTerminal(name)}": ${found}, wanted a readable file`);
}

/** Deepest nesting of JSON that is read. */
const maxDepth = 1_000;

/**
 * Why JSON cannot be passed on, as the end of an error message: nested too deeply for recursive functions, or a number
 * that a double does not keep.
 */
export function unfitness(json: string): string | undefined {
  if (isDeep(json)) return `nested too deeply, wanted at most ${maxDepth} levels`;
  const lost = lostNumberIn(json);
  if (lost === undefined) return undefined;
  if (!Number.isFinite(Number(lost))) return 'found a number beyond the range of IEEE 754 doubles, wanted none';
  return `found the number ${lost.slice(0, maxDigitsShown)}, which is read as ${Number(lost)}, wanted one that a double keeps, or a text`;
}

/** The first number of a JSON text that would change if written again. */
function lostNumberIn(json: string): string | undefined {
  if (!mayLoseDigits(json)) return undefined;
  let lost: string | undefined;
  const look = (_name: string, value: unknown, { source }: { source?: string }) => {
    if (typeof value === 'number' && source !== undefined && lost === undefined && !keepsDigits(source)) lost = source;
    return lost === undefined ? value : null;
  };
  try {
    JSON.parse(json, look as Parameters<typeof JSON.parse>[1]);
  } catch {
    // The caller reports text that is not JSON.
  }
  return lost;
}

/** Most digits of a number in a message. */
const maxDigitsShown = 40;

function isDeep(json: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const unit = json.charCodeAt(at);
    if (inText) {
      if (unit === 0x5c) at += 1;
      else if (unit === 0x22) inText = false;
    } else if (unit === 0x22) inText = true;
    else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
  return false;
}
