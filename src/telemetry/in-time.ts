import { setTimeout as sleep } from 'node:timers/promises';

/** The value of a promise, or `otherwise` if it takes longer than `ms`. Rejects as the promise does. */
export function inTime<Value, Otherwise>(
  value: Promise<Value>,
  ms: number,
  otherwise: Otherwise,
): Promise<Value | Otherwise> {
  return Promise.race([value, sleep(ms, otherwise, { ref: false })]);
}
