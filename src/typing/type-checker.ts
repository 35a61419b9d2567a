// biome-ignore-all lint/style/noExcessiveLinesPerFile: one state machine of two children.
import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CodedError } from '../kernel/errors.ts';
import { type Owner, Schedule, type Turn } from './schedule.ts';
import type { CheckReply, CheckRequest, ModuleText, RawFault } from './type-check-child.ts';

/** A type error in a candidate: line and column in its source, from 1. */
export interface TypeFault {
  line: number;
  column: number;
  message: string;
  code: 'CANDIDATE_TYPES' | 'CANDIDATE_TYPE_CHECK_LIMIT';
}

/** Limits of a type-check. */
export interface TypeCheckLimits {
  /** CPU time of a first check, in milliseconds. A sound module takes five. */
  firstCheckMs: number;
  /** CPU time of a last check, after a first one exceeded its limit, in milliseconds. */
  lastCheckMs: number;
  /** Resident memory of a child and its server, in MiB. Warm and idle they use about 150. */
  memoryMb: number;
  /** Longest wall time for starting a child, in milliseconds. */
  startMs: number;
  /** Longest source, in UTF-16 units. */
  maxSourceCharacters: number;
  /** Checks after which a child is replaced, in case it leaks memory. No leak was seen in 4,000 checks. */
  maxChecks: number;
}

const DEFAULT_TYPE_CHECK_LIMITS: TypeCheckLimits = {
  firstCheckMs: 400,
  lastCheckMs: 1_500,
  memoryMb: 768,
  startMs: 30_000,
  maxSourceCharacters: 256 * 1024,
  maxChecks: 10_000,
};

/** Wall time allowed per CPU time of a check, because a busy machine may give it only part of a processor. */
const CLOCK_FACTOR = 6;

/**
 * Type-checks candidates against their `./types` in child processes that can be killed. Waiting candidates share a
 * program.
 */
export interface TypeChecker {
  /**
   * Checks a module with `strict`, the library of ES2025, no DOM, and the export that `./types` requires. Resolves to
   * its type errors, none if it is sound. A module that exceeds a limit has the single error
   * `CANDIDATE_TYPE_CHECK_LIMIT`. Rejects with `PLATFORM_TYPE_CHECKER` if no child can be started, and with the
   * signal's reason if aborted.
   */
  check(source: string, types: string, asked?: Asked): Promise<TypeFault[]>;
  /**
   * Whether modules can be checked against declarations: they compile, and the usual operations on their types stay far
   * within the limits. Rejects as `check` does.
   */
  admits(types: string, asked?: Asked): Promise<boolean>;
  /** Kills the children and their servers. */
  close(): Promise<void>;
}

/** The owner of a check, and its abort signal. Checks without an owner share one. */
export interface Asked {
  owner?: Owner | undefined;
  signal?: AbortSignal | undefined;
}

const NO_OWNER: Owner = { tenant: '', job: '' };

/** Interval for measuring a child's use of CPU and memory, in milliseconds. */
const POLL_MS = 25;

/** Result of a check; `limit` = the module exceeded a limit. */
type Checked = { kind: 'faults'; faults: readonly RawFault[] } | { kind: 'limit'; why: string };

/** A module waiting for its check. */
interface Waiting extends Turn, ModuleText {
  signal: AbortSignal | undefined;
  resolve(checked: Promise<never> | Checked): void;
}

/**
 * Creates a type checker. Its child starts with the first check and stays warm. While suspects wait, a second child
 * checks them, so that others need not wait.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: closures over one queue.
export function createTypeChecker(limits: Partial<TypeCheckLimits> = {}): TypeChecker {
  const merged = { ...DEFAULT_TYPE_CHECK_LIMITS, ...limits };
  const schedule = new Schedule<Waiting>();
  const first = new ChildSlot(merged, merged.firstCheckMs);
  const last = new ChildSlot(merged, merged.lastCheckMs);

  const succeed = (turn: Waiting, faults: readonly RawFault[] = []): void => {
    schedule.passed(turn);
    turn.resolve({ kind: 'faults', faults });
  };

  const runFirstCheck = async (): Promise<boolean> => {
    const taken = schedule.firstCheck();
    const program = taken.filter(({ signal }) => signal?.aborted !== true);
    if (program.length === 0) return taken.length > 0;
    const end = await first.check(program).catch(refused);
    if (end.kind === 'refused') for (const { resolve } of program) resolve(Promise.reject(end.error));
    else if (end.kind === 'faults') for (const [index, turn] of program.entries()) succeed(turn, end.faults[index]);
    else if (end.kind === 'limit' && program.length === 1 && program[0]?.ofTypes) program[0].resolve(end);
    else schedule.failed(program, end.kind);
    return true;
  };

  const runLastCheck = async (): Promise<boolean> => {
    const turn = schedule.lastCheck();
    if (turn === undefined) {
      last.dispose();
      return false;
    }
    if (turn.signal?.aborted === true) return true;
    // The child may die once for another reason than the module.
    let end = await last.check([turn]).catch(refused);
    if (end.kind === 'died') end = await last.check([turn]).catch(refused);
    if (end.kind === 'refused') turn.resolve(Promise.reject(end.error));
    else if (end.kind === 'faults') succeed(turn, end.faults[0]);
    else turn.resolve({ kind: 'limit', why: end.why });
    return true;
  };

  const work = (): void => {
    first.work(async () => {
      const more = await runFirstCheck();
      last.work(runLastCheck);
      return more;
    });
    last.work(runLastCheck);
  };

  const checked = (module: ModuleText, { owner = NO_OWNER, signal }: Asked): Promise<Checked> => {
    const settled = new Promise<Checked>((resolve) => schedule.add({ ...module, owner, signal, resolve }));
    work();
    return signal === undefined ? settled : abortable(settled, signal);
  };

  return {
    async check(source, types, asked = {}) {
      asked.signal?.throwIfAborted();
      if (source.length > merged.maxSourceCharacters) {
        return [
          limitFault(`Cannot check module: ${source.length} characters, wanted at most ${merged.maxSourceCharacters}`),
        ];
      }
      const directives = directiveFaults(source);
      if (directives.length > 0) return directives;
      const { lastCheckMs, memoryMb } = merged;
      const end = await checked({ source: withoutDirectives(source), types }, asked);
      return end.kind === 'faults'
        ? end.faults.map((fault) => located(fault, source))
        : [
            limitFault(
              `Cannot check module: ${end.why}, wanted at most ${lastCheckMs} ms of CPU time and ${memoryMb} MiB`,
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

/** Runs one child at a time, and one check at a time in it. */
class ChildSlot {
  readonly #limits: TypeCheckLimits;
  readonly #checkMs: number;
  #child: CheckingChild | null = null;
  #closed = false;
  #isWorking = false;
  #isWanted = false;
  #idle = Promise.resolve();

  constructor(limits: TypeCheckLimits, checkMs: number) {
    this.#limits = limits;
    this.#checkMs = checkMs;
  }

  /** Calls `check` until it finds nothing to do; does nothing if it is already running. */
  work(check: () => Promise<boolean>): void {
    this.#isWanted = true;
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#idle = (async () => {
      while (this.#isWanted) {
        // Work may arrive after `check` found nothing, so another round is needed.
        this.#isWanted = false;
        while (await check());
      }
      this.#isWorking = false;
    })();
  }

  /** Checks modules in the child, which is started if necessary. Rejects with `PLATFORM_TYPE_CHECKER`. */
  async check(modules: readonly ModuleText[]): Promise<CheckEnd> {
    const child = await this.#ready();
    const end = await child.check(modules, this.#checkMs);
    if (end.kind !== 'faults') this.dispose();
    this.#refuseWhereClosed();
    return end;
  }

  /** Kills the child; the next check starts another. */
  dispose(): void {
    this.#child?.kill();
    this.#child = null;
  }

  /** Kills the child, and waits for it and the current check to end. */
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

/** A module that uses every declared type in the usual ways. Type errors of its own do not count. */
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

/** One warm child with its server. Both share a process group, so one signal kills both. */
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
        // The child may have died alone; its server is still in the group.
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
    // The extension of this file: `.ts` when run from source, `.js` in a build.
    const path = fileURLToPath(new URL(`./type-check-child${extname(import.meta.url)}`, import.meta.url));
    const child = new CheckingChild(
      fork(path, [], {
        detached: true,
        execArgv: ['--max-old-space-size=256'],
        // Go's default GC would scan the server's small, long-lived heap every few checks.
        env: { GOMEMLIMIT: `${Math.floor(limits.memoryMb / 2)}MiB`, GOGC: '200', ...compileCache() },
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

  async check(modules: readonly ModuleText[], checkMs: number): Promise<CheckEnd> {
    this.checks += modules.length;
    const { memoryMb } = this.#limits;
    const clockMs = checkMs * CLOCK_FACTOR;
    const startedAt = groupUse(this.#process.pid);
    const request: CheckRequest = {
      id: this.checks,
      modules: modules.map(({ source, types, ofTypes }) => ({ source, types, ...(ofTypes ? { ofTypes } : {}) })),
    };
    let why: string | null = null;
    const watch = setInterval(() => {
      const use = groupUse(this.#process.pid);
      if (use.memoryMb > memoryMb) why = `over ${memoryMb} MiB of memory`;
      else if (use.cpuMs - startedAt.cpuMs > checkMs) why = `over ${checkMs} ms of CPU time`;
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
    // After it exited, its process id may belong to another process.
    if (this.alive) this.#signalGroup();
    if (this.#process.connected) this.#process.disconnect();
  }

  /** Kills the child and waits for it to exit. */
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
      // The group is empty.
    }
  }
}

/** Resource use of a process group. */
interface Use {
  memoryMb: number;
  cpuMs: number;
}

/**
 * Resource use of a process and its children, from Linux' `/proc`. Zero without `/proc`, as on macOS; there, only the
 * wall time and the server's own soft limit apply.
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
    // The process exited, or this is not Linux.
  }
  const sumOf = (what: keyof Use): number => uses.reduce((sum, use) => sum + use[what], 0);
  return { memoryMb: sumOf('memoryMb'), cpuMs: sumOf('cpuMs') };
}

function useOf(pid: number): Use {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in front may contain anything, even brackets and spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [userTicks = 0, systemTicks = 0, pages = 0] = [fields[11], fields[12], fields[21]];
    // On every Linux that Node supports, the kernel counts hundredths of a second and pages of 4 KiB.
    return { memoryMb: pages / 256, cpuMs: (userTicks + systemTicks) * 10 };
  } catch {
    return { memoryMb: 0, cpuMs: 0 };
  }
}

const DIRECTIVES: [RegExp, string][] = [
  [/^[ \t]*(?:\/\/|\/\*)[ \t*]*@ts-(?:nocheck|ignore|expect-error)\b/gm, 'a comment that switches the type-check off'],
  [/^[ \t]*\/\/\/[ \t]*<(?:reference|amd-)/gm, 'a triple-slash reference'],
];

/** Most comments of a kind that are reported, the same number as for other faults. */
const MAX_DIRECTIVES = 20;

/** Comments that would disable checks. */
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
 * Such a comment may also follow code or another comment, where only a parser can tell it from a string. There, another
 * spelling of the same length disables it and keeps all offsets.
 */
function withoutDirectives(source: string): string {
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

/** A promise that rejects at once on abort; the original one continues unobserved. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason);
    signal.addEventListener('abort', aborted, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}

/** Where the processes of this installation share compiled code; nothing if they do not. */
function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = process.env.NODE_COMPILE_CACHE;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
