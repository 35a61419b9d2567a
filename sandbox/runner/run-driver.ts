import type { Answer, AnsweredCall } from '../contract.ts';
import { policy, type ResolvedLimits, runBudgetMs } from '../policy.ts';
import type { GivenAnswer } from '../wire.ts';
import { type ActiveRun, countExchange, runsOf, takeStep } from './active-run.ts';
import type { Batch } from './batch.ts';
import type { CpuMeter } from './cpu-meter.ts';
import { type Crossing, enter, goOn, type LostIsolate, pollOnce } from './crossing.ts';
import type { Realm } from './engine.ts';
import type { ParentOutbox } from './parent-outbox.ts';
import type { Realms } from './realms.ts';
import { type Ending, reportOf } from './run-report.ts';
import { grantSecondChance } from './second-chance.ts';
import { type EndedRun, haveAllReturned, type MadeCall, readEarlierCalls, readOutput } from './step-output.ts';
import { enterToStart, resumeText } from './steps.ts';

/** The answers to the calls of one run. */
export type RunAnswers = readonly [run: number, answers: readonly GivenAnswer[]];

/** Drives the runs of one bundle, step by step, until each has ended or waits for the parent. */
export class RunDriver {
  readonly #realms: Realms;
  readonly #limits: ResolvedLimits;
  readonly #outbox: ParentOutbox;
  readonly #cpu: CpuMeter;
  /** Runs that have not ended in their first step. */
  #active = new Map<number, ActiveRun>();

  constructor(cell: { outbox: ParentOutbox; cpu: CpuMeter }, realms: Realms, limits: ResolvedLimits) {
    this.#outbox = cell.outbox;
    this.#cpu = cell.cpu;
    this.#realms = realms;
    this.#limits = limits;
  }

  /** Whether no run is under way. */
  get isIdle(): boolean {
    return this.#active.size === 0;
  }

  /** The run of this number, if it is under way. */
  activeRun(id: number): ActiveRun | undefined {
    return this.#active.get(id);
  }

  /**
   * Starts a batch of runs in the realm that they share. Returns the time that each took, in milliseconds, if
   * there is such a realm.
   */
  startShared(batch: Batch): number | undefined {
    const realm = this.#openOrFinish(
      () => runsOf(batch),
      () => this.#realms.openShared(),
    );
    if (!realm) return undefined;
    this.#cpu.mark();
    const begun = performance.now();
    const crossed = enterToStart(realm, batch, this.#limits);
    const eachMs = (performance.now() - begun) / batch.size;
    if (!('lost' in crossed) && this.#needsNoLook(crossed, batch)) {
      this.#outbox.returned(batch.first, crossed.texts, crossed.wallMs / batch.size, crossed.cpuMs / batch.size);
      return eachMs;
    }
    // A map that is emptied again and again costs more than a new one.
    if (this.isIdle) this.#active = new Map();
    const runs = runsOf(batch);
    for (const run of runs) {
      this.#realms.move(run, realm);
      this.#active.set(run.id, run);
    }
    this.#drive(realm, runs, { nowMs: batch.clock.beginMs, begun: crossed });
    return eachMs;
  }

  /** Whether all runs returned and did nothing else, with results that are certainly small enough. */
  #needsNoLook({ output, texts, again }: Crossing, batch: Batch): boolean {
    return !again && haveAllReturned(output, batch) && texts.joined.length * 3 <= this.#limits.maxResultBytes;
  }

  /** Starts each run of a batch in a context of its own. */
  startEach(batch: Batch): void {
    for (const run of runsOf(batch)) {
      this.#outbox.alone(run.id);
      this.#active.set(run.id, run);
      this.#startAlone(run);
      this.#outbox.progress();
    }
  }

  /**
   * Gives answers to runs that are in one realm and have the same time. `isOnlyRun`: the frame was about one run, so
   * the parent knows which one.
   */
  resume(together: readonly RunAnswers[], nowMs: number, isOnlyRun: boolean): void {
    const realm = this.#active.get(together[0]?.[0] ?? -1)?.realm;
    const runs: ActiveRun[] = [];
    const given: GivenAnswer[] = [];
    for (const [id, all] of together) {
      const answers = all.filter((one) => this.#accept(one));
      const run = answers.length > 0 ? this.#active.get(id) : undefined;
      if (!run) continue;
      run.stepped = run.steps.push({ nowMs, answers });
      runs.push(run);
      given.push(...answers);
    }
    if (!realm || runs.length === 0) return;
    const [only] = runs.length === 1 ? runs : [];
    if (!isOnlyRun || only?.moreMs) this.#outbox.alone(only?.id, only?.moreMs);
    this.#cpu.mark();
    this.#drive(realm, runs, { nowMs, begun: enter(realm, resumeText(nowMs, given), this.#limitsOf(runs)) });
    this.#outbox.progress();
  }

  /** Ends a run that the parent gave up. */
  end(id: number): void {
    const run = this.#active.get(id);
    if (run) this.#abandon(run, { end: 'killed', message: 'ended by its host' });
  }

  dispose(): void {
    this.#active.clear();
    this.#realms.discard();
  }

  /** Takes an answer. Whether the run waits for it in the guest: one that is repeated may do something else. */
  #accept({ run: id, call, answer }: GivenAnswer): boolean {
    const run = this.#active.get(id);
    const made = run?.calls[call];
    if (!run || !made || made.answer) return false;
    this.#noteAnswer(run, made, answer);
    return this.#active.has(id) && call < run.made;
  }

  #noteAnswer(run: ActiveRun, made: AnsweredCall, answer: Answer): void {
    if (this.#exchange(run, 'output' in answer ? answer.output.length : answer.error.message.length))
      made.answer = answer;
  }

  /** Ends a run that exchanges too much with its tools; whether it goes on. */
  #exchange(run: ActiveRun, length: number): boolean {
    if (countExchange(run, length)) return true;
    this.#abandon(run, {
      end: 'threw',
      message: `exchanged more than ${policy.maxExchangeBytes.default} bytes with its tools`,
    });
    return false;
  }

  /** Makes a run in a realm of its own. That is frozen too, unless the frozen realm may be what the run failed for. */
  #startAlone(run: ActiveRun, frozen = false): void {
    run.alone = !frozen;
    run.made = 0;
    run.stepped = 0;
    const realm = this.#openOrFinish(
      () => [run],
      () => this.#realms.open(frozen),
    );
    if (!realm) return;
    this.#realms.move(run, realm);
    this.#cpu.mark();
    const begun = enterToStart(realm, run.batch, this.#limitsOf([run]));
    this.#drive(realm, [run], { nowMs: run.batch.clock.beginMs, begun });
  }

  /** The limits of a step of these runs. */
  #limitsOf([first]: readonly ActiveRun[]): ResolvedLimits {
    return first?.moreMs ? { ...this.#limits, stepMs: this.#limits.stepMs + first.moreMs } : this.#limits;
  }

  /** Opens a realm. If the bundle itself fails, its runs end with that. */
  #openOrFinish(runs: () => ActiveRun[], open: () => Realm): Realm | undefined {
    try {
      return open();
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown fault';
      const ending: Ending = this.#realms.areOutOfMemory
        ? { end: 'out-of-memory', message: 'the bundle does not fit into the memory limit' }
        : { end: 'threw', message: `Cannot load bundle: ${why}` };
      for (const run of runs()) this.#finish(run, ending);
      this.#realms.discard();
      return undefined;
    }
  }

  /** Continues after the first step of runs until each has ended or waits for the parent. */
  #drive(
    realm: Realm,
    runs: readonly ActiveRun[],
    { begun, ...at }: { begun: Crossing | LostIsolate; nowMs: number },
  ): void {
    let { nowMs } = at;
    const limits = this.#limitsOf(runs);
    for (let crossed = begun; ; ) {
      if ('lost' in crossed) {
        this.#loseIsolate(crossed, runs);
        return;
      }
      for (const run of runs) {
        run.guestMs += crossed.wallMs / runs.length;
        run.cpuMs += crossed.cpuMs / runs.length;
      }
      const answers = crossed.output ? this.#takeOutput(crossed.output, crossed.texts) : [];
      let message = crossed.again && runs.some((run) => this.#isIn(run, realm)) ? goOn : undefined;
      if (answers.length > 0) message = resumeText(nowMs, answers);
      // Only a run that is repeated, which is alone, has recorded steps left.
      const first = runs[0] as ActiveRun;
      const step = message === undefined && this.#isIn(first, realm) ? takeStep(first) : undefined;
      if (step) {
        nowMs = step.nowMs;
        message = resumeText(nowMs, step.answers);
      }
      if (runs.some((run) => this.#isIn(run, realm) && run.guestMs > runBudgetMs(limits))) {
        this.#loseIsolate({ lost: 'timed-out' }, runs);
        return;
      }
      if (message === undefined || realm.users === 0) break;
      crossed = enter(realm, message, limits);
    }
    this.#abandonStuck(realm, runs);
  }

  /**
   * Ends the runs that wait for none of their calls. Calls that a run made the time before and has not made again do
   * not count.
   */
  #abandonStuck(realm: Realm, runs: readonly ActiveRun[]): void {
    for (const run of runs) {
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

  /** Reads what the guest says. Returns the answers that are known already and that the guest does not have. */
  #takeOutput(...output: Parameters<typeof readOutput>): GivenAnswer[] {
    const { earlierCalls, ended, calls } = readOutput(...output);
    this.#takeEarlierCalls(earlierCalls);
    const startAgain: ActiveRun[] = [];
    const ends = new Map<ActiveRun, EndedRun>();
    for (const end of ended) {
      const run = this.#active.get(end.run);
      if (!run) continue;
      // The frozen realm may be the reason why it threw.
      if (end.ending.end === 'threw' && !run.alone) startAgain.push(run);
      else ends.set(run, end);
    }
    // Calls come before the end of the run that made them, even if it did not wait for them.
    const answers: GivenAnswer[] = [];
    for (const { run: id, call, made, isAnswered } of calls) {
      const run = this.#active.get(id);
      if (!run || startAgain.includes(run)) continue;
      const answer = this.#takeCall(run, call, made);
      if (answer && this.#active.has(id) && !isAnswered && !ends.has(run)) answers.push({ run: id, call, answer });
    }
    for (const [run, end] of ends) if (this.#active.get(run.id) === run) this.#finish(run, end.ending, end);
    for (const run of startAgain) {
      this.#outbox.alone(run.id);
      this.#startAlone(run);
    }
    return answers;
  }

  #takeEarlierCalls(calls: readonly MadeCall[]): void {
    for (const { run: id, call, made } of calls) {
      const run = this.#active.get(id);
      if (run) this.#takeCall(run, call, made);
    }
  }

  /**
   * Reads a call. Returns its prepared answer if there is one; otherwise passes the call on to the parent.
   */
  #takeCall(run: ActiveRun, call: number, { tool, input }: AnsweredCall): Answer | undefined {
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
    if (answer && !made.answer) this.#noteAnswer(run, made, answer);
    if (!answer && !known) this.#outbox.call(run.id, call, { tool, input });
    return answer;
  }

  /** Gives up an isolate. One run alone is at fault; several are repeated one by one to find out. */
  #loseIsolate(loss: LostIsolate, runs: readonly ActiveRun[]): void {
    const running = runs.filter((run) => this.#active.get(run.id) === run);
    const [only] = running.length === 1 ? running : [];
    const isGranted = only !== undefined && grantSecondChance(only, loss, this.#limits, this.#cpu);
    if (loss.lost === 'timed-out' && only && !isGranted) this.#takeHeldBackCalls(only);
    this.#realms.discard();
    if (only && !isGranted && this.#active.get(only.id) === only) {
      only.guestMs = Math.max(only.guestMs, this.#limits.stepMs);
      this.#finish(
        only,
        loss.lost === 'timed-out'
          ? { end: 'timed-out', message: `took longer than ${this.#limits.stepMs} ms for a step` }
          : { end: 'out-of-memory', message: `used more than ${this.#limits.memoryMb} MB` },
      );
    }
    for (const run of [...this.#active.values()]) {
      if (!run.realm || this.#realms.has(run.realm) || this.#active.get(run.id) !== run) continue;
      this.#outbox.progress();
      this.#outbox.alone(run.id, run.moreMs);
      run.guestMs = 0;
      // In a realm like the one it was in, so that it cannot see that another run was lost.
      this.#startAlone(run, !run.alone);
    }
  }

  /** Reads the calls that a run made before its time was up. */
  #takeHeldBackCalls({ id, realm }: ActiveRun): void {
    this.#outbox.progress();
    this.#outbox.alone(id);
    const rest = realm && pollOnce(realm, this.#limits);
    if (rest) this.#takeEarlierCalls(readEarlierCalls(rest.output, rest.texts));
  }

  /** Ends a run that is still in the guest: its realm takes no other run. */
  #abandon(run: ActiveRun, ending: Ending): void {
    this.#realms.retire(run.realm);
    this.#finish(run, ending);
  }

  #finish(run: ActiveRun, ending: Ending, said: { logs: string[]; ids: string[] } = { logs: [], ids: [] }): void {
    this.#active.delete(run.id);
    this.#outbox.report(run.id, reportOf(run, ending, said, this.#limits));
    this.#realms.move(run, undefined);
  }
}
