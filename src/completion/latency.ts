import type { Completer } from '../contract/completion.ts';

/** How fast one completion came. */
export interface Pace {
  durationMs: number;
  /** Until its first piece. */
  firstPieceMs: number;
  /** Characters received, including those outside the answer. */
  characters: number;
}

/** Recent speed of one endpoint. */
export interface Speed {
  /** Median duration. */
  medianMs: number;
  /** Duration that three in four did not exceed. */
  p75Ms: number;
  /** Time to the first piece that three in four did not exceed. */
  firstPieceMs: number;
  /** Time per character after the first piece that three in four did not exceed. */
  msPerCharacter: number;
}

/** Collects the speed of one endpoint. */
export interface LatencyRecord {
  add(pace: Pace): void;
  /** `null` while there are too few completions. */
  speed(): Speed | null;
}

/** Completions kept; older ones say little about the present. */
const REMEMBERED = 50;
const FEWEST = 4;

/** Creates an empty record of the latest completions. */
export function createLatencyRecord(): LatencyRecord {
  const latest: Pace[] = [];
  const percentile = (share: number, measured: (pace: Pace) => number): number => {
    const sorted = latest.map(measured).sort((one, other) => one - other);
    return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  };
  return {
    add(pace) {
      latest.push(pace);
      if (latest.length > REMEMBERED) latest.shift();
    },
    speed() {
      if (latest.length < FEWEST) return null;
      return {
        medianMs: percentile(0.5, ({ durationMs }) => durationMs),
        p75Ms: percentile(0.75, ({ durationMs }) => durationMs),
        firstPieceMs: percentile(0.75, ({ firstPieceMs }) => firstPieceMs),
        msPerCharacter: percentile(
          0.75,
          ({ durationMs, firstPieceMs, characters }) => (durationMs - firstPieceMs) / Math.max(1, characters),
        ),
      };
    },
  };
}

/** Records the speed of successful module completions. Texts are left out, because their length varies. */
export function withLatency(completer: Completer, record: LatencyRecord): Completer {
  return {
    generator: completer.generator,
    async complete(prompt, deadline, options) {
      const startedAt = performance.now();
      let firstPieceMs: number | undefined;
      let characters = 0;
      const completion = await completer.complete(prompt, deadline, {
        ...options,
        heard: (more) => {
          firstPieceMs ??= performance.now() - startedAt;
          characters += more;
          options?.heard?.(more);
        },
      });
      const { durationMs } = completion;
      if (options?.answer !== 'text')
        record.add({ durationMs, firstPieceMs: Math.min(firstPieceMs ?? durationMs, durationMs), characters });
      return completion;
    },
  };
}
