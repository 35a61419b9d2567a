import { latencyQuantile } from '../../telemetry/heartbeat.ts';
import type { Situation } from '../situation/situation.ts';
import type { Series } from './chart.ts';

/** Seconds between two samples, and how many are kept: half an hour. */
export const SAMPLE_SECONDS = 10;
const MOST_SAMPLES = 180;

/** Most lines of a chart: the most frequent names. */
const MOST_LINES = 5;

/** A chart of samples. */
export interface SampledChart {
  title: string;
  lines: Series[];
  show?: (value: number) => string;
}

/** The latest situations that were seen while the console ran, in memory. */
export class Samples {
  readonly #taken: Situation[] = [];

  add(situation: Situation): void {
    this.#taken.push(situation);
    if (this.#taken.length > MOST_SAMPLES) this.#taken.shift();
  }

  /** The time between the first and the last sample. */
  get spanSeconds(): number {
    const [first, last] = [this.#taken[0], this.#taken.at(-1)];
    return first === undefined || last === undefined ? 0 : (last.atMs - first.atMs) / 1_000;
  }

  /** The charts of the overview. Counts of outcomes are those of the five minutes before each sample. */
  series(): SampledChart[] {
    const line = (name: string, read: (one: Situation) => number | null | undefined): Series => ({
      name,
      values: this.#taken.map((one) => read(one) ?? null),
    });
    return [
      {
        title: 'Jobs',
        lines: [
          line('waiting', ({ queue }) => queue && queue.counts.waiting + queue.counts.prioritized),
          line('running', ({ queue }) => queue?.counts.active),
        ],
      },
      { title: 'Outcomes by verdict', lines: this.#counted(({ recent }) => recent.verdicts) },
      { title: 'Errors by code', lines: this.#counted(({ recent }) => recent.codes) },
      {
        title: 'Seconds from job to outcome',
        lines: [
          line('p50', ({ recent }) => latencyQuantile(recent, 0.5)),
          line('p99', ({ recent }) => latencyQuantile(recent, 0.99)),
        ],
      },
      {
        title: 'Tokens',
        lines: [
          line('in', ({ recent }) => recent.work.inputTokens ?? 0),
          line('out', ({ recent }) => recent.work.outputTokens ?? 0),
        ],
      },
      { title: 'US dollars, where prices are known', lines: [line('spent', ({ recent }) => recent.work.costUsd)] },
      {
        title: 'Handlers',
        lines: [
          line('made', ({ recent }) => recent.work.made ?? 0),
          line('reused', ({ recent }) => recent.work.reused ?? 0),
        ],
      },
    ];
  }

  #counted(read: (one: Situation) => Readonly<Record<string, number>>): Series[] {
    const totals = new Map<string, number>();
    for (const one of this.#taken)
      for (const [name, count] of Object.entries(read(one))) totals.set(name, (totals.get(name) ?? 0) + count);
    const names = [...totals].sort(([, one], [, other]) => other - one).map(([name]) => name);
    return names.slice(0, MOST_LINES).map((name) => ({
      name,
      values: this.#taken.map((one) => (one.queue === null ? null : (read(one)[name] ?? 0))),
    }));
  }
}
