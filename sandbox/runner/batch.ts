import canonicalize from 'canonicalize';
import type { Answer, AnsweredCall } from '../contract.ts';
import type { GuestKind, GuestMessage } from '../guest/protocol.ts';
import { type AnswerTable, pack, type RunSetting, type RunTable, type Texts } from '../wire.ts';

/** Settings that runs have in common. */
interface Setting {
  send: boolean;
  tools: readonly string[];
  /** Index of their prepared answers among the tables of the frame; -1 for none. */
  table: number;
}

/**
 * Runs of one clock, numbered one after another, in columns: most runs end without anybody looking at them one by one.
 */
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

  /** The runs of a frame, in one batch for each clock. */
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

  /** Cuts out `count` runs from the index `from` on. */
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

  /** The message that starts these runs in the guest. */
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

  /** The prepared answer to a call of the first run, if there is one for this input. */
  prepared({ tool, input }: AnsweredCall): Answer | undefined {
    const answers = this.tables[this.#settings[0]?.setting.table ?? -1];
    if (tool === null || !answers || !Object.hasOwn(answers, tool)) return undefined;
    const table = answers[tool] as Readonly<Record<string, Answer>>;
    // Most inputs are canonical already.
    if (Object.hasOwn(table, input)) return table[input];
    try {
      const key = canonicalize(JSON.parse(input)) ?? '';
      return Object.hasOwn(table, key) ? table[key] : undefined;
    } catch {
      // Nested too deep for a canonical form: so is no prepared input.
      return undefined;
    }
  }
}

/**
 * The clock of runs: when they begin, and how far it is ahead of the host's from then on, in milliseconds. Null: it
 * stands still except for `ticksMs`, one with each answer.
 */
export interface Clock {
  beginMs: number;
  aheadMs: number | null;
  ticksMs: readonly number[];
}
