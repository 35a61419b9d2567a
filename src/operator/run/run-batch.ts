import type { Sandbox } from '../../../sandbox/index.ts';
import { retryLost } from '../../job/retry-lost.ts';
import { codeOf } from '../../kernel/errors.ts';
import { UnreadableInput } from '../shell/read-input.ts';
import { platformAnswer, readObject } from './run-answer.ts';
import { readTools, refusal, runSource } from './run-module.ts';

/**
 * Runs the module of each line, in order, and prints one line for each. Resolves to whether every line was answered.
 */
export async function runBatch(
  lines: AsyncIterable<string>,
  sandbox: Sandbox,
  print: (answer: object) => void,
): Promise<boolean> {
  let answered = true;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const read = readObject(line);
    try {
      if ('fault' in read) throw new UnreadableInput(read.fault);
      const { source, request = null, tools } = read.message;
      if (typeof source !== 'string') throw new UnreadableInput('Cannot read line: no source, wanted one as text');
      const known = readTools(tools ?? []);
      // A lost cell is not the handler's fault, and a new cell starts in its place.
      const result = await retryLost(() => runSource(source, request, known, sandbox), new AbortController().signal);
      print({ id: read.id, ...result });
    } catch (error) {
      // The following lines may still work.
      answered = false;
      const isPlatform = codeOf(error)?.startsWith('PLATFORM_') ?? false;
      const why = error instanceof Error ? error.message : String(error);
      print({ id: read.id, ...(isPlatform ? platformAnswer(error) : refusal(why)) });
    }
  }
  return answered;
}
