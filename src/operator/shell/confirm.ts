import { createInterface } from 'node:readline/promises';
import { UsageError } from './command.ts';
import { forTerminal } from './for-terminal.ts';

/**
 * Makes sure that an operator means what cannot be undone: with `--yes`, or by a question on the terminal. Resolves to
 * whether to go on. Throws `UsageError` without `--yes` if nobody can be asked.
 */
export async function confirm(question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`Cannot ask on a terminal: found none, wanted --yes, because this cannot be undone`);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  // Closed by control D: no answer.
  const closed = new Promise<string>((resolve) => asking.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([asking.question(`${forTerminal(question)} [y/N] `), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    asking.close();
  }
}
