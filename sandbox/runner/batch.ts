import canonicalize from 'canonicalize';
import type { Answer, AnsweredCall } from '../contract.ts';
import type { GuestKind, GuestMessage } from '../guest/protocol.ts';
import { type AnswerTable, pack, type RunSetting, type RunTable, type Texts } from '../wire.ts';
import type { Realm } from './engine.ts';

/** What runs have in common. */
interface Setting {
  send: boolean;
  tools: readonly string[];
  /** Which of the frame's tables is theirs. */
  table: number;
}

/** An answer to a call that a run has made. */
export interface GivenAnswer {
  run: number;
  call: number;
  answer: Answer;
}

/** A run on its way. */
export interface ActiveRun {
  readonly id: number;
  /** The batch of this run alone, for starting it again. */
  readonly batch: Batch;
  readonly calls: AnsweredCall[];
  /** How many of `calls` the guest has made since it was last started; fewer than there are while it is started again. */
  made: number;
  /** The steps in which it was given answers of the parent's, and what time it was in each: made again, it is given them as it was the first time. */
  readonly steps: { nowMs: number; answers: readonly GivenAnswer[] }[];
  /** How many of `steps` it has had since it was last started. */
  stepped: number;
  realm: Realm | undefined;
  alone: boolean;
  /** Whether it was made again for memory that it was refused. */
  again: boolean;
  /** What it is given on top of a step's time. */
  moreMs: number;
  /** Length of what it has said to tools and heard from them. */
  exchanged: number;
  guestMs: number;
  cpuMs: number;
}

/** Runs of one clock, numbered one after another, in columns: most come to their end without ever being looked at one by one. */
export class Batch {
  readonly first: number;
  readonly clock: Clock;
  /** All tables of the frame. */
  readonly tables: readonly AnswerTable[];
  readonly #seeds: readonly string[];
  readonly #settings: readonly { setting: Setting; runs: number }[];
  readonly #inputs: Texts;

  private constructor(
    common: { clock: Clock; tables: readonly AnswerTable[] },
    columns: {
      first: number;
      seeds: readonly string[];
      settings: readonly { setting: Setting; runs: number }[];
      inputs: Texts;
    },
  ) {
    this.clock = common.clock;
    this.tables = common.tables;
    this.first = columns.first;
    this.#seeds = columns.seeds;
    this.#settings = columns.settings;
    this.#inputs = columns.inputs;
  }

  /** The runs of a frame, one batch for each clock. */
  static ofFrame({ first, seeds, settings, tools, answers }: RunTable, inputs: Texts): Batch[] {
    const batches: Batch[] = [];
    let at = 0;
    for (const group of Map.groupBy(settings, (row) => row.slice(0, 3).join(' ')).values()) {
      const [[nowMs, aheadMs, ticksMs]] = group as [RunSetting];
      const runs = group.reduce((sum, row) => sum + row[6], 0);
      batches.push(
        new Batch(
          { clock: { beginMs: nowMs, aheadMs, ticksMs }, tables: answers },
          {
            first: first + at,
            seeds: seeds.slice(at, at + runs),
            settings: group.map(([, , , send, list, table, count]) => ({
              setting: { send, tools: tools[list] ?? [], table },
              runs: count,
            })),
            inputs: inputs.slice(at, runs),
          },
        ),
      );
      at += runs;
    }
    return batches;
  }

  get size(): number {
    return this.#seeds.length;
  }

  /** So many runs from one place on. */
  slice(from: number, count: number): Batch {
    if (from === 0 && count >= this.size) return this;
    const to = Math.min(from + count, this.size);
    let at = 0;
    const settings = this.#settings.flatMap(({ setting, runs }) => {
      const inside = Math.min(at + runs, to) - Math.max(at, from);
      at += runs;
      return inside > 0 ? [{ setting, runs: inside }] : [];
    });
    return new Batch(this, {
      first: this.first + from,
      seeds: this.#seeds.slice(from, to),
      settings,
      inputs: this.#inputs.slice(from, to - from),
    });
  }

  /** Its runs, each for itself. */
  runs(): ActiveRun[] {
    return this.#seeds.map((_, index) => ({
      id: this.first + index,
      batch: this.slice(index, 1),
      calls: [],
      made: 0,
      steps: [],
      stepped: 0,
      realm: undefined,
      alone: false,
      again: false,
      moreMs: 0,
      exchanged: 0,
      guestMs: 0,
      cpuMs: 0,
    }));
  }

  /** The message that starts it in the guest. */
  startText(): string {
    const message: GuestMessage = {
      op: 'start',
      nowMs: this.clock.beginMs,
      first: this.first,
      seeds: this.#seeds,
      kinds: this.#settings.map(({ setting: { send, tools, table }, runs }): GuestKind => [send, tools, table, runs]),
    };
    return pack(message, this.#inputs);
  }

  /** The answer known beforehand to a call of its first run, if there is one for this input. */
  prepared({ tool, input }: AnsweredCall): Answer | undefined {
    const answers = this.tables[this.#settings[0]?.setting.table ?? -1];
    if (tool === null || !answers || !Object.hasOwn(answers, tool)) return undefined;
    const table = answers[tool] as Readonly<Record<string, Answer>>;
    // What is a canonical form already, as most inputs are, need not be brought into it.
    if (Object.hasOwn(table, input)) return table[input];
    try {
      const key = canonicalize(JSON.parse(input)) ?? '';
      return Object.hasOwn(table, key) ? table[key] : undefined;
    } catch {
      // Nested deeper than the canonical form can be made: no prepared answer is.
      return undefined;
    }
  }
}

/**
 * The clock of runs: the time at which they begin, and by how much it goes ahead of the host's from then on; null where it stands still but for
 * `ticksMs`, one with each answer.
 */
export interface Clock {
  beginMs: number;
  aheadMs: number | null;
  ticksMs: readonly number[];
}

/** What a run's clock says, at a time of the host's, in the step in which it is given so many answers. */
export function timeOf({ batch, steps }: ActiveRun, atMs: number, given: number): number {
  const { beginMs, aheadMs, ticksMs } = batch.clock;
  if (aheadMs !== null) return atMs + aheadMs;
  if (ticksMs.length === 0) return beginMs;
  const count = steps.reduce((sum, { answers }) => sum + answers.length, given);
  let timeMs = beginMs;
  for (let nth = 0; nth < count; nth += 1) timeMs += ticksMs[nth % ticksMs.length] as number;
  return timeMs;
}
