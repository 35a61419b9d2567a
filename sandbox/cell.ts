import type { CellListener } from './cell-listener.ts';
import { CellProcess } from './cell-process.ts';
import { CellWatch } from './cell-watch.ts';
import type { RunReport } from './contract.ts';
import type { Cause, Death } from './death.ts';
import { FrameReader } from './frame-reader.ts';
import type { Launch } from './launch.ts';
import { OpenRuns } from './open-runs.ts';
import { type OperatorLimits, policy, type ResolvedLimits } from './policy.ts';
import { inheritedDescriptors } from './processes.ts';
import { plainToReports, rowToReport } from './report-wire.ts';
import { SandboxError } from './sandbox-error.ts';
import { SentFrames } from './sent-frames.ts';
import {
  answersToRows,
  type CellMessage,
  frameHead,
  frameHeadBytes,
  type GivenAnswer,
  type ParentMessage,
  pack,
  Texts,
  unpack,
} from './wire.ts';

/** How much a cell may take before it is ended, or before it unloads handlers. */
export type CellLimits = Pick<OperatorLimits, 'cellMemoryMb' | 'cellRestMb' | 'isolatesPerCell'>;

type News = Extract<CellMessage, { op: 'news' }>;
type Unnumbered<T> = T extends unknown ? Omit<T, 'seq'> : never;

/**
 * A sandbox process as its parent sees it. The parent checks the form of its messages and trusts nothing in
 * them: the cell may have been taken over.
 */
export class Cell {
  readonly #process: CellProcess;
  readonly #limits: CellLimits;
  readonly #watch: CellWatch;
  readonly #reader = new FrameReader();
  readonly #frames = new SentFrames();
  readonly #openRuns = new OpenRuns();
  readonly #started = Promise.withResolvers<void>();
  #listeners: CellListener[] = [];
  /** Handlers loaded here, the one used last at the end. */
  readonly #loaded = new Set<number>();
  /** The run that the cell says it is executing alone. */
  #aloneRun: number | undefined;
  #cause: Cause = 'exit';
  /** Called when the cell has finished every frame that it was sent. */
  onIdle: (() => void) | undefined;
  dead: Death | undefined;

  private constructor(launch: Launch, code: string, addon: string, limits: CellLimits) {
    this.#limits = limits;
    const options = {
      addon,
      maxFrameBytes: policy.maxFrameBytes.default,
      freshContexts: launch.strict.includes('fresh-contexts'),
      strayDescriptors: inheritedDescriptors(),
    };
    this.#process = CellProcess.start(launch, code, options, {
      onData: (chunk) => this.#receive(chunk),
      onEnd: (error) => this.#died(error),
    });
    const kill = (cause: Cause) => this.kill(cause);
    this.#watch = new CellWatch(() => this.leaf, kill, limits.cellMemoryMb);
  }

  /** Starts a cell; resolves once it says that it is ready. Rejects with `PLATFORM_SANDBOX_START`. */
  static async start(launch: Launch, code: string, addon: string, limits: CellLimits): Promise<Cell> {
    const cell = new Cell(launch, code, addon, limits);
    const timer = setTimeout(() => cell.kill('watchdog'), policy.cellStartMs.default);
    try {
      await cell.#started.promise;
    } catch (error) {
      const reason = cell.#process.complaint.trim().split('\n')[0] || (error as Error).message;
      throw new SandboxError('PLATFORM_SANDBOX_START', `Cannot start cell: ${reason.slice(0, 300)}`);
    } finally {
      clearTimeout(timer);
    }
    return cell;
  }

  /** Process id of the innermost process, which runs guests; `undefined` if the system does not say. */
  get leaf(): number | undefined {
    return this.#process.leaf;
  }

  /** How many frames with runs it has not finished. */
  get openFrames(): number {
    return this.#frames.openWithRuns;
  }

  /** How long frames with runs have waited here for those before them, in milliseconds. */
  get waitedMs(): number {
    return this.#frames.waitedMs;
  }

  /** Whether it has runs that all wait for answers from outside, so that it needs no processor. */
  get waitsOutside(): boolean {
    return this.#frames.areDone && !this.#openRuns.isEmpty;
  }

  /** Whether the handler is loaded here. */
  has(handler: number): boolean {
    return this.#loaded.has(handler);
  }

  /**
   * Loads a handler unless it is loaded. Unloads the one used longest ago to make room, or all of them if memory is
   * short.
   */
  load(handler: number, bundle: string, limits: ResolvedLimits): void {
    this.#watch.watchdogMs = limits.watchdogMs;
    if (this.#loaded.delete(handler)) {
      this.#loaded.add(handler);
      return;
    }
    const [oldest] = this.#loaded;
    if (this.#isFilled()) for (const one of this.#loaded) this.drop(one);
    else if (oldest !== undefined && this.#loaded.size >= this.#limits.isolatesPerCell) this.drop(oldest);
    this.#loaded.add(handler);
    this.#send({ op: 'load', handler, limits }, Texts.of([bundle]));
  }

  /** Whether idle handlers have left so much in their isolates that another one would have too little. */
  #isFilled(): boolean {
    if (this.#loaded.size === 0 || !this.#openRuns.isEmpty || this.leaf === undefined) return false;
    this.#watch.lookAtRest();
    return this.#watch.memory.lastMb > this.#limits.cellRestMb;
  }

  /** Unloads a handler if it is loaded here. */
  drop(handler: number): void {
    if (this.#loaded.delete(handler) && !this.dead) this.#send({ op: 'drop', handler });
  }

  /** Adds a listener for deaths; `run` tells the cell whose runs are whose. */
  attach(listener: CellListener): void {
    this.#listeners.push(listener);
  }

  /** The opposite of `attach`. */
  detach(listener: CellListener): void {
    this.#listeners = this.#listeners.filter((one) => one !== listener);
  }

  /** Sends runs; the listener gets their reports and calls. Returns the number of the frame. */
  run(
    message: Omit<Extract<ParentMessage, { op: 'run' }>, 'op' | 'seq'>,
    inputs: readonly string[],
    listener: CellListener,
  ): number {
    this.#openRuns.add(message.first, inputs.length, listener);
    const frame = this.#send({ op: 'run', ...message }, Texts.of(inputs));
    this.#frames.noteRuns(frame);
    return frame;
  }

  /**
   * Answers calls that runs of a handler wait for; `atMs` is the host's time. Returns the number of the frame.
   */
  answer(handler: number, atMs: number, answers: readonly GivenAnswer[]): number {
    const { rows, texts } = answersToRows(answers);
    return this.#send({ op: 'answers', handler, atMs, answers: rows }, texts);
  }

  /** Ends a run of a handler as soon as it waits. */
  end(handler: number, run: number): void {
    this.#send({ op: 'end', handler, run });
  }

  /** Ends the process, whatever it does. */
  kill(cause: Cause): void {
    if (this.dead) return;
    this.#cause = cause;
    this.#process.kill();
  }

  #send(message: Unnumbered<ParentMessage>, texts = Texts.of([])): number {
    const text = pack({ seq: this.#frames.next, ...message }, texts);
    const bytes = Buffer.byteLength(text);
    if (frameHeadBytes + bytes > policy.maxFrameBytes.default) {
      throw new SandboxError(
        'PLATFORM_SANDBOX_FRAME',
        `Cannot send frame: ${bytes} bytes, wanted at most ${policy.maxFrameBytes.default}`,
      );
    }
    if (this.#frames.areDone) this.#watch.memory.beginWork();
    const frame = this.#frames.add();
    // As one text: buffers of that size keep the garbage collector busy. ASCII need not be encoded.
    this.#process.write(frameHead(bytes) + text, bytes === text.length ? 'latin1' : 'utf8');
    this.#noteActivity();
    return frame;
  }

  #receive(chunk: Buffer): void {
    this.#reader.push(chunk);
    try {
      for (let frame = this.#reader.next(); frame; frame = this.#reader.next()) {
        // Once we have ended it, we no longer listen.
        if (this.dead || this.#cause !== 'exit') return;
        this.#take(frame.toString());
      }
    } catch {
      this.kill('frame');
    }
  }

  #take(text: string): void {
    const { header, texts } = unpack<CellMessage>(text);
    if (header.op === 'ready') this.#started.resolve();
    else if (header.op === 'news') this.#takeNews(header, texts);
    else {
      this.#aloneRun = header.run < 0 ? undefined : header.run;
      this.#noteActivity(header.moreMs);
    }
  }

  #takeNews(news: News, texts: Texts): void {
    this.#frames.noteDone(news.done);
    this.#aloneRun = undefined;
    this.#noteActivity();
    const { calls, reports } = readNews(news, texts);
    // Calls before reports: a run may have made a call and not waited for its answer.
    for (const { run, call, made } of calls) this.#openRuns.listenerOf(run)?.call?.(run, call, made);
    for (const { run, report } of reports) this.#openRuns.close(run)?.report?.(run, report);
    if (!this.#frames.areDone) return;
    for (const listener of this.#listeners) listener.idle?.();
    this.onIdle?.();
  }

  #noteActivity(moreMs = 0): void {
    if (this.#frames.areDone || this.dead) this.#watch.atRest();
    else this.#watch.atWork(moreMs);
  }

  #died(error: Error): void {
    if (this.dead) return;
    this.#watch.stop();
    const { grownMb, heldMb } = this.#watch.memory;
    this.dead = { cause: this.#cause, frame: this.#frames.current, run: this.#aloneRun, grownMb, heldMb };
    this.#started.reject(error);
    for (const listener of this.#listeners) listener.died(this.dead);
  }
}

/** Reads a whole frame before any of it is passed on. Throws for anything that no intact cell writes. */
function readNews(
  news: News,
  texts: Texts,
): {
  calls: { run: number; call: number; made: { tool: string | null; input: string } }[];
  reports: { run: number; report: RunReport }[];
} {
  const next = () => texts.next();
  const reports = news.plain.flatMap((row) => plainToReports(row, next));
  for (const row of news.reports) reports.push(rowToReport(row, next));
  const calls = news.calls.map(([run, call, tool]) => ({ run, call, made: { tool, input: next() } }));
  return { calls, reports };
}
