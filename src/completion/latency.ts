import type { Completer } from '../contract/completion.ts';

/** How long completions of one endpoint took lately. */
export interface LatencyRecord {
  add(durationMs: number): void;
  /** The 75th percentile of the latest completions in milliseconds, or `null` while there are too few to tell. */
  p75Ms(): number | null;
}

/** Completions remembered; older ones say little about now. */
const REMEMBERED = 50;
const FEWEST = 4;

/** A record of the latest completions. */
export function createLatencyRecord(): LatencyRecord {
  const latest: number[] = [];
  return {
    add(durationMs) {
      latest.push(durationMs);
      if (latest.length > REMEMBERED) latest.shift();
    },
    p75Ms() {
      if (latest.length < FEWEST) return null;
      const sorted = latest.toSorted((one, other) => one - other);
      return sorted[Math.ceil(sorted.length * 0.75) - 1] ?? null;
    },
  };
}

/** Records how long the modules of a completer take, those that succeed: a text may be of any length. */
export function withLatency(completer: Completer, record: LatencyRecord): Completer {
  return {
    generator: completer.generator,
    async complete(prompt, deadline, options) {
      const completion = await completer.complete(prompt, deadline, options);
      if (options?.answer !== 'text') record.add(completion.durationMs);
      return completion;
    },
  };
}
