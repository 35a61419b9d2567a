import { latencyQuantile } from '../../telemetry/heartbeat.ts';
import type { Situation } from '../situation/situation.ts';
import type { Series } from './chart.ts';
import { MINUTES, OutcomeMinutes } from './outcome-minutes.ts';

/** Seconds between two samples. */
export const SAMPLE_SECONDS = 10;

/** Seconds of one point of a line: two samples, so that one that comes late leaves no gap. */
const POINT_SECONDS = 2 * SAMPLE_SECONDS;
const POINTS = (MINUTES * 60) / POINT_SECONDS;

/** A chart of samples. */
export interface SampledChart {
  title: string;
  lines: Series[];
}

/** What was seen of the installation over the last thirty minutes, as far back as the console runs. In memory. */
export class Samples {
  readonly outcomes = new OutcomeMinutes();
  readonly #taken: Situation[] = [];

  add(situation: Situation): void {
    this.#taken.push(situation);
    while (this.#point(this.#taken[0] ?? situation) < 0) this.#taken.shift();
  }

  /** When the console took its oldest sample, in milliseconds since 1970; `null` before the first one. */
  get sinceMs(): number | null {
    return this.#taken[0]?.atMs ?? null;
  }

  /** The charts of the overview. */
  series(): SampledChart[] {
    return [
      {
        title: 'Jobs',
        lines: [
          this.#line('waiting', ({ queue }) => queue && queue.counts.waiting + queue.counts.prioritized),
          this.#line('running', ({ queue }) => queue?.counts.active),
        ],
      },
      { title: 'Outcomes a minute, by verdict', lines: this.outcomes.lines('verdicts') },
      { title: 'Errors a minute, by code', lines: this.outcomes.lines('codes') },
      {
        title: 'Seconds from job to outcome',
        lines: [
          this.#line('p50', ({ recent }) => latencyQuantile(recent, 0.5)),
          this.#line('p99', ({ recent }) => latencyQuantile(recent, 0.99)),
        ],
      },
      {
        title: 'Tokens in five minutes',
        lines: [
          this.#line('in', ({ recent }) => recent.work.inputTokens ?? 0),
          this.#line('out', ({ recent }) => recent.work.outputTokens ?? 0),
        ],
      },
      {
        title: 'US dollars in five minutes, where prices are known',
        lines: [this.#line('spent', ({ recent }) => recent.work.costUsd)],
      },
      {
        title: 'Handlers in five minutes',
        lines: [
          this.#line('made', ({ recent }) => recent.work.made ?? 0),
          this.#line('reused', ({ recent }) => recent.work.reused ?? 0),
        ],
      },
    ];
  }

  #line(name: string, read: (one: Situation) => number | null | undefined): Series {
    const values: (number | null)[] = Array(POINTS).fill(null);
    for (const one of this.#taken) values[this.#point(one)] = read(one) ?? null;
    return { name, values };
  }

  /** The place of a sample in a line, which ends with the latest one. */
  #point({ atMs }: Situation): number {
    const latestMs = this.#taken.at(-1)?.atMs ?? atMs;
    return POINTS - 1 - Math.round((latestMs - atMs) / 1_000 / POINT_SECONDS);
  }
}
