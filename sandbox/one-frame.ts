import { policy } from './policy.ts';

/** The first items, as many as go into one frame; at least one if there is any. */
export function fittingOneFrame<T>(items: readonly T[], lengthOf: (item: T) => number): readonly T[] {
  let length = 0;
  let count = 0;
  while (count < items.length && count < policy.runsPerFrame.default) {
    length += lengthOf(items[count] as T);
    if (count > 0 && length > policy.flushBytes.default) break;
    count += 1;
  }
  return count === items.length ? items : items.slice(0, count);
}
