import type { EndedJob } from '../../../queues/index.ts';
import type { Series } from './chart.ts';
import { toneOf } from './layout.ts';

const MINUTE_MS = 60_000;

/** How many minutes are kept. */
export const MINUTES = 30;

/** Lines of a chart at most; the most frequent ones. */
const MOST_LINES = 5;

type Kind = 'verdicts' | 'codes';

/** The outcomes of each of the last thirty minutes, also of those before the console started. */
export class OutcomeMinutes {
  readonly #minutes = new Map<number, Record<Kind, Map<string, number>>>();
  #latest = 0;

  /** Reads the jobs that ended since the last look. Rejects like `ended`. */
  async look(ended: (sinceMs: number) => AsyncIterable<EndedJob>, nowMs: number): Promise<void> {
    const minute = Math.floor(nowMs / MINUTE_MS);
    const oldest = minute - MINUTES + 1;
    // The minute of the last look had not ended then.
    const from = Math.max(oldest, this.#latest);
    const counts = new Map<number, Record<Kind, Map<string, number>>>();
    for (let one = from; one <= minute; one += 1) counts.set(one, { verdicts: new Map(), codes: new Map() });
    for await (const { endedAtMs, verdict, codes } of ended(from * MINUTE_MS)) {
      const counted = counts.get(Math.floor(endedAtMs / MINUTE_MS));
      if (counted === undefined) continue;
      add(counted.verdicts, verdict);
      for (const code of codes) add(counted.codes, code);
    }
    for (const [one, counted] of counts) this.#minutes.set(one, counted);
    for (const one of this.#minutes.keys()) if (one < oldest) this.#minutes.delete(one);
    this.#latest = minute;
  }

  /** A line for each of the most frequent verdicts or codes: its count in each minute, and in all of them. */
  lines(kind: Kind): Series[] {
    const minutes = Array.from({ length: MINUTES }, (_, index) => this.#latest - MINUTES + 1 + index);
    const totals = new Map<string, number>();
    for (const { [kind]: counts } of this.#minutes.values())
      for (const [name, count] of counts) add(totals, name, count);
    const named = [...totals].sort(([, one], [, other]) => other - one).slice(0, MOST_LINES);
    return named.map(([name, total]) => ({
      name,
      tone: toneOf(name),
      shown: total,
      values: minutes.map((minute) => {
        const counts = this.#minutes.get(minute);
        return counts === undefined ? null : (counts[kind].get(name) ?? 0);
      }),
    }));
  }
}

function add(counts: Map<string, number>, name: string, more = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + more);
}
