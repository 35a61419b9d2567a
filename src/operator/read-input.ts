import { readFile } from 'node:fs/promises';
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
    const found = (error as NodeJS.ErrnoException).code ?? 'an unknown fault';
    throw new UnreadableInput(`Cannot read "${forTerminal(name)}": ${found}, wanted a readable file`);
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
