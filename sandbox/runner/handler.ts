import canonicalize from 'canonicalize';
import type ivm from 'isolated-vm';
import type { Answer, AnsweredCall, RunReport } from '../contract.ts';
import { type GuestMessage, type GuestNews, type GuestRealm, installGlue, sendCommand } from '../guest/glue.ts';
import { policy, type ResolvedLimits, runBudgetMs } from '../policy.ts';
import { type AnswerTable, pack, type RunRow, unpack } from '../wire.ts';
import { positionIn, tidy, tidyLogs } from './guest-text.ts';

/** Where a handler puts what the parent is to hear. */
export interface Tidings {
  /** Takes the report of a run that has ended. */
  report(run: number, report: RunReport): void;
  /** Takes a call that the parent has to answer. */
  call(run: number, call: number, made: { tool: string | null; input: string }): void;
  /** Says that from now on this run alone is executed; undefined where it is several. */
  alone(run: number | undefined): void;
  /** Lets reports go out if some have waited long. */
  progress(): void;
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
  nowMs: number;
  fixedClock: boolean;
  send: boolean;
  input: string;
  tools: readonly string[];
  answers: AnswerTable | undefined;
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

interface Realm {
  engine: Engine;
  context: ivm.Context;
  door: ivm.Reference<(message: string) => string>;
  clock: string;
}

/** What became of an isolate that did not come back. */
interface Left {
  kind: 'timed-out' | 'out-of-memory';
}

/** Runs of one chunk share a step's time; when some of them took long, fewer go together. */
const largestChunk = 64;

/** How far a live run's clock may be from the host's for it to share a realm that follows the host's. */
const clockSlackMs = 1_000;

/**
 * One bundle in an isolate of its own. Every run has the module to itself, and a realm that no run can change: the shared realm is frozen,
 * and a run that does not return there is made again in a context of its own, where its built-ins can be changed as anywhere.
 */
export class Handler {
  readonly #ivm: typeof ivm;
  readonly #bundle: string;
  readonly #limits: ResolvedLimits;
  readonly #tidings: Tidings;
  readonly #active = new Map<number, Active>();
  #engine: Engine | undefined;
  #shared: Realm | undefined;
  #fault: string | undefined;
  #chunkSize = 1;

  constructor(isolatedVm: typeof ivm, bundle: string, limits: ResolvedLimits, tidings: Tidings) {
    this.#ivm = isolatedVm;
    this.#bundle = bundle;
    this.#limits = limits;
    this.#tidings = tidings;
  }

  /** Starts runs and drives them until each has ended or waits for the parent. */
  run(
    rows: readonly RunRow[],
    inputs: readonly string[],
    tools: readonly (readonly string[])[],
    answers: readonly AnswerTable[],
  ): void {
    const asked = rows.map(([id, seed, nowMs, fixedClock, send, tool, table], index): Active => {
      const active: Active = {
        id,
        seed,
        nowMs,
        fixedClock,
        send,
        input: inputs[index] ?? '',
        tools: tools[tool] ?? [],
        answers: answers[table],
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
    // Runs of one clock share a realm, and a realm costs as much as hundreds of runs.
    let rest = [...Map.groupBy(asked, ({ nowMs }) => nowMs).values()].flat();
    while (rest.length > 0) {
      const clock = clockOf(rest[0] as Active);
      let count = 0;
      while (
        clock !== undefined &&
        count < this.#chunkSize &&
        count < rest.length &&
        clockOf(rest[count] as Active) === clock
      )
        count += 1;
      const chunk = rest.slice(0, Math.max(count, 1));
      rest = rest.slice(chunk.length);
      // Of a frame with one run the parent knows it.
      if (rows.length > 1) this.#tidings.alone(chunk.length === 1 ? chunk[0]?.id : undefined);
      if (clock === undefined) this.#startAlone(chunk[0] as Active);
      else this.#startShared(chunk, clock);
      this.#tidings.progress();
    }
  }

  /** Hands the parent's answers to the calls that wait for them. */
  answer(answers: readonly GivenAnswer[]): void {
    // All answers to one run go in at once: one that has them all and does not go on waits for nothing that can come.
    let rest = [...Map.groupBy(answers, ({ run }) => run)];
    const several = rest.length > 1;
    const realmOf = (entry: (typeof rest)[number] | undefined) => entry && this.#active.get(entry[0])?.realm;
    while (rest.length > 0) {
      const realm = realmOf(rest[0]);
      let count = 1;
      while (count < this.#chunkSize && count < rest.length && realmOf(rest[count]) === realm) count += 1;
      const given = rest.slice(0, count).flatMap(([, all]) => all.filter((one) => this.#accept(one)));
      rest = rest.slice(count);
      const chunk = [...new Set(given.map(({ run }) => run))].flatMap((id) => this.#active.get(id) ?? []);
      if (realm === undefined || chunk.length === 0) continue;
      // Of a frame for one run the parent knows it.
      if (several) this.#tidings.alone(chunk.length === 1 ? chunk[0]?.id : undefined);
      this.#drive(realm, chunk, resumeText(given));
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
    this.#finish(run, {
      end: 'threw',
      message: `exchanged more than ${policy.maxExchangeBytes.default} bytes with its tools`,
    });
  }

  /** Ends a run that the parent gave up. */
  end(id: number): void {
    const run = this.#active.get(id);
    if (run) this.#finish(run, { end: 'killed', message: 'ended by its host' });
  }

  dispose(): void {
    this.#active.clear();
    this.#shared = undefined;
    this.#engine?.isolate.dispose();
    this.#engine = undefined;
  }

  #startShared(chunk: Active[], clock: string): void {
    const realm = this.#enterable(chunk, () => {
      if (this.#shared?.clock !== clock) this.#shared = this.#newRealm(clock, 0);
      return this.#shared as Realm;
    });
    if (!realm) return;
    for (const run of chunk) run.realm = realm;
    const before = performance.now();
    this.#drive(realm, chunk, startText(chunk));
    const eachMs = (performance.now() - before) / chunk.length;
    const fitting = Math.floor(this.#limits.stepMs / 4 / Math.max(eachMs, 0.001));
    this.#chunkSize = Math.max(1, Math.min(largestChunk, this.#chunkSize * 4, fitting));
  }

  #startAlone(run: Active): void {
    run.alone = true;
    run.made = 0;
    const realm = this.#enterable([run], () => this.#newRealm(undefined, run.nowMs, run.fixedClock));
    if (!realm) return;
    run.realm = realm;
    this.#drive(realm, [run], startText([run]));
  }

  /** Makes a realm; where the bundle itself is what fails, its runs end with that. */
  #enterable(chunk: Active[], make: () => Realm): Realm | undefined {
    try {
      return make();
    } catch (error) {
      const disposed = this.#engine?.isolate.isDisposed ?? false;
      const message = this.#fault ?? `Cannot load bundle: ${error instanceof Error ? error.message : 'unknown fault'}`;
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
    let message: string | undefined = text;
    while (message !== undefined && realm.engine === this.#engine) {
      const entered = this.#enter(realm, message, chunk);
      if ('kind' in entered) {
        this.#lost(entered, chunk);
        return;
      }
      message = this.#hear(entered.news);
      const over = chunk.find(
        (run) => this.#active.has(run.id) && run.realm === realm && run.guestMs > runBudgetMs(this.#limits),
      );
      if (over) {
        this.#lost({ kind: 'timed-out' }, chunk);
        return;
      }
    }
    for (const run of chunk) {
      if (this.#active.get(run.id) !== run || run.realm !== realm || run.calls.some((call) => !call.answer)) continue;
      this.#finish(run, {
        end: 'timed-out',
        message: 'waits for something that can never come: its promise cannot settle',
      });
      // Its promise is still there; a realm with leftovers is not used again.
      if (this.#shared === realm) this.#shared = undefined;
    }
  }

  /** One crossing into the guest and back. What ends it is told by the isolate and the clock, never by what an error says. */
  #enter(realm: Realm, message: string, chunk: readonly Active[]): Left | { news: string } {
    const { isolate } = realm.engine;
    const cpu = isolate.cpuTime;
    const begun = performance.now();
    const timeout = this.#limits.stepMs;
    let news: string | undefined;
    // An unhandled rejection of the guest's comes out of the isolate in place of the answer; the news are still there to be polled.
    for (let attempt = 0; news === undefined; attempt += 1) {
      try {
        if (attempt === 0) realm.door.applySync(undefined, [message], { timeout });
        // No time limit here: it is our own code that runs, and setting one costs as much as the call.
        news = realm.door.applySync(undefined, ['{"op":"poll"}\n']);
      } catch {
        if (isolate.isDisposed) return { kind: 'out-of-memory' };
        if (performance.now() - begun >= timeout || attempt === 3) return { kind: 'timed-out' };
      }
    }
    const eachMs = (performance.now() - begun) / chunk.length;
    const eachCpuMs = Number(isolate.cpuTime - cpu) / 1e6 / chunk.length;
    for (const run of chunk) {
      run.guestMs += eachMs;
      run.cpuMs += eachCpuMs;
    }
    return { news };
  }

  /** Takes in what the guest says; returns what it is to be told at once, if anything. */
  #hear(packed: string): string | undefined {
    if (packed === '') return undefined;
    const { header, texts } = unpack<GuestNews>(packed);
    let at = 0;
    const again: Active[] = [];
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
    for (const [id, call, name] of header.calls) {
      const input = texts[at++] ?? '';
      const run = this.#active.get(id);
      if (!run || again.includes(run)) continue;
      const tool = name === sendCommand ? null : name;
      const known = run.calls[call];
      run.made = call + 1;
      if (known && (known.tool !== tool || known.input !== input)) {
        this.#finish(run, {
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
      if (!this.#active.has(id)) continue;
      if (answer) resumed.push({ run: id, call, answer });
      else if (!known) this.#tidings.call(id, call, { tool, input });
    }
    for (const run of again) {
      this.#tidings.alone(run.id);
      this.#startAlone(run);
    }
    return resumed.length === 0 ? undefined : resumeText(resumed);
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

  #finish(
    run: Active,
    ending: Pick<RunReport, 'end' | 'value' | 'message' | 'position'>,
    logs: readonly string[] = [],
    issuedIds: string[] = [],
  ): void {
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

  #newRealm(clock: string | undefined, nowMs: number, fixedClock = true): Realm {
    this.#engine ??= new Engine(this.#ivm, this.#bundle, this.#limits);
    const fixed = clock === undefined ? fixedClock : clock !== liveClock;
    const realm: GuestRealm = {
      limits: {
        maxResultLength: this.#limits.maxResultBytes,
        maxLogLength: this.#limits.maxLogBytes,
        maxCallLength: policy.maxCallBytes.default,
        maxMessageLength: policy.maxMessageCharacters.default,
        maxCalls: this.#limits.maxCalls,
        maxIssuedIds: policy.maxIssuedIds.default,
      },
      shared: clock !== undefined,
      fixedMs: fixed ? (clock === undefined ? nowMs : Number(clock)) : null,
      offsetMs: clock === undefined && !fixed ? nowMs - Date.now() : 0,
    };
    return { ...this.#engine.open(realm), engine: this.#engine, clock: clock ?? '' };
  }

  #discardEngine(): void {
    this.#shared = undefined;
    const isolate = this.#engine?.isolate;
    this.#engine = undefined;
    if (isolate && !isolate.isDisposed) isolate.dispose();
  }
}

/** An isolate with the scripts that open realms in it. */
class Engine {
  readonly isolate: ivm.Isolate;
  readonly #glue: ivm.Script;
  readonly #factory: ivm.Script;
  readonly #timeout: number;

  constructor(isolatedVm: typeof ivm, bundle: string, limits: ResolvedLimits) {
    this.isolate = new isolatedVm.Isolate({ memoryLimit: limits.memoryMb });
    this.#timeout = limits.stepMs;
    // As a module first: text that is one cannot break out of the function that it is put into below.
    this.isolate.compileModuleSync(bundle, { filename: 'handler.js' }).release();
    this.#glue = compileGlue(this.isolate);
    const [tail, name] = exportTail.exec(bundle) ?? ['', 'undefined'];
    const body = bundle.slice(0, bundle.length - tail.length);
    this.#factory = this.isolate.compileScriptSync(
      `(function (Math) { "use strict"; return (function () { "use strict";\n${body}\nreturn ${name};\n})(); })`,
      {
        filename: 'handler.js',
        lineOffset: -1,
      },
    );
  }

  open(realm: GuestRealm): Pick<Realm, 'context' | 'door'> {
    const context = this.isolate.createContextSync();
    const install = this.#glue.runSync(context, { reference: true }) as ivm.Reference<typeof installGlue>;
    const door = install.applySync(undefined, [JSON.stringify(realm), sendCommand], {
      result: { reference: true },
    }) as unknown as Realm['door'];
    const factory = this.#factory.runSync(context, { reference: true, timeout: this.#timeout }) as ivm.Reference<
      () => unknown
    >;
    (door as unknown as ivm.Reference<(message: string, factory: unknown) => string>).applySync(undefined, [
      '',
      factory.derefInto(),
    ]);
    return { context, door };
  }
}

const glueText = `(${installGlue})`;
/** The compiled glue, which is the same in every isolate; of bundles nothing is kept. */
let glueCache: ivm.ExternalCopy<ArrayBuffer> | undefined;

function compileGlue(isolate: ivm.Isolate): ivm.Script {
  if (glueCache) return isolate.compileScriptSync(glueText, { filename: 'glue.js', cachedData: glueCache });
  const script = isolate.compileScriptSync(glueText, { filename: 'glue.js', produceCachedData: true });
  glueCache = (script as ivm.CachedDataResult).cachedData;
  return script;
}

/** How the bundler ends a module: the only export, and nothing after it. */
const exportTail = /\nexport \{\n {2}([\w$]+)(?: as (?:handle|perform))?\n\};\n$/;
const liveClock = 'live';

/** Which shared realm a run can be made in, by its clock; undefined where its clock needs a realm of its own. */
function clockOf({ nowMs, fixedClock }: Active): string | undefined {
  if (fixedClock) return String(nowMs);
  return Math.abs(nowMs - Date.now()) < clockSlackMs ? liveClock : undefined;
}

function startText(chunk: readonly Active[]): string {
  const tools = new Map<readonly string[], number>();
  const runs = chunk.map(({ id, seed, send, tools: names }): [number, string, boolean, number] => {
    const index = tools.get(names) ?? tools.size;
    tools.set(names, index);
    return [id, seed, send, index];
  });
  const message: GuestMessage = { op: 'start', runs, tools: [...tools.keys()] };
  const inputs = chunk.map(({ input }) => input);
  return pack(message, inputs);
}

function resumeText(answers: readonly GivenAnswer[]): string {
  const message: GuestMessage = {
    op: 'resume',
    answers: answers.map(({ run, call, answer }) => [run, call, 'error' in answer ? answer.error.code : '']),
  };
  const texts = answers.map(({ answer }) => ('error' in answer ? answer.error.message : answer.output));
  return pack(message, texts);
}

/** The answer known beforehand, if there is one for this input. */
function prepared({ answers }: Active, { tool, input }: AnsweredCall): Answer | undefined {
  if (tool === null || !answers || !Object.hasOwn(answers, tool)) return undefined;
  const table = answers[tool] as Readonly<Record<string, Answer>>;
  try {
    const key = canonicalize(JSON.parse(input)) ?? '';
    return Object.hasOwn(table, key) ? table[key] : undefined;
  } catch {
    // Nested deeper than the canonical form can be made: no prepared answer is.
    return undefined;
  }
}
