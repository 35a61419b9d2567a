import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Answer, RunReport } from './contract.ts';
import type { Launch } from './launch.ts';
import { type OperatorLimits, policy, type ResolvedLimits } from './policy.ts';
import { cpuOf, inheritedDescriptors, leafOf, residentMbOf } from './processes.ts';
import { plainToReports, rowToReport } from './report-wire.ts';
import type { CellOptions } from './runner/main.ts';
import { SandboxError } from './sandbox-error.ts';
import { type CellMessage, frameHead, frameHeadBytes, type ParentMessage, pack, Texts, unpack } from './wire.ts';

/** How often a cell that is late is looked at in the time that its watchdog has. */
const looksPerWatchdog = 12;

/** Why a cell is gone. `exit` is the only one that was not our doing. */
export type Cause = 'exit' | 'watchdog' | 'memory' | 'frame' | 'closed';

/** What is known of a cell's death. */
export interface Death {
  cause: Cause;
  /** The frame it was at work on, if any. */
  frame: number | undefined;
  /** The run it said it was executing alone, if any. */
  run: number | undefined;
  /** How much more resident memory it was last seen to have than at rest; 0 where that is not known. */
  grownMb: number;
  /** The same, against the least that it ever had at rest: V8 keeps the pages of isolates that are gone, and who fills them makes nothing grow. */
  heldMb: number;
}

/** An answer on its way to the run that made the call. */
export interface GivenAnswer {
  run: number;
  call: number;
  answer: Answer;
}

/** One who has sent runs to a cell. */
export interface CellListener {
  report?(run: number, report: RunReport): void;
  call?(run: number, call: number, made: { tool: string | null; input: string }): void;
  /** Told when the cell has dealt with all that it was sent. */
  idle?(): void;
  died(death: Death): void;
}

/** Runs sent together: from the first on, as many as there are places; a place is 1 until the run's report is there. */
interface Batch {
  first: number;
  places: Uint8Array;
  left: number;
  listener: CellListener;
}

/** What a cell may take before it is ended, or lets go of handlers. */
export type CellLimits = Pick<OperatorLimits, 'cellMemoryMb' | 'cellRestMb' | 'isolatesPerCell'>;

type Unnumbered<T> = T extends unknown ? Omit<T, 'seq'> : never;

/** A sandbox process, as its parent sees it. What comes from it is believed in its form alone: it may have been taken over. */
export class Cell {
  readonly #child: ChildProcess;
  readonly #stdin: Writable;
  readonly #limits: CellLimits;
  #listeners: CellListener[] = [];
  /** Runs that have no report yet, in the order of their numbers. */
  #batches: Batch[] = [];
  /** Handlers loaded here, the one used last at the end. */
  readonly #loaded = new Set<number>();
  #chunks: Buffer[] = [];
  #buffered = 0;
  #sent = 0;
  #done = 0;
  /** The frames with runs that are not dealt with. */
  #owed: { frame: number; since: number }[] = [];
  #waitedMs = 0;
  #alone: number | undefined;
  #cause: Cause = 'exit';
  #watchdogMs: number = policy.cellStartMs.default;
  #watchdog: NodeJS.Timeout | undefined;
  #cpuSince: number | undefined;
  #looks = 0;
  /** What a run alone was given on top of its time, as the cell says: as much as the watchdog's time at most. */
  #moreMs = 0;
  #poll: NodeJS.Timeout | undefined;
  #idlePolls = 0;
  /** Resident memory at rest, the least that it ever was there, and as it was seen last. */
  #restMb: number | undefined;
  #leastMb = Number.POSITIVE_INFINITY;
  #residentMb = 0;
  #leaf: number | undefined;
  #ready: { resolve(): void; reject(error: Error): void } | undefined;
  /** Called when the cell has dealt with all it was sent. */
  onIdle: (() => void) | undefined;
  dead: Death | undefined;

  private constructor(child: ChildProcess, isGrouped: boolean, limits: CellLimits) {
    this.#child = child;
    this.#limits = limits;
    this.#stdin = child.stdin as Writable;
    child.stdout?.on('data', (chunk: Buffer) => this.#receive(chunk));
    // A broken pipe is told by the exit.
    this.#stdin.on('error', () => {});
    child.stdout?.on('error', () => {});
    child.on('error', (error) => this.#exited(error));
    // Not at the exit: what it said before it died is still in the pipe then.
    child.on('close', (code, signal) => {
      clearTimeout(leftOpen);
      this.#exited(new Error(`ended with ${signal ?? code}`));
    });
    // One that was ended while its walls went up may leave a process behind that holds the pipes for ever.
    let leftOpen: NodeJS.Timeout | undefined;
    child.on('exit', () => {
      if (isGrouped && child.pid !== undefined) killQuietly(-child.pid);
      leftOpen = setTimeout(() => {
        for (const pipe of child.stdio) pipe?.destroy();
      }, policy.cellEndMs.default);
    });
  }

  /** Starts a cell; resolves once it says that it is ready. Rejects with `PLATFORM_SANDBOX_START`. */
  static async start(launch: Launch, code: string, addon: string, limits: CellLimits): Promise<Cell> {
    const options: CellOptions = {
      addon,
      maxFrameBytes: policy.maxFrameBytes.default,
      freshContexts: launch.strict.includes('fresh-contexts'),
      strayDescriptors: inheritedDescriptors(),
    };
    // A group of their own for the processes around a cell, so that none is left behind that no longer hears of its parent's end, or not yet.
    const isGrouped = launch.level === 'namespaces' || launch.level === 'bubblewrap';
    const child = spawn(
      launch.command,
      [...launch.args, ...launch.nodeArgs, '--eval', code, '--', JSON.stringify(options)],
      {
        cwd: '/',
        detached: isGrouped,
        env: {},
        stdio: ['pipe', 'pipe', 'pipe', ...(launch.seccomp ? (['pipe'] as const) : [])],
      },
    );
    let said = '';
    // Read for the reason of a failed start; afterwards thrown away, for it may be the guest's doing.
    child.stderr?.on('data', (chunk: Buffer) => {
      if (said.length < 500) said += chunk.toString().slice(0, 500);
    });
    const seccomp = child.stdio[3] as Writable | undefined;
    seccomp?.on('error', () => {});
    seccomp?.end(launch.seccomp);
    const cell = new Cell(child, isGrouped, limits);
    const timer = setTimeout(() => cell.kill('watchdog'), policy.cellStartMs.default);
    try {
      await new Promise<void>((resolve, reject) => {
        cell.#ready = { resolve, reject };
      });
    } catch (error) {
      const reason = said.trim().split('\n')[0] || (error as Error).message;
      throw new SandboxError('PLATFORM_SANDBOX_START', `Cannot start cell: ${reason.slice(0, 300)}`);
    } finally {
      clearTimeout(timer);
    }
    return cell;
  }

  /** Process id of the innermost process, the one that runs guests; undefined where the system does not tell. */
  get leaf(): number | undefined {
    this.#leaf ??= leafOf(this.#child.pid);
    return this.#leaf;
  }

  /** How many frames of runs it has been sent and has not dealt with. */
  get owed(): number {
    return this.#owed.length;
  }

  /** How long frames of runs have waited here for those before them. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Whether it has runs that all wait for answers from outside, so that it needs no processor. */
  get waitsOutside(): boolean {
    return this.#sent === this.#done && this.#batches.length > 0;
  }

  /** Whether the handler is loaded here. */
  has(handler: number): boolean {
    return this.#loaded.has(handler);
  }

  /** Loads a handler unless it is here; the one used longest ago makes room for it, or all of them where memory is short. */
  load(handler: number, bundle: string, limits: ResolvedLimits): void {
    this.#watchdogMs = limits.watchdogMs;
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

  /** Whether handlers that have nothing to do have left so much in their isolates that another would have too little. */
  #isFilled(): boolean {
    if (this.#loaded.size === 0 || this.#batches.length > 0 || this.leaf === undefined) return false;
    this.#rested(residentMbOf(this.leaf));
    return this.#residentMb > this.#limits.cellRestMb;
  }

  /** Lets go of a handler that is loaded here. */
  drop(handler: number): void {
    if (this.#loaded.delete(handler) && !this.dead) this.#send({ op: 'drop', handler });
  }

  /** Adds one who wants to hear of deaths; runs are announced with `run`. */
  attach(listener: CellListener): void {
    this.#listeners.push(listener);
  }

  /** The opposite of `attach`. */
  detach(listener: CellListener): void {
    this.#listeners = this.#listeners.filter((one) => one !== listener);
  }

  /** Sends runs; their reports and calls go to the listener. Gives the number of the frame. */
  run(
    message: Omit<Extract<ParentMessage, { op: 'run' }>, 'op' | 'seq'>,
    inputs: readonly string[],
    listener: CellListener,
  ): number {
    const left = inputs.length;
    this.#batches.push({ first: message.first, places: new Uint8Array(left).fill(1), left, listener });
    const frame = this.#send({ op: 'run', ...message }, Texts.of(inputs));
    this.#owed.push({ frame, since: performance.now() });
    return frame;
  }

  /** Answers calls that runs of a handler here wait for; `atMs` is what time it is for the host. Gives the number of the frame. */
  answer(handler: number, atMs: number, answers: readonly GivenAnswer[]): number {
    return this.#send(
      {
        op: 'answers',
        handler,
        atMs,
        answers: answers.map(({ run, call, answer }) => [run, call, 'error' in answer ? answer.error.code : '']),
      },
      Texts.of(answers.map(({ answer }) => ('error' in answer ? answer.error.message : answer.output))),
    );
  }

  /** Ends a run of a handler here as soon as it waits. */
  end(handler: number, run: number): void {
    this.#send({ op: 'end', handler, run });
  }

  /** Ends the process, whatever it does. */
  kill(cause: Cause): void {
    if (this.dead) return;
    this.#cause = cause;
    const { leaf } = this;
    const killChild = () => this.#child.kill('SIGKILL');
    if (leaf === undefined || leaf === this.#child.pid) {
      killChild();
      return;
    }
    // What is around it waits for it, and then ends by itself; ended at once, it would leave a zombie to a process 1 that waits for nobody.
    killQuietly(leaf);
    setTimeout(killChild, policy.cellEndMs.default).unref();
  }

  #send(message: Unnumbered<ParentMessage>, texts = Texts.of([])): number {
    const text = pack({ seq: this.#sent + 1, ...message }, texts);
    const bytes = Buffer.byteLength(text);
    if (frameHeadBytes + bytes > policy.maxFrameBytes.default) {
      throw new SandboxError(
        'PLATFORM_SANDBOX_FRAME',
        `Cannot send frame: ${bytes} bytes, wanted at most ${policy.maxFrameBytes.default}`,
      );
    }
    // What it took for another is no sign of what it takes now.
    if (this.#sent === this.#done) this.#residentMb = this.#restMb ?? 0;
    this.#sent += 1;
    // As one text: buffers of that size keep the garbage collector busy. What is ASCII need not be encoded.
    this.#stdin.write(frameHead(bytes) + text, bytes === text.length ? 'latin1' : 'utf8');
    this.#watch();
    return this.#sent;
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    try {
      for (let frame = this.#nextFrame(); frame; frame = this.#nextFrame()) {
        // What is said after we ended it is not heard.
        if (this.dead || this.#cause !== 'exit') return;
        this.#hear(frame.toString());
      }
    } catch {
      this.kill('frame');
    }
  }

  /** The next whole frame, if it is there. Throws where the length in front is not allowed. */
  #nextFrame(): Buffer | undefined {
    if (this.#buffered < frameHeadBytes) return undefined;
    if ((this.#chunks[0] as Buffer).length < frameHeadBytes) this.#chunks = [Buffer.concat(this.#chunks)];
    const end = frameHeadBytes + Number.parseInt((this.#chunks[0] as Buffer).toString('latin1', 0, frameHeadBytes), 16);
    if (!(end <= policy.maxFrameBytes.default)) throw new RangeError('Cannot read frame: too long');
    if (this.#buffered < end) return undefined;
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#chunks = all.length > end ? [all.subarray(end)] : [];
    this.#buffered = all.length - end;
    return all.subarray(frameHeadBytes, end);
  }

  #hear(text: string): void {
    const { header, texts } = unpack<CellMessage>(text);
    if (header.op === 'ready') {
      this.#ready?.resolve();
      return;
    }
    if (header.op === 'at') {
      this.#alone = header.run < 0 ? undefined : header.run;
      this.#watch(header.moreMs);
      return;
    }
    this.#done = header.done;
    while (this.#owed.length > 0 && (this.#owed[0]?.frame as number) <= this.#done) {
      this.#owed.shift();
      this.#waitedMs += this.#owed[0] ? performance.now() - this.#owed[0].since : 0;
    }
    this.#alone = undefined;
    this.#watch();
    const next = () => texts.next();
    // Nobody is told of a frame that is not good to its end.
    const heard = header.plain.flatMap((row) => plainToReports(row, next));
    for (const row of header.reports) heard.push(rowToReport(row, next));
    const calls = header.calls.map(([run, call, tool]) => ({ run, call, made: { tool, input: next() } }));
    // Before the ends, for a run may have called and not waited.
    for (const { run, call, made } of calls) this.#batchOf(run)?.listener.call?.(run, call, made);
    let batch: Batch | undefined;
    for (const { run, report } of heard) {
      if (!batch || !isOpenIn(batch, run)) batch = this.#batchOf(run);
      if (!batch) continue;
      batch.places[run - batch.first] = 0;
      batch.left -= 1;
      if (batch.left === 0) this.#batches.splice(this.#batches.indexOf(batch), 1);
      batch.listener.report?.(run, report);
    }
    if (this.#sent !== this.#done) return;
    for (const listener of this.#listeners) listener.idle?.();
    this.onIdle?.();
  }

  /** Whose run this is, as long as there is no report of it. */
  #batchOf(run: number): Batch | undefined {
    return this.#batches.find((batch) => isOpenIn(batch, run));
  }

  /** The watchdog runs while the cell owes an answer, and starts anew with every sign of life. */
  #watch(moreMs = 0): void {
    if (this.#sent === this.#done || this.dead || moreMs !== this.#moreMs || this.#looks > 0) {
      clearTimeout(this.#watchdog);
      this.#watchdog = undefined;
    }
    if (this.#sent === this.#done || this.dead) return;
    this.#looks = 0;
    this.#moreMs = moreMs;
    this.#cpuSince = undefined;
    if (this.#watchdog) this.#watchdog.refresh();
    else this.#watchdog = setTimeout(() => this.#late(), this.#allowedMs);
    this.#idlePolls = 0;
    if (!this.#poll) {
      this.#poll = setInterval(() => this.#look(), policy.memoryPollMs.default);
      this.#poll.unref();
    }
  }

  get #allowedMs(): number {
    return this.#watchdogMs + Math.min(this.#moreMs, this.#watchdogMs);
  }

  /** A cell that got no processor time is not at fault: it is given more of the clock, and no more of it than it takes to have some. */
  #late(): void {
    const cpuMs = this.leaf === undefined ? undefined : cpuOf(this.leaf);
    const used = cpuMs === undefined ? Number.POSITIVE_INFINITY : cpuMs - (this.#cpuSince ?? 0);
    if (used < this.#allowedMs / 4 && this.#looks < 2 * looksPerWatchdog) {
      this.#looks += 1;
      this.#watchdog = setTimeout(() => this.#late(), this.#watchdogMs / looksPerWatchdog);
      return;
    }
    this.kill('watchdog');
  }

  #look(): void {
    if (this.#sent === this.#done) {
      this.#idlePolls += 1;
      if (this.#idlePolls === 1) this.#rested(this.leaf === undefined ? undefined : residentMbOf(this.leaf));
      // An idle cell's memory does not change.
      if (this.#idlePolls > 40) {
        clearInterval(this.#poll);
        this.#poll = undefined;
      }
      return;
    }
    const { leaf } = this;
    if (leaf === undefined) return;
    this.#cpuSince ??= cpuOf(leaf);
    const residentMb = residentMbOf(leaf);
    if (residentMb === undefined) return;
    this.#residentMb = residentMb;
    if (this.#restMb === undefined) this.#rested(residentMb);
    if (residentMb > this.#limits.cellMemoryMb) this.kill('memory');
  }

  #rested(residentMb: number | undefined): void {
    if (residentMb === undefined) return;
    this.#restMb = residentMb;
    this.#residentMb = residentMb;
    this.#leastMb = Math.min(this.#leastMb, residentMb);
  }

  #exited(error: Error): void {
    if (this.dead) return;
    clearTimeout(this.#watchdog);
    clearInterval(this.#poll);
    this.dead = {
      cause: this.#cause,
      frame: this.#sent > this.#done ? this.#done + 1 : undefined,
      run: this.#alone,
      grownMb: this.#residentMb - (this.#restMb ?? this.#residentMb),
      heldMb: this.#residentMb - Math.min(this.#leastMb, this.#residentMb),
    };
    this.#ready?.reject(error);
    for (const listener of this.#listeners) listener.died(this.dead);
  }
}

function isOpenIn({ first, places }: Batch, run: number): boolean {
  return places[run - first] === 1;
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was faster.
  }
}
