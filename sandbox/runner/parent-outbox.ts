import type { Call, RunReport } from '../contract.ts';
import { policy } from '../policy.ts';
import { inMicroseconds, type PlainRow, reportToRow } from '../report-wire.ts';
import { type CellMessage, pack, Texts } from '../wire.ts';
import type { Collector } from './collector.ts';
import { writeFrame } from './frames.ts';

/** How long reports may be held back to send many together. The parent's watchdog hears from us in between. */
const flushMs = 50;

/**
 * Sends the parent reports and calls together, with the number of the last frame that is dealt
 * with.
 */
export class ParentOutbox {
  readonly #collector: Collector;
  #plain: PlainRow[] = [];
  /** The values of `#plain`: a text for each row, and the lengths of what is in it. */
  #values: string[] = [];
  #lengths: number[] = [];
  #reports: { run: number; report: RunReport }[] = [];
  #calls: { run: number; call: number; made: Call }[] = [];
  /** Length of what is held back, as far as it can be large. */
  #heldLength = 0;
  #flushedAt = 0;
  #alone: number | undefined;
  #done = 0;

  constructor(collector: Collector) {
    this.#collector = collector;
  }

  /** Says that the cell is ready. */
  ready(): void {
    this.#send({ op: 'ready' });
  }

  /** Begins with a frame. */
  begin(): void {
    this.#flushedAt = performance.now();
  }

  /** Says that the frame of this number is finished, and sends what was held back. */
  finish(done: number): void {
    this.#done = done;
    this.#flush();
  }

  /** Takes the results of runs numbered one after another that returned and did nothing else. */
  returned(first: number, values: Texts, eachMs: number, eachCpuMs: number): void {
    this.#plain.push([first, values.lengths.length, inMicroseconds(eachMs), inMicroseconds(eachCpuMs)]);
    this.#values.push(values.joined);
    this.#lengths = this.#lengths.length === 0 ? [...values.lengths] : this.#lengths.concat(values.lengths);
    this.#hold(values.joined.length);
  }

  /** Takes the report of any other run that has ended. */
  report(run: number, report: RunReport): void {
    this.#reports.push({ run, report });
    let length = report.value?.length ?? 0;
    for (const { input, answer } of report.calls)
      length += input.length + (answer && 'output' in answer ? answer.output.length : 0);
    this.#hold(length);
  }

  /** Takes a call that the parent has to answer. */
  call(run: number, call: number, made: Call): void {
    this.#calls.push({ run, call, made });
    this.#hold(made.input.length);
  }

  /**
   * Says that this run is executed alone from now on, and what it gets on top of its time; `undefined` for several
   * runs.
   */
  alone(run: number | undefined, moreMs?: number): void {
    if (run === this.#alone && !moreMs) return;
    this.#alone = run;
    this.#send({ op: 'at', run: run ?? -1, ...(moreMs ? { moreMs } : {}) });
  }

  /** Sends what was held back for long. */
  progress(): void {
    if (performance.now() - this.#flushedAt > flushMs) this.#flush();
  }

  #hold(length: number): void {
    this.#heldLength += length;
    if (this.#heldLength > policy.flushBytes.default) this.#flush();
  }

  #flush(): void {
    const texts: string[] = [];
    const reports = this.#reports.map(({ run, report }) => reportToRow(run, report, texts));
    const calls = this.#calls.map(({ run, call, made }): [number, number, string | null] => {
      texts.push(made.input);
      return [run, call, made.tool];
    });
    const lengths = [...this.#lengths, ...texts.map((text) => text.length)];
    const all = new Texts([...this.#values, ...texts].join(''), lengths);
    this.#send({ op: 'news', done: this.#done, plain: this.#plain, reports, calls }, all);
    this.#plain = [];
    this.#values = [];
    this.#lengths = [];
    this.#reports = [];
    this.#calls = [];
    this.#heldLength = 0;
    this.#alone = undefined;
    this.#flushedAt = performance.now();
  }

  #send(message: CellMessage, texts = Texts.of([])): void {
    const text = pack(message, texts);
    // Nearly all of it has come out of isolates.
    this.#collector.noteText(text);
    writeFrame(text);
  }
}
