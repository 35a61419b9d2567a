import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';

/** The state of a queue after draining. */
export interface DrainResult {
  /** Whether no job is running. */
  drained: boolean;
  active: number;
  waiting: number;
}

/**
 * Waits until no job of a paused queue is running, or until `untilMs` (milliseconds since 1970, local clock). Waiting
 * jobs stay in the queue and get their outcome at their deadline; `resumeQueue` lets them go on.
 */
export async function drainQueue(
  queue: Queue,
  { untilMs, signal }: { untilMs: number; signal?: AbortSignal },
): Promise<DrainResult> {
  for (;;) {
    const { active = 0, waiting = 0, prioritized = 0 } = await queue.getJobCounts('active', 'waiting', 'prioritized');
    const result = { drained: active === 0, active, waiting: waiting + prioritized };
    const leftMs = untilMs - Date.now();
    if (active === 0 || leftMs <= 0 || signal?.aborted) return result;
    await sleep(Math.min(200, leftMs), undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}
