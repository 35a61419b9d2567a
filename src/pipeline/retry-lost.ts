import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../kernel/errors.ts';

const maxRetries = 3;
const pauseMs = 100;

/** Does work that needs a sandbox cell again when the cell was lost; a cell's loss says nothing about the candidate. */
export async function retryLost<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await work();
    } catch (error) {
      if (!codeOf(error)?.startsWith('PLATFORM_SANDBOX_') || retry >= maxRetries || signal.aborted) throw error;
      await sleep(pauseMs * 2 ** retry, undefined, { signal });
    }
  }
}
