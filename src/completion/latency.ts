import type { Completer } from '../contract/completion.ts';

/** How fast one completion came. */
export interface Pace {
  durationMs: number;
  /** Until its first piece. */
  firstPieceMs: number;
  /** All that came, what was said beside the answer included. */
  characters: number;
}

/** How fast completions of one endpoint came lately. */
export interface Speed {
  /** Half of them were there by then. */
  medianMs: number;
  /** Three in four were there by then. */
  p75Ms: number;
  /** Three in four had begun by then. */
  firstPieceMs: number;
  /** Three in four took no longer than that for a character, once they had begun. */
  msPerCharacter: number;
}

/** How fast completions of one endpoint came lately, as it is noted. */
export interface LatencyRecord {
  add(pace: Pace): void;
  /** `null` while there are too few completions to tell. */
  speed(): Speed | null;
}

/** Completions remembered; older ones say little about now. */
const REMEMBERED = 50;
const FEWEST = 4;

/** A record of the latest completions. */
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

/** Records how fast the modules of a completer come, those that succeed: a text may be of any length. */
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
