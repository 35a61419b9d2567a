import { open, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { forTerminal } from './for-terminal.ts';

/** A file given on the command line that cannot be read as what it should be. Ends the command with exit code 65. */
export class UnreadableInput extends Error {
  override readonly name = 'UnreadableInput';
}

/** Reads a file, or standard input where its name is `-`. Throws `UnreadableInput` where that cannot be done. */
export async function readText(name: string): Promise<string> {
  try {
    return name === '-' ? await text(process.stdin) : await readFile(name, 'utf8');
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** Reads JSON out of a file, or standard input. Throws `UnreadableInput` where it is none. */
export async function readJson(name: string): Promise<unknown> {
  const given = await readText(name);
  try {
    return JSON.parse(given);
  } catch (error) {
    throw new UnreadableInput(
      `Cannot read "${forTerminal(name)}": ${error instanceof Error ? error.message.slice(0, 200) : 'no JSON'}, wanted JSON`,
    );
  }
}

/** The lines of a file, or of standard input, as they come. Throws `UnreadableInput` where it cannot be read. */
export async function readLines(name: string): Promise<AsyncIterable<string>> {
  if (name === '-') return createInterface({ input: process.stdin });
  try {
    return (await open(name)).readLines();
  } catch (error) {
    throw unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): UnreadableInput {
  const found = (error as NodeJS.ErrnoException).code ?? 'an unknown fault';
  return new UnreadableInput(`Cannot read "${forTerminal(name)}": ${found}, wanted a readable file`);
}
