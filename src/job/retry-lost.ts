import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../kernel/errors.ts';

const maxRetries = 3;
const pauseMs = 100;

/** Retries work whose sandbox cell or bundler died: that says nothing about the candidate. */
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
