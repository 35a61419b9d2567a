import type { Answer, AnsweredCall, RunReport } from '../contract.ts';
import { type GuestMessage, type GuestNews, sendCommand } from '../guest/protocol.ts';
import { policy, type ResolvedLimits, runBudgetMs } from '../policy.ts';
import { pack, type RunTable, Texts } from '../wire.ts';
import { type ActiveRun, Batch, type GivenAnswer, timeOf } from './batch.ts';
import { type Crossing, enter, goOn, type Left, pollOnce } from './crossing.ts';
import type { Engine, EngineShelf, Realm } from './engine.ts';
import { positionIn, tidy, tidyLogs } from './guest-text.ts';
import type { Processor } from './processor.ts';

/** Where a handler puts what the parent is to hear. */
export interface Tidings {
  /** Takes the results of runs numbered one after another that returned and did nothing else. */
  returned(first: number, values: Texts, eachMs: number, eachCpuMs: number): void;
  /** Takes the report of any other run that has ended. */
  report(run: number, report: RunReport): void;
  /** Takes a call that the parent has to answer. */
  call(run: number, call: number, made: { tool: string | null; input: string }): void;
  /** Says that from now on this run alone is executed, and what it is given on top of its time; undefined where it is several. */
  alone(run: number | undefined, moreMs?: number): void;
  /** Lets reports go out if some have waited long. */
  progress(): void;
}

/** The share of a step's time below which the processor was not the run's for long enough to hold the rest of the time against it. */
const fairShare = 0.75;

type Ending = Pick<RunReport, 'end' | 'value' | 'message' | 'position'>;

/**
 * One bundle in an isolate of its own. Every run has the module to itself, and a realm that no run can change: the shared realm is frozen,
 * and a run that does not return there is made again in a context of its own, where its built-ins can be changed as anywhere. With
 * `freshContexts` every run is made in a context of its own.
 */
export class Handler {
  readonly #engines: EngineShelf;
  readonly #bundle: string;
  readonly #limits: ResolvedLimits;
  readonly #tidings: Tidings;
  readonly #processor: Processor;
  readonly #freshContexts: boolean;
  /** Runs that have not come to their end in the first step. */
  #active = new Map<number, ActiveRun>();
  #engine: Engine | undefined;
  #shared: Realm | undefined;
  /** How many runs share a step's time: fewer when some of them took long. */
  #chunkSize = 1;

  constructor(
    cell: { engines: EngineShelf; processor: Processor; tidings: Tidings; freshContexts: boolean },
    bundle: string,
    limits: ResolvedLimits,
  ) {
    this.#engines = cell.engines;
    this.#processor = cell.processor;
    this.#tidings = cell.tidings;
    this.#freshContexts = cell.freshContexts;
    this.#bundle = bundle;
    this.#limits = limits;
  }

  /** Whether no run of it is on its way. */
  get isIdle(): boolean {
    return this.#active.size === 0;
  }

  /** Starts runs and drives them until each has ended or waits for the parent. */
  run(table: RunTable, inputs: Texts): void {
    // See main.ts: what is emptied again and again is better made anew.
    if (this.isIdle) this.#active = new Map();
    for (const batch of Batch.ofFrame(table, inputs)) {
      if (this.#freshContexts) {
        this.#startEach(batch.runs());
        continue;
      }
      for (let at = 0; at < batch.size; ) {
        const chunk = batch.slice(at, this.#chunkSize);
        at += chunk.size;
        // Of a frame with one run the parent knows it.
        if (table.seeds.length > 1) this.#tidings.alone(chunk.size === 1 ? chunk.first : undefined);
        this.#startShared(chunk);
        this.#tidings.progress();
      }
    }
  }

  /** Hands the parent's answers to the calls that wait for them. */
  answer(atMs: number, answers: readonly GivenAnswer[]): void {
    // All answers to one run go in at once: one that has them all and does not go on waits for nothing that can come.
    let rest = [...Map.groupBy(answers, ({ run }) => run)];
    const several = rest.length > 1;
    while (rest.length > 0) {
      const first = this.#active.get((rest[0] as (typeof rest)[number])[0]);
      const realm = first?.realm;
      const nowMs = first ? timeOf(first, atMs, (rest[0] as (typeof rest)[number])[1].length) : 0;
      const fits = ([id, all]: (typeof rest)[number]) => {
        const run = this.#active.get(id);
        return run?.realm === realm && (!run || timeOf(run, atMs, all.length) === nowMs);
      };
      let count = 1;
      while (count < this.#chunkSize && count < rest.length && fits(rest[count] as (typeof rest)[number])) count += 1;
      const runs: ActiveRun[] = [];
      const given: GivenAnswer[] = [];
      for (const [id, all] of rest.slice(0, count)) {
        const answers = all.filter((one) => this.#accept(one));
        const run = answers.length > 0 ? this.#active.get(id) : undefined;
        if (!run) continue;
        run.stepped = run.steps.push({ nowMs, answers });
        runs.push(run);
        given.push(...answers);
      }
      rest = rest.slice(count);
      if (!realm || runs.length === 0) continue;
      const [only] = runs.length === 1 ? runs : [];
      // Of a frame for one run the parent knows it.
      if (several || only?.moreMs) this.#tidings.alone(only?.id, only?.moreMs);
      this.#processor.mark();
      this.#drive(realm, runs, { nowMs, begun: enter(realm, resumeText(nowMs, given), this.#limitsOf(runs)) });
      this.#tidings.progress();
    }
  }

  /** Takes an answer; whether the run waits for it in the guest, which one that is made again and does otherwise may not. */
  #accept({ run: id, call, answer }: GivenAnswer): boolean {
    const run = this.#active.get(id);
    const waiting = run?.calls[call];
    if (!run || !waiting || waiting.answer) return false;
    this.#take(run, waiting, answer);
    return this.#active.has(id) && call < run.made;
  }

  /** Notes an answer, unless it is too much. */
  #take(run: ActiveRun, call: AnsweredCall, answer: Answer): void {
    if (this.#exchange(run, 'output' in answer ? answer.output.length : answer.error.message.length))
      call.answer = answer;
  }

  /** Counts what a run says to its tools and hears from them, which all stands in its report; ends it where that is too much. */
  #exchange(run: ActiveRun, length: number): boolean {
    run.exchanged += length;
    if (run.exchanged <= policy.maxExchangeBytes.default) return true;
    this.#abandon(run, {
      end: 'threw',
      message: `exchanged more than ${policy.maxExchangeBytes.default} bytes with its tools`,
    });
    return false;
  }

  /** Ends a run that the parent gave up. */
  end(id: number): void {
    const run = this.#active.get(id);
    if (run) this.#abandon(run, { end: 'killed', message: 'ended by its host' });
  }

  dispose(): void {
    this.#active.clear();
    this.#shared = undefined;
    this.#engine?.dispose();
    this.#engine = undefined;
  }

  #startShared(chunk: Batch): void {
    const realm = this.#enterable(
      () => chunk.runs(),
      () => {
        this.#shared ??= this.#open(true);
        return this.#shared;
      },
    );
    if (!realm) return;
    this.#processor.mark();
    const begun = performance.now();
    const crossed = this.#enterStarting(realm, chunk, this.#limits);
    const eachMs = (performance.now() - begun) / chunk.size;
    const fitting = Math.floor(this.#limits.stepMs / 4 / Math.max(eachMs, 0.001));
    this.#chunkSize = Math.max(1, Math.min(this.#chunkSize * 4, fitting));
    if (!('left' in crossed) && this.#isAllReturned(crossed, chunk)) {
      this.#tidings.returned(chunk.first, crossed.texts, crossed.wallMs / chunk.size, crossed.cpuMs / chunk.size);
      return;
    }
    const runs = chunk.runs();
    for (const run of runs) {
      this.#move(run, realm);
      this.#active.set(run.id, run);
    }
    this.#drive(realm, runs, { nowMs: chunk.clock.beginMs, begun: crossed });
  }

  /** Whether every run returned and did nothing else, with results that need no second look. */
  #isAllReturned({ news, texts, again }: Crossing, chunk: Batch): boolean {
    if (again || news?.plain.length !== 2 || news.settled.length > 0 || news.calls.length > 0) return false;
    const [first, count] = news.plain;
    return first === chunk.first && count === chunk.size && texts.joined.length * 3 <= this.#limits.maxResultBytes;
  }

  #startEach(runs: readonly ActiveRun[]): void {
    for (const run of runs) {
      this.#tidings.alone(run.id);
      this.#active.set(run.id, run);
      this.#startAlone(run);
      this.#tidings.progress();
    }
  }

  /** Makes a run in a realm of its own: one that cannot be changed either, unless it may be that that it failed for. */
  #startAlone(run: ActiveRun, frozen = false): void {
    run.alone = !frozen;
    run.made = 0;
    run.stepped = 0;
    const realm = this.#enterable(
      () => [run],
      () => this.#open(frozen),
    );
    if (!realm) return;
    this.#move(run, realm);
    this.#processor.mark();
    const begun = this.#enterStarting(realm, run.batch, this.#limitsOf([run]));
    this.#drive(realm, [run], { nowMs: run.batch.clock.beginMs, begun });
  }

  #enterStarting(realm: Realm, chunk: Batch, limits: ResolvedLimits): Crossing | Left {
    const { tables } = chunk;
    if (tables.length > 0 && realm.tables !== tables) {
      realm.tables = tables;
      const brought = enter(realm, pack({ op: 'tables', tables } satisfies GuestMessage, Texts.of([])), limits);
      if ('left' in brought) return brought;
    }
    return enter(realm, chunk.startText(), limits);
  }

  /** The limits of a step of these runs. */
  #limitsOf([first]: readonly ActiveRun[]): ResolvedLimits {
    return first?.moreMs ? { ...this.#limits, stepMs: this.#limits.stepMs + first.moreMs } : this.#limits;
  }

  #open(shared: boolean): Realm {
    if (!this.#engine) {
      this.#engine = this.#engines.take(this.#limits.memoryMb);
      this.#engine.load(this.#bundle, this.#limits);
    }
    return this.#engine.open(shared);
  }

  /** Makes a realm; where the bundle itself is what fails, its runs end with that. */
  #enterable(runs: () => ActiveRun[], make: () => Realm): Realm | undefined {
    try {
      return make();
    } catch (error) {
      const disposed = this.#engine?.isolate.isDisposed ?? false;
      const message = `Cannot load bundle: ${error instanceof Error ? error.message : 'unknown fault'}`;
      for (const run of runs()) {
        if (disposed)
          this.#finish(run, { end: 'out-of-memory', message: 'the bundle does not fit into the memory limit' });
        else this.#finish(run, { end: 'threw', message });
      }
      this.#discardEngine();
      return undefined;
    }
  }

  /** Goes on from a first crossing until every run has ended or waits for the parent. */
  #drive(realm: Realm, runs: readonly ActiveRun[], { begun, ...at }: { begun: Crossing | Left; nowMs: number }): void {
    let { nowMs } = at;
    const limits = this.#limitsOf(runs);
    for (let crossed = begun; ; ) {
      if ('left' in crossed) {
        this.#lost(crossed, runs);
        return;
      }
      for (const run of runs) {
        run.guestMs += crossed.wallMs / runs.length;
        run.cpuMs += crossed.cpuMs / runs.length;
      }
      const resumed = crossed.news ? this.#hear(crossed.news, crossed.texts) : [];
      let message = crossed.again && runs.some((run) => this.#isIn(run, realm)) ? goOn : undefined;
      if (resumed.length > 0) message = resumeText(nowMs, resumed);
      // Only a run that is made again, which is alone, has steps that it has not had.
      const first = runs[0] as ActiveRun;
      const step = message === undefined && this.#isIn(first, realm) ? nextStep(first) : undefined;
      if (step) {
        nowMs = step.nowMs;
        message = resumeText(nowMs, step.answers);
      }
      if (runs.some((run) => this.#isIn(run, realm) && run.guestMs > runBudgetMs(limits))) {
        this.#lost({ left: 'timed-out' }, runs);
        return;
      }
      if (message === undefined || realm.users === 0) break;
      crossed = enter(realm, message, limits);
    }
    for (const run of runs) {
      // What it made when it was made before, and has not made again, it does not wait for.
      if (!this.#isIn(run, realm) || run.calls.slice(0, run.made).some((call) => !call.answer)) continue;
      this.#abandon(run, {
        end: 'timed-out',
        message: 'waits for something that can never come: its promise cannot settle',
      });
    }
  }

  #isIn(run: ActiveRun, realm: Realm): boolean {
    return run.realm === realm && this.#active.get(run.id) === run;
  }

  /** Takes in what the guest says; returns the answers that are there already and that it has not got. */
  #hear(news: GuestNews, texts: Texts): GivenAnswer[] {
    const again: ActiveRun[] = [];
    const ended = new Map<ActiveRun, { ending: Ending; logs: string[]; ids: string[] }>();
    this.#hearGiven(news, texts);
    for (let row = 0; row < news.plain.length; row += 2) {
      const [first, count] = [news.plain[row] as number, news.plain[row + 1] as number];
      for (let id = first; id < first + count; id += 1) {
        const value = texts.next();
        const run = this.#active.get(id);
        if (run) ended.set(run, { ending: { end: 'returned', value }, logs: [], ids: [] });
      }
    }
    for (const [id, returned, logCount, ids] of news.settled) {
      const text = texts.next();
      const stack = returned ? '' : texts.next();
      const logs = Array.from({ length: logCount }, () => texts.next());
      const run = this.#active.get(id);
      if (!run) continue;
      // The frozen realm may be the reason that it threw.
      if (!returned && !run.alone) again.push(run);
      else if (returned) ended.set(run, { ending: { end: 'returned', value: text }, logs, ids });
      else ended.set(run, { ending: { end: 'threw', message: text, ...positionIn(stack) }, logs, ids });
    }
    // Calls come before the end of the run that made them, whether it waited for them or not.
    const resumed: GivenAnswer[] = [];
    for (const [id, call, name, answered] of news.calls) {
      const input = texts.next();
      const run = this.#active.get(id);
      if (!run || again.includes(run)) continue;
      const answer = this.#hearCall(run, call, { tool: name === sendCommand ? null : name, input });
      if (answer && this.#active.has(id) && !answered && !ended.has(run)) resumed.push({ run: id, call, answer });
    }
    for (const [run, { ending, logs, ids }] of ended)
      if (this.#active.get(run.id) === run) this.#finish(run, ending, logs, ids);
    for (const run of again) {
      this.#tidings.alone(run.id);
      this.#startAlone(run);
    }
    return resumed;
  }

  /** Takes in the calls that were answered beforehand and are told late. */
  #hearGiven({ given }: GuestNews, texts: Texts): void {
    for (const [id, call, tool] of given) {
      const input = texts.next();
      const run = this.#active.get(id);
      if (run) this.#hearCall(run, call, { tool, input });
    }
  }

  /** Takes in a call; returns the answer that was prepared for it, if any, and passes the call on where there is none. */
  #hearCall(run: ActiveRun, call: number, { tool, input }: AnsweredCall): Answer | undefined {
    const known = run.calls[call];
    run.made = call + 1;
    if (known && (known.tool !== tool || known.input !== input)) {
      this.#abandon(run, {
        end: 'killed',
        message: 'its isolate was lost after it had made calls, and it did not make the same calls again',
      });
      return undefined;
    }
    const made: AnsweredCall = known ?? { tool, input };
    if (!known) {
      if (!this.#exchange(run, input.length)) return undefined;
      run.calls[call] = made;
    }
    const answer = run.batch.prepared(made);
    if (answer && !made.answer) this.#take(run, made, answer);
    if (!answer && !known) this.#tidings.call(run.id, call, { tool, input });
    return answer;
  }

  /** The isolate is of no more use. Of one run it is known whose doing that was; of several it is found out one by one. */
  #lost({ left, stepMs, refused }: Left, chunk: readonly ActiveRun[]): void {
    const running = chunk.filter((run) => this.#active.get(run.id) === run);
    const [only] = running.length === 1 ? running : [];
    const isGranted =
      only !== undefined &&
      (stepMs === undefined ? refused === true && grantMemory(only) : this.#grantMore(only, stepMs));
    if (left === 'timed-out' && only && !isGranted) this.#hearTheRest(only);
    this.#discardEngine();
    if (only && !isGranted && this.#active.get(only.id) === only) {
      only.guestMs = Math.max(only.guestMs, this.#limits.stepMs);
      this.#finish(
        only,
        left === 'timed-out'
          ? { end: 'timed-out', message: `took longer than ${this.#limits.stepMs} ms for a step` }
          : { end: 'out-of-memory', message: `used more than ${this.#limits.memoryMb} MB` },
      );
    }
    for (const run of [...this.#active.values()]) {
      if (!run.realm || run.realm.engine === this.#engine || this.#active.get(run.id) !== run) continue;
      this.#tidings.progress();
      this.#tidings.alone(run.id, run.moreMs);
      run.guestMs = 0;
      // In a realm like the one it was in: it must not see by it that another run was lost.
      this.#startAlone(run, !run.alone);
    }
  }

  /**
   * Whether a run whose step did not come to its end is made again with more time, once: where the machine is busy with other things, what the
   * run would come to with a processor says more of it than the clock does.
   */
  #grantMore(run: ActiveRun, tookMs: number): boolean {
    const share = this.#processor.usedMs() / tookMs;
    if (run.moreMs > 0 || share >= fairShare) return false;
    const { stepMs, watchdogMs } = this.#limits;
    run.moreMs = Math.ceil(Math.min(stepMs / share - stepMs, watchdogMs));
    return true;
  }

  /** Takes in what a run whose time is up has kept back. */
  #hearTheRest({ id, realm }: ActiveRun): void {
    this.#tidings.progress();
    this.#tidings.alone(id);
    const rest = realm && pollOnce(realm, this.#limits);
    if (rest) this.#hearGiven(rest.news, rest.texts);
  }

  /** Ends a run that the guest has not ended: it is still there, and a realm with leftovers takes no other run. */
  #abandon(run: ActiveRun, ending: Ending): void {
    if (run.realm === this.#shared) this.#shared = undefined;
    this.#finish(run, ending);
  }

  #finish(run: ActiveRun, ending: Ending, logs: readonly string[] = [], issuedIds: string[] = []): void {
    this.#active.delete(run.id);
    this.#tidings.report(run.id, {
      ...this.#checked(ending),
      logs: tidyLogs(logs, this.#limits.maxLogBytes),
      calls: run.calls,
      issuedIds,
      durationMs: run.guestMs,
      cpuMs: run.cpuMs,
    });
    this.#move(run, undefined);
  }

  /** Has a run enter a realm or leave the one that it is in. */
  #move(run: ActiveRun, realm: Realm | undefined): void {
    const left = run.realm;
    run.realm = realm;
    if (realm) realm.users += 1;
    if (!left) return;
    left.users -= 1;
    if (left.users === 0 && left !== this.#shared) left.engine.close(left);
  }

  /** An ending whose texts are within their limits; the guest counted characters. */
  #checked({ value, ...rest }: Ending): Ending {
    const { maxResultBytes } = this.#limits;
    if (value !== undefined && value.length * 3 > maxResultBytes && Buffer.byteLength(value) > maxResultBytes)
      return { end: 'threw', message: `the result is too large: at most ${maxResultBytes} bytes of JSON` };
    if (value !== undefined) return { ...rest, value };
    return { ...rest, message: tidy(rest.message ?? '', policy.maxMessageCharacters.default) };
  }

  #discardEngine(): void {
    this.#shared = undefined;
    this.#engine?.dispose();
    this.#engine = undefined;
  }
}

/** Whether a run that was refused memory is made again, once: in a new isolate nothing is taken by others. */
function grantMemory(run: ActiveRun): boolean {
  const isFirst = !run.again;
  run.again = true;
  return isFirst;
}

/** The next of the steps that a run had before it was made again, once it has made the calls that were answered in it. */
function nextStep(run: ActiveRun): ActiveRun['steps'][number] | undefined {
  const step = run.steps[run.stepped];
  if (!step?.answers.every(({ call }) => call < run.made)) return undefined;
  run.stepped += 1;
  return step;
}

/** Answers to runs, and what time it is. */
function resumeText(nowMs: number, answers: readonly GivenAnswer[]): string {
  const message: GuestMessage = {
    op: 'resume',
    nowMs,
    answers: answers.map(({ run, call, answer }) => [run, call, 'error' in answer ? answer.error.code : '']),
  };
  return pack(
    message,
    Texts.of(answers.map(({ answer }) => ('error' in answer ? answer.error.message : answer.output))),
  );
}
