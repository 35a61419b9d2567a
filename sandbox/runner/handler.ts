import canonicalize from 'canonicalize';
import type ivm from 'isolated-vm';
import type { Answer, AnsweredCall, RunReport } from '../contract.ts';
import {
  comeAgain,
  type GuestClock,
  type GuestKind,
  type GuestMessage,
  type GuestNews,
  sendCommand,
} from '../guest/glue.ts';
import { policy, type ResolvedLimits, runBudgetMs } from '../policy.ts';
import { type AnswerTable, pack, type RunSetting, type RunTable, unpack } from '../wire.ts';
import type { Engine, EngineShelf, Realm } from './engine.ts';
import { positionIn, tidy, tidyLogs } from './guest-text.ts';

/** Where a handler puts what the parent is to hear. */
export interface Tidings {
  /** Takes the result of a run that returned and did nothing else. */
  returned(run: number, value: string, guestMs: number, cpuMs: number): void;
  /** Takes the report of any other run that has ended. */
  report(run: number, report: RunReport): void;
  /** Takes a call that the parent has to answer. */
  call(run: number, call: number, made: { tool: string | null; input: string }): void;
  /** Says that from now on this run alone is executed; undefined where it is several. */
  alone(run: number | undefined): void;
  /** Lets reports go out if some have waited long. */
  progress(): void;
}

/** What a run has in common with others of its frame. */
interface Setting {
  clock: GuestClock;
  send: boolean;
  tools: readonly string[];
  /** All tables of the frame, and which of them is its own. */
  tables: readonly AnswerTable[];
  table: number;
}

/** An answer to a call that a run has made. */
interface GivenAnswer {
  run: number;
  call: number;
  answer: Answer;
}

/** A run on its way. */
interface Active {
  id: number;
  seed: string;
  setting: Setting;
  input: string;
  calls: AnsweredCall[];
  /** How many of `calls` the guest has made since it was last started; fewer than there are while it is started again. */
  made: number;
  realm: Realm | undefined;
  alone: boolean;
  /** Length of what it has said to tools and heard from them. */
  exchanged: number;
  guestMs: number;
  cpuMs: number;
}

type Ending = Pick<RunReport, 'end' | 'value' | 'message' | 'position'>;

/** What became of an isolate that did not come back. */
interface Left {
  kind: 'timed-out' | 'out-of-memory';
}

/** Runs of one chunk share a step's time; when some of them took long, fewer go together. */
const largestChunk = 64;

/** The share of its limit above which a heap counts as full. */
const fullShare = 0.8;

/** How far a live run's clock may be from the host's for it to follow the host's as it is. */
const clockSlackMs = 1_000;

/**
 * One bundle in an isolate of its own. Every run has the module to itself, and a realm that no run can change: the shared realm is frozen,
 * and a run that does not return there is made again in a context of its own, where its built-ins can be changed as anywhere.
 */
export class Handler {
  readonly #engines: EngineShelf;
  readonly #bundle: string;
  readonly #limits: ResolvedLimits;
  readonly #tidings: Tidings;
  #active = new Map<number, Active>();
  #engine: Engine | undefined;
  #shared: Realm | undefined;
  #chunkSize = 1;

  constructor(engines: EngineShelf, bundle: string, limits: ResolvedLimits, tidings: Tidings) {
    this.#engines = engines;
    this.#bundle = bundle;
    this.#limits = limits;
    this.#tidings = tidings;
  }

  get memoryMb(): number {
    return this.#limits.memoryMb;
  }

  /** Starts runs and drives them until each has ended or waits for the parent. */
  run({ runs, seeds, setting, settings, tools, answers }: RunTable, inputs: readonly string[]): void {
    // See main.ts: what is emptied again and again is better made anew.
    if (this.#active.size === 0) this.#active = new Map();
    const resolved = settings.map((row) => settingOf(row, tools, answers));
    const asked = runs.map((id, index): Active => {
      const active: Active = {
        id,
        seed: seeds[index] as string,
        setting: resolved[setting[index] as number] as Setting,
        input: inputs[index] as string,
        calls: [],
        made: 0,
        exchanged: 0,
        realm: undefined,
        alone: false,
        guestMs: 0,
        cpuMs: 0,
      };
      this.#active.set(id, active);
      return active;
    });
    // A step has one clock.
    const groups = settings.length === 1 ? [asked] : [...Map.groupBy(asked, clockOf).values()];
    for (const group of groups) {
      for (let at = 0; at < group.length; ) {
        const chunk = group.slice(at, at + this.#chunkSize);
        at += chunk.length;
        // Of a frame with one run the parent knows it.
        if (runs.length > 1) this.#tidings.alone(chunk.length === 1 ? chunk[0]?.id : undefined);
        this.#startShared(chunk);
        this.#tidings.progress();
      }
    }
  }

  /** Hands the parent's answers to the calls that wait for them. */
  answer(answers: readonly GivenAnswer[]): void {
    // All answers to one run go in at once: one that has them all and does not go on waits for nothing that can come.
    let rest = [...Map.groupBy(answers, ({ run }) => run)];
    const several = rest.length > 1;
    while (rest.length > 0) {
      const first = this.#active.get((rest[0] as (typeof rest)[number])[0]);
      const realm = first?.realm;
      const fits = ([id]: (typeof rest)[number]) => {
        const run = this.#active.get(id);
        return run?.realm === realm && (!run || !first || clockOf(run) === clockOf(first));
      };
      let count = 1;
      while (count < this.#chunkSize && count < rest.length && fits(rest[count] as (typeof rest)[number])) count += 1;
      const given = rest.slice(0, count).flatMap(([, all]) => all.filter((one) => this.#accept(one)));
      rest = rest.slice(count);
      const chunk = [...new Set(given.map(({ run }) => run))].flatMap((id) => this.#active.get(id) ?? []);
      if (!first || !realm || chunk.length === 0) continue;
      // Of a frame for one run the parent knows it.
      if (several) this.#tidings.alone(chunk.length === 1 ? chunk[0]?.id : undefined);
      this.#drive(realm, chunk, resumeText(first.setting.clock, given));
      this.#tidings.progress();
    }
  }

  /** Takes an answer; whether the run waits for it in the guest. */
  #accept({ run: id, call, answer }: GivenAnswer): boolean {
    const run = this.#active.get(id);
    const waiting = run?.calls[call];
    if (!run || !waiting || waiting.answer) return false;
    this.#take(run, waiting, answer);
    return this.#active.has(id) && call < run.made;
  }

  /** Notes an answer; a run that exchanges too much, all of which stands in its report, is ended. */
  #take(run: Active, call: AnsweredCall, answer: Answer): void {
    call.answer = answer;
    run.exchanged += 'output' in answer ? answer.output.length : answer.error.message.length;
    if (run.exchanged <= policy.maxExchangeBytes.default) return;
    delete call.answer;
    this.#abandon(run, {
      end: 'threw',
      message: `exchanged more than ${policy.maxExchangeBytes.default} bytes with its tools`,
    });
  }

  /** Ends a run that the parent gave up. */
  end(id: number): void {
    const run = this.#active.get(id);
    if (run) this.#abandon(run, { end: 'killed', message: 'ended by its host' });
  }

  dispose(): void {
    this.#active.clear();
    this.#shared = undefined;
    this.#engine?.isolate.dispose();
    this.#engine = undefined;
  }

  #startShared(chunk: Active[]): void {
    const realm = this.#enterable(chunk, () => {
      this.#shared ??= this.#open(true);
      return this.#shared;
    });
    if (!realm) return;
    for (const run of chunk) run.realm = realm;
    const before = performance.now();
    this.#start(realm, chunk);
    const eachMs = (performance.now() - before) / chunk.length;
    const fitting = Math.floor(this.#limits.stepMs / 4 / Math.max(eachMs, 0.001));
    this.#chunkSize = Math.max(1, Math.min(largestChunk, this.#chunkSize * 4, fitting));
  }

  #startAlone(run: Active): void {
    run.alone = true;
    run.made = 0;
    const realm = this.#enterable([run], () => this.#open(false));
    if (!realm) return;
    run.realm = realm;
    this.#start(realm, [run]);
  }

  #start(realm: Realm, chunk: readonly Active[]): void {
    const { tables } = (chunk[0] as Active).setting;
    if (tables.length > 0 && realm.tables !== tables) {
      realm.tables = tables;
      const entered = this.#enter(realm, pack({ op: 'tables', tables } satisfies GuestMessage, []), chunk);
      if ('kind' in entered) {
        this.#lost(entered, chunk);
        return;
      }
    }
    this.#drive(realm, chunk, startText(chunk));
  }

  #open(shared: boolean): Realm {
    if (!this.#engine) {
      this.#engine = this.#engines.take(this.#limits.memoryMb);
      this.#engine.load(this.#bundle, this.#limits);
    }
    return this.#engine.open(shared);
  }

  /** Makes a realm; where the bundle itself is what fails, its runs end with that. */
  #enterable(chunk: Active[], make: () => Realm): Realm | undefined {
    try {
      return make();
    } catch (error) {
      const disposed = this.#engine?.isolate.isDisposed ?? false;
      const message = `Cannot load bundle: ${error instanceof Error ? error.message : 'unknown fault'}`;
      for (const run of chunk) {
        if (disposed)
          this.#finish(run, { end: 'out-of-memory', message: 'the bundle does not fit into the memory limit' });
        else this.#finish(run, { end: 'threw', message });
      }
      this.#discardEngine();
      return undefined;
    }
  }

  /** Enters the realm with the text and goes on until every run of the chunk has ended or waits for the parent. */
  #drive(realm: Realm, chunk: readonly Active[], text: string): void {
    const { clock } = (chunk[0] as Active).setting;
    const go = pack({ op: 'go', ...clock } satisfies GuestMessage, []);
    let message: string | undefined = text;
    while (message !== undefined && realm.engine === this.#engine) {
      const entered = this.#enter(realm, message, chunk);
      if ('kind' in entered) {
        this.#lost(entered, chunk);
        return;
      }
      const again = entered.news.startsWith(comeAgain);
      const resume = this.#hear(again ? entered.news.slice(comeAgain.length) : entered.news, clock);
      message = resume ?? (again && chunk.some((run) => this.#isIn(run, realm)) ? go : undefined);
      if (chunk.some((run) => this.#isIn(run, realm) && run.guestMs > runBudgetMs(this.#limits))) {
        this.#lost({ kind: 'timed-out' }, chunk);
        return;
      }
    }
    for (const run of chunk) {
      if (!this.#isIn(run, realm) || run.calls.some((call) => !call.answer)) continue;
      this.#abandon(run, {
        end: 'timed-out',
        message: 'waits for something that can never come: its promise cannot settle',
      });
    }
  }

  #isIn(run: Active, realm: Realm): boolean {
    return run.realm === realm && this.#active.get(run.id) === run;
  }

  /** One crossing into the guest and back. What ends it is told by the isolate and the clock, never by what an error says. */
  #enter(realm: Realm, message: string, chunk: readonly Active[]): Left | { news: string } {
    const { isolate } = realm.engine;
    const cpu = isolate.cpuTime;
    const begun = performance.now();
    const timeout = this.#limits.stepMs;
    let news: string | undefined;
    // An unhandled rejection of the guest's comes out of the isolate in place of the answer; the news are still there to be polled.
    for (let attempt = 0; news === undefined || news === ''; attempt += 1) {
      try {
        // To be polled no time limit is needed: it is our own code that runs, and setting one costs as much as the call.
        news =
          attempt === 0
            ? realm.door.applySync(undefined, [message], { timeout })
            : realm.door.applySync(undefined, [pollText]);
        if (attempt > 0) break;
      } catch {
        if (isolate.isDisposed) return { kind: 'out-of-memory' };
        if (performance.now() - begun >= timeout || attempt === 3)
          return { kind: this.#isFull(isolate) ? 'out-of-memory' : 'timed-out' };
      }
    }
    const eachMs = (performance.now() - begun) / chunk.length;
    const eachCpuMs = Number(isolate.cpuTime - cpu) / 1e6 / chunk.length;
    for (const run of chunk) {
      run.guestMs += eachMs;
      run.cpuMs += eachCpuMs;
    }
    return { news: news ?? '' };
  }

  /** Whether the time went by in making room: whoever fills a heap mostly runs out of time before the last of it is taken. */
  #isFull(isolate: ivm.Isolate): boolean {
    return isolate.getHeapStatisticsSync().used_heap_size > fullShare * this.#limits.memoryMb * 2 ** 20;
  }

  /** Takes in what the guest says; returns what it is to be told at once, if anything. */
  #hear(packed: string, clock: GuestClock): string | undefined {
    if (packed === '') return undefined;
    const { header, texts } = unpack<GuestNews>(packed);
    let at = 0;
    const again: Active[] = [];
    for (const id of header.plain) {
      const text = texts[at++] as string;
      const run = this.#active.get(id);
      if (run) this.#finishPlain(run, text);
    }
    for (const [id, returned, logCount, ids] of header.settled) {
      const text = texts[at++] ?? '';
      const stack = returned ? '' : (texts[at++] ?? '');
      const logs = logCount === 0 ? [] : texts.slice(at, at + logCount);
      at += logCount;
      const run = this.#active.get(id);
      if (!run) continue;
      // The frozen realm may be the reason that it threw.
      if (!returned && !run.alone) again.push(run);
      else if (returned) this.#finish(run, { end: 'returned', value: text }, logs, ids);
      else this.#finish(run, { end: 'threw', message: text, ...positionIn(stack) }, logs, ids);
    }
    const resumed: GivenAnswer[] = [];
    for (const [id, call, name, answered] of header.calls) {
      const input = texts[at++] ?? '';
      const run = this.#active.get(id);
      if (!run || again.includes(run)) continue;
      const tool = name === sendCommand ? null : name;
      const known = run.calls[call];
      run.made = call + 1;
      if (known && (known.tool !== tool || known.input !== input)) {
        this.#abandon(run, {
          end: 'killed',
          message: 'its isolate was lost after it had made calls, and it did not make the same calls again',
        });
        continue;
      }
      const made: AnsweredCall = known ?? { tool, input };
      if (!known) run.calls[call] = made;
      const answer = made.answer ?? prepared(run, made);
      if (!known) run.exchanged += input.length;
      if (answer && !made.answer) this.#take(run, made, answer);
      if (!this.#active.has(id) || answered) continue;
      if (answer) resumed.push({ run: id, call, answer });
      else if (!known) this.#tidings.call(id, call, { tool, input });
    }
    for (const run of again) {
      this.#tidings.alone(run.id);
      this.#startAlone(run);
    }
    return resumed.length === 0 ? undefined : resumeText(clock, resumed);
  }

  /** The isolate is of no more use. Of one run it is known whose doing that was; of several it is found out one by one. */
  #lost(left: Left, chunk: readonly Active[]): void {
    this.#discardEngine();
    const running = chunk.filter((run) => this.#active.get(run.id) === run);
    const [only] = running;
    if (running.length === 1 && only) {
      only.guestMs = Math.max(only.guestMs, this.#limits.stepMs);
      this.#finish(
        only,
        left.kind === 'timed-out'
          ? { end: 'timed-out', message: `took longer than ${this.#limits.stepMs} ms for a step` }
          : { end: 'out-of-memory', message: `used more than ${this.#limits.memoryMb} MB` },
      );
    }
    for (const run of [...this.#active.values()]) {
      if (!run.realm || run.realm.engine === this.#engine || this.#active.get(run.id) !== run) continue;
      this.#tidings.progress();
      this.#tidings.alone(run.id);
      run.guestMs = 0;
      this.#startAlone(run);
    }
  }

  /** Ends a run that the guest has not ended: it is still there, and a realm with leftovers takes no other run. */
  #abandon(run: Active, ending: Ending): void {
    if (run.realm === this.#shared) this.#shared = undefined;
    this.#finish(run, ending);
  }

  #finishPlain(run: Active, value: string): void {
    if (run.calls.length > 0 || run.alone || value.length * 3 > this.#limits.maxResultBytes) {
      this.#finish(run, { end: 'returned', value });
      return;
    }
    this.#active.delete(run.id);
    run.realm = undefined;
    this.#tidings.returned(run.id, value, run.guestMs, run.cpuMs);
  }

  #finish(run: Active, ending: Ending, logs: readonly string[] = [], issuedIds: string[] = []): void {
    this.#active.delete(run.id);
    const value = ending.value;
    const tooLarge =
      value !== undefined &&
      value.length * 3 > this.#limits.maxResultBytes &&
      Buffer.byteLength(value) > this.#limits.maxResultBytes;
    const { value: _, ...rest } = ending;
    this.#tidings.report(run.id, {
      ...(tooLarge
        ? { end: 'threw', message: `the result is too large: at most ${this.#limits.maxResultBytes} bytes of JSON` }
        : ending.message === undefined
          ? ending
          : { ...rest, message: tidy(ending.message, policy.maxMessageCharacters.default) }),
      logs: tidyLogs(logs, this.#limits.maxLogBytes),
      calls: run.calls,
      issuedIds,
      durationMs: run.guestMs,
      cpuMs: run.cpuMs,
    });
    if (run.alone && run.realm?.engine === this.#engine) run.realm?.context.release();
    run.realm = undefined;
  }

  #discardEngine(): void {
    this.#shared = undefined;
    const isolate = this.#engine?.isolate;
    this.#engine = undefined;
    if (isolate && !isolate.isDisposed) isolate.dispose();
  }
}

function settingOf(
  [nowMs, fixedClock, send, tool, table]: RunSetting,
  tools: readonly (readonly string[])[],
  answers: readonly AnswerTable[],
): Setting {
  const offsetMs = fixedClock ? 0 : nowMs - Date.now();
  return {
    clock: {
      fixedMs: fixedClock ? nowMs : null,
      offsetMs: Math.abs(offsetMs) < clockSlackMs ? 0 : offsetMs,
    },
    send,
    tools: tools[tool] ?? [],
    tables: answers,
    table,
  };
}

/** The clock of a run, in words that are the same for the same clock. */
function clockOf({ setting: { clock } }: Active): string {
  return `${clock.fixedMs} ${clock.offsetMs}`;
}

function startText(chunk: readonly Active[]): string {
  const known = new Map<Setting, number>();
  const kinds: GuestKind[] = [];
  const kind = chunk.map(({ setting }) => {
    const found = known.get(setting);
    if (found !== undefined) return found;
    known.set(setting, kinds.length);
    return kinds.push([setting.send, setting.tools, setting.table]) - 1;
  });
  const message: GuestMessage = {
    op: 'start',
    ...(chunk[0] as Active).setting.clock,
    runs: chunk.map(({ id }) => id),
    seeds: chunk.map(({ seed }) => seed),
    kind,
    kinds,
  };
  return pack(
    message,
    chunk.map(({ input }) => input),
  );
}

const pollText = pack({ op: 'poll' } satisfies GuestMessage, []);

/** Answers to runs of one clock. */
function resumeText(clock: GuestClock, answers: readonly GivenAnswer[]): string {
  const message: GuestMessage = {
    op: 'resume',
    ...clock,
    answers: answers.map(({ run, call, answer }) => [run, call, 'error' in answer ? answer.error.code : '']),
  };
  const texts = answers.map(({ answer }) => ('error' in answer ? answer.error.message : answer.output));
  return pack(message, texts);
}

/** The answer known beforehand, if there is one for this input. */
function prepared({ setting: { tables, table: index } }: Active, { tool, input }: AnsweredCall): Answer | undefined {
  const answers = tables[index];
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
