import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CodedError } from '../kernel/errors.ts';
import { type Owner, Schedule, type Turn } from './schedule.ts';
import type { CheckReply, CheckRequest, ModuleText, RawFault } from './type-check-child.ts';

/** A fault that the type-check found in a candidate: line and column in its source, from 1. */
export interface TypeFault {
  line: number;
  column: number;
  message: string;
  code: 'CANDIDATE_TYPES' | 'CANDIDATE_TYPE_CHECK_LIMIT';
}

/** Limits of a check. */
export interface TypeCheckLimits {
  /** Processor time of the first look at a program, in milliseconds. A sound module takes five. */
  firstLookMs: number;
  /** Processor time of the last look at a module that went over the first one, in milliseconds. */
  lastLookMs: number;
  /** Resident memory of a child with its server, in MiB. Warm and idle they hold about 150. */
  memoryMb: number;
  /** Wall time a new child may take until it is warm, in milliseconds. */
  startMs: number;
  /** Longest source, in UTF-16 units. */
  maxSourceCharacters: number;
  /** Checks after which a child is replaced, while others wait, so that what it keeps cannot pile up; nothing was seen to in 4,000. */
  maxChecks: number;
}

export const DEFAULT_TYPE_CHECK_LIMITS: TypeCheckLimits = {
  firstLookMs: 400,
  lastLookMs: 1_500,
  memoryMb: 768,
  startMs: 30_000,
  maxSourceCharacters: 256 * 1024,
  maxChecks: 10_000,
};

/** How many times its processor time a look may take by the clock: so much less than a processor a busy machine may give it. */
const CLOCK_FACTOR = 6;

/** Type-checks candidates against their `./types`, those that wait together in one program, in child processes that can be killed. */
export interface TypeChecker {
  /**
   * The faults of a module, none where it is sound: `strict`, the library of ES2025, no DOM, and the export that `./types` wants. A module
   * whose check goes over a limit has the one fault `CANDIDATE_TYPE_CHECK_LIMIT`. Rejects with `PLATFORM_TYPE_CHECKER` where no child
   * can be had, and with the signal's reason when aborted.
   */
  check(source: string, types: string, asked?: Asked): Promise<TypeFault[]>;
  /**
   * Whether a module can be held to declarations: they compile, and what modules commonly do with their types stays far within the limits. Rejects as
   * `check` does.
   */
  admits(types: string, asked?: Asked): Promise<boolean>;
  /** Ends the children and the servers in them. */
  close(): Promise<void>;
}

/** Who asks for a check, and how it is called off. Whoever is not named is one and the same. */
export interface Asked {
  owner?: Owner | undefined;
  signal?: AbortSignal | undefined;
}

const NOBODY: Owner = { tenant: '', job: '' };

/** How often a checking child is looked after. */
const POLL_MS = 25;

/** How a check ended; `limit` = the module went over one. */
type Checked = { kind: 'faults'; faults: readonly RawFault[] } | { kind: 'limit'; why: string };

/** A module that waits for its check. */
interface Waiting extends Turn, ModuleText {
  signal: AbortSignal | undefined;
  settle(checked: Promise<never> | Checked): void;
}

/**
 * Makes a checker. Its child starts with the first check and stays warm; a second one is there while suspects wait, so that nobody else waits
 * for these.
 */
export function createTypeChecker(limits: Partial<TypeCheckLimits> = {}): TypeChecker {
  const inForce = { ...DEFAULT_TYPE_CHECK_LIMITS, ...limits };
  const schedule = new Schedule<Waiting>();
  const first = new Bench(inForce, inForce.firstLookMs);
  const last = new Bench(inForce, inForce.lastLookMs);

  const found = (turn: Waiting, faults: readonly RawFault[] = []): void => {
    schedule.passed(turn);
    turn.settle({ kind: 'faults', faults });
  };

  const lookFirst = async (): Promise<boolean> => {
    const taken = schedule.firstLook();
    const program = taken.filter(({ signal }) => signal?.aborted !== true);
    if (program.length === 0) return taken.length > 0;
    const end = await first.look(program).catch(refused);
    if (end.kind === 'refused') for (const { settle } of program) settle(Promise.reject(end.error));
    else if (end.kind === 'faults') for (const [index, turn] of program.entries()) found(turn, end.faults[index]);
    else if (end.kind === 'limit' && program.length === 1 && program[0]?.ofTypes) program[0].settle(end);
    else schedule.failed(program, end.kind);
    return true;
  };

  const lookLast = async (): Promise<boolean> => {
    const turn = schedule.lastLook();
    if (turn === undefined) {
      last.dispose();
      return false;
    }
    if (turn.signal?.aborted === true) return true;
    // A child may die of something else than the module, once.
    let end = await last.look([turn]).catch(refused);
    if (end.kind === 'died') end = await last.look([turn]).catch(refused);
    if (end.kind === 'refused') turn.settle(Promise.reject(end.error));
    else if (end.kind === 'faults') found(turn, end.faults[0]);
    else turn.settle({ kind: 'limit', why: end.why });
    return true;
  };

  const work = (): void => {
    first.work(async () => {
      const more = await lookFirst();
      last.work(lookLast);
      return more;
    });
    last.work(lookLast);
  };

  const checked = (module: ModuleText, { owner = NOBODY, signal }: Asked): Promise<Checked> => {
    const settled = new Promise<Checked>((settle) => schedule.add({ ...module, owner, signal, settle }));
    work();
    return signal === undefined ? settled : abortable(settled, signal);
  };

  return {
    async check(source, types, asked = {}) {
      asked.signal?.throwIfAborted();
      if (source.length > inForce.maxSourceCharacters) {
        return [
          limitFault(`Cannot check module: ${source.length} characters, wanted at most ${inForce.maxSourceCharacters}`),
        ];
      }
      const directives = directiveFaults(source);
      if (directives.length > 0) return directives;
      const { lastLookMs, memoryMb } = inForce;
      const end = await checked({ source: withoutSwitches(source), types }, asked);
      return end.kind === 'faults'
        ? end.faults.map((fault) => located(fault, source))
        : [
            limitFault(
              `Cannot check module: ${end.why}, wanted at most ${lastLookMs} ms of processor time and ${memoryMb} MiB`,
            ),
          ];
    },
    async admits(types, asked = {}) {
      asked.signal?.throwIfAborted();
      const end = await checked({ source: probeOf(types), types, ofTypes: true }, asked);
      return end.kind === 'faults' && end.faults.length === 0;
    },
    async close() {
      await Promise.all([first.close(), last.close()]);
    },
  };
}

/** A place for one child after the other, where one look is taken at a time. */
class Bench {
  readonly #limits: TypeCheckLimits;
  readonly #lookMs: number;
  #child: CheckingChild | null = null;
  #closed = false;
  #isWorking = false;
  #isWanted = false;
  #idle = Promise.resolve();

  constructor(limits: TypeCheckLimits, lookMs: number) {
    this.#limits = limits;
    this.#lookMs = lookMs;
  }

  /** Calls `look` again and again until it finds nothing to do, unless that is under way already. */
  work(look: () => Promise<boolean>): void {
    this.#isWanted = true;
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#idle = (async () => {
      while (this.#isWanted) {
        // What is added while nothing was found any more wants another round.
        this.#isWanted = false;
        while (await look());
      }
      this.#isWorking = false;
    })();
  }

  /** Has the child look at modules; starts one where there is none. Rejects with `PLATFORM_TYPE_CHECKER`. */
  async look(modules: readonly ModuleText[]): Promise<CheckEnd> {
    const child = await this.#ready();
    const end = await child.check(modules, this.#lookMs);
    if (end.kind !== 'faults') this.dispose();
    this.#refuseWhereClosed();
    return end;
  }

  /** Ends the child; the next look starts another. */
  dispose(): void {
    this.#child?.kill();
    this.#child = null;
  }

  /** Ends the child and whatever it is at, and waits until both are over. */
  async close(): Promise<void> {
    this.#closed = true;
    const ended = this.#child?.end();
    this.#child = null;
    await ended;
    await this.#idle;
  }

  async #ready(): Promise<CheckingChild> {
    this.#refuseWhereClosed();
    if (this.#child?.alive && this.#child.checks < this.#limits.maxChecks) return this.#child;
    this.dispose();
    const child = await CheckingChild.start(this.#limits);
    if (this.#closed) await child.end();
    this.#refuseWhereClosed();
    this.#child = child;
    return child;
  }

  #refuseWhereClosed(): void {
    if (!this.#closed) return;
    throw new CodedError('PLATFORM_TYPE_CHECKER', 'Cannot check module: the checker is closed, wanted an open one');
  }
}

function refused(error: unknown): { kind: 'refused'; error: unknown } {
  return { kind: 'refused', error };
}

/** A module that does with every declared type what modules commonly do; where that is wrong, it is no matter of the declarations. */
function probeOf(types: string): string {
  const names = [...types.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name]) => name as string);
  const uses = names.map(
    (name) =>
      `export const literal${name}: ${name} = {};\nexport const spread${name} = (one: ${name}, other: ${name}): ${name} => ({ ...one, ...other });\nexport const passed${name} = (one: ${name}): ${name}[] => [one, { ...one }];\n`,
  );
  return `import type { ${names.join(', ')} } from './types';\n${uses.join('')}`;
}

type CheckEnd =
  | { kind: 'faults'; faults: RawFault[][] }
  | { kind: 'limit'; why: string }
  | { kind: 'died'; why: string };

/** One warm child with its server; the two share a process group, so that one signal ends both. */
class CheckingChild {
  checks = 0;
  alive = true;
  readonly #gone: Promise<void>;
  readonly #process: ChildProcess;
  readonly #limits: TypeCheckLimits;
  #settle: ((reply: CheckReply | null) => void) | null = null;

  private constructor(process: ChildProcess, limits: TypeCheckLimits) {
    this.#process = process;
    this.#limits = limits;
    this.#gone = new Promise((resolve) => {
      const ended = (): void => {
        // The leader may have died alone; the server in its group goes with it.
        this.#signalGroup();
        this.alive = false;
        this.#settle?.(null);
        resolve();
      };
      process.once('exit', ended);
      process.once('error', ended);
    });
    process.on('message', (reply) => this.#settle?.(reply as CheckReply));
  }

  static async start(limits: TypeCheckLimits): Promise<CheckingChild> {
    // The same extension as this file's: sources run as they are, a build runs what was built.
    const path = fileURLToPath(new URL(`./type-check-child${extname(import.meta.url)}`, import.meta.url));
    const child = new CheckingChild(
      fork(path, [], {
        detached: true,
        execArgv: ['--max-old-space-size=256'],
        // The server's heap is small and lives long: Go's collector would go through all of it every few checks.
        env: { GOMEMLIMIT: `${Math.floor(limits.memoryMb / 2)}MiB`, GOGC: '200' },
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      }),
      limits,
    );
    const reply = await child.#reply(limits.startMs);
    if (reply === null || !('ready' in reply)) {
      child.kill();
      throw new CodedError(
        'PLATFORM_TYPE_CHECKER',
        `Cannot start type checker: no answer from its process, wanted one within ${limits.startMs} ms`,
      );
    }
    child.#process.unref();
    child.#process.channel?.unref();
    return child;
  }

  async check(modules: readonly ModuleText[], lookMs: number): Promise<CheckEnd> {
    this.checks += modules.length;
    const { memoryMb } = this.#limits;
    const clockMs = lookMs * CLOCK_FACTOR;
    const startedAt = groupUse(this.#process.pid);
    const request: CheckRequest = {
      id: this.checks,
      modules: modules.map(({ source, types, ofTypes }) => ({ source, types, ...(ofTypes ? { ofTypes } : {}) })),
    };
    let why: string | null = null;
    const watch = setInterval(() => {
      const use = groupUse(this.#process.pid);
      if (use.memoryMb > memoryMb) why = `over ${memoryMb} MiB of memory`;
      else if (use.cpuMs - startedAt.cpuMs > lookMs) why = `over ${lookMs} ms of processor time`;
      if (why !== null) this.kill();
    }, POLL_MS);
    this.#process.channel?.ref();
    try {
      const answered = this.#reply(clockMs);
      this.#process.send(request, () => undefined);
      const reply = await answered;
      if (reply !== null && 'faults' in reply) return { kind: 'faults', faults: reply.faults };
      if (why !== null) return { kind: 'limit', why };
      return this.alive
        ? { kind: 'limit', why: `no answer after ${clockMs} ms` }
        : { kind: 'died', why: 'the checking process died' };
    } finally {
      clearInterval(watch);
      this.#process.channel?.unref();
    }
  }

  kill(): void {
    // Once it is gone its id may be somebody else's.
    if (this.alive) this.#signalGroup();
    if (this.#process.connected) this.#process.disconnect();
  }

  /** Kills the child and waits until it is gone. */
  async end(): Promise<void> {
    this.#process.ref();
    this.kill();
    await this.#gone;
  }

  #reply(timeoutMs: number): Promise<CheckReply | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(null), timeoutMs);
      const settle = (reply: CheckReply | null): void => {
        clearTimeout(timer);
        this.#settle = null;
        resolve(reply);
      };
      this.#settle = settle;
      if (!this.alive) settle(null);
    });
  }

  #signalGroup(): void {
    if (this.#process.pid === undefined) return;
    try {
      process.kill(-this.#process.pid, 'SIGKILL');
    } catch {
      // Nobody is left in the group.
    }
  }
}

/** What a process and its children use of the machine. */
interface Use {
  memoryMb: number;
  cpuMs: number;
}

/**
 * What a process and its children use, from Linux' `/proc`; nothing where there is none, as on macOS, where the clock and the server's own soft
 * limit hold alone.
 */
function groupUse(pid: number | undefined): Use {
  if (pid === undefined) return { memoryMb: 0, cpuMs: 0 };
  const uses = [useOf(pid)];
  try {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      const children = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8');
      for (const one of children.split(' ')) if (one !== '') uses.push(useOf(Number(one)));
    }
  } catch {
    // The process is gone, or this is no Linux.
  }
  const sumOf = (what: keyof Use): number => uses.reduce((sum, use) => sum + use[what], 0);
  return { memoryMb: sumOf('memoryMb'), cpuMs: sumOf('cpuMs') };
}

function useOf(pid: number): Use {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in front may hold anything, brackets and blanks too.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [userTicks = 0, systemTicks = 0, pages = 0] = [fields[11], fields[12], fields[21]];
    // The kernel counts in hundredths of a second, and in pages of 4 KiB, on every Linux that Node runs on.
    return { memoryMb: pages / 256, cpuMs: (userTicks + systemTicks) * 10 };
  } catch {
    return { memoryMb: 0, cpuMs: 0 };
  }
}

const DIRECTIVES: [RegExp, string][] = [
  [/^[ \t]*(?:\/\/|\/\*)[ \t*]*@ts-(?:nocheck|ignore|expect-error)\b/gm, 'a comment that switches the type-check off'],
  [/^[ \t]*\/\/\/[ \t]*<(?:reference|amd-)/gm, 'a triple-slash reference'],
];

/** Most comments of a kind that are told, as many as faults of other kinds. */
const MAX_DIRECTIVES = 20;

/** Comments that would change what is checked, instead of being checked. */
function directiveFaults(source: string): TypeFault[] {
  return DIRECTIVES.flatMap(([pattern, what]) =>
    [...source.matchAll(pattern).take(MAX_DIRECTIVES)].map((match) => ({
      ...placeOf(source, match.index),
      message: `Cannot accept module: ${what}, wanted a module that is checked as a whole against './types'`,
      code: 'CANDIDATE_TYPES' as const,
    })),
  );
}

/**
 * Such a comment may also stand behind code or another comment, where only a parser knows it from a string: there another spelling of the same
 * length takes its force and leaves every place where it is.
 */
function withoutSwitches(source: string): string {
  return source.replace(/@ts-(?=nocheck|ignore|expect-error)/gi, '@ts_');
}

function located(fault: RawFault, source: string): TypeFault {
  if (fault.file === 'handler')
    return { ...placeOf(source, fault.offset), message: fault.message, code: 'CANDIDATE_TYPES' };
  return {
    line: 1,
    column: 1,
    message: `The module must export the function that './types' declares: ${fault.message}`,
    code: 'CANDIDATE_TYPES',
  };
}

function placeOf(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

function limitFault(message: string): TypeFault {
  return { line: 1, column: 1, message, code: 'CANDIDATE_TYPE_CHECK_LIMIT' };
}

/** A promise that an abort settles at once; what it waited for goes on unseen. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason);
    signal.addEventListener('abort', aborted, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}
