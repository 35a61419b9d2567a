import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CodedError } from '../kernel/errors.ts';
import { MAX_TOGETHER, standsAlone } from './together.ts';
import type { CheckReply, CheckRequest, ModuleText, RawFault } from './type-check-child.ts';

/** A fault that the type-check found in a candidate: line and column in its source, from 1. */
export interface TypeFault {
  line: number;
  column: number;
  message: string;
  code: 'CANDIDATE_TYPES' | 'CANDIDATE_TYPE_CHECK_LIMIT';
}

/** Limits of one check. */
export interface TypeCheckLimits {
  /** Wall time of one program, in milliseconds. A sound handler takes seven. */
  timeoutMs: number;
  /** Resident memory of the child with its server, in MiB. Warm and idle they hold about 150. */
  memoryMb: number;
  /** Wall time a new child may take until it is warm, in milliseconds. */
  startMs: number;
  /** Longest source, in UTF-16 units. */
  maxSourceCharacters: number;
  /** Checks after which a child is replaced, while others wait, so that what it keeps cannot pile up; nothing was seen to in 4,000. */
  maxChecks: number;
}

export const DEFAULT_TYPE_CHECK_LIMITS: TypeCheckLimits = {
  timeoutMs: 5_000,
  memoryMb: 768,
  startMs: 30_000,
  maxSourceCharacters: 256 * 1024,
  maxChecks: 10_000,
};

/** Type-checks candidates against their `./types`, those that wait together in one program, in a child process that can be killed. */
export interface TypeChecker {
  /**
   * The faults of a module, none where it is sound: `strict`, the library of ES2025, no DOM, and the export that `./types` wants. A module
   * whose check goes over a limit has the one fault `CANDIDATE_TYPE_CHECK_LIMIT`. Rejects with `PLATFORM_TYPE_CHECKER` where no child
   * can be had, and with the signal's reason when aborted.
   */
  check(source: string, types: string, signal?: AbortSignal): Promise<TypeFault[]>;
  /** Ends the child and the server in it. */
  close(): Promise<void>;
}

/** How often the memory of a checking child is looked at. */
const MEMORY_POLL_MS = 25;

/** Most characters of the modules of one program. */
const MAX_CHARACTERS_TOGETHER = 128 * 1024;

/** A module that waits for its check. */
interface Turn extends ModuleText {
  signal: AbortSignal | undefined;
  settle(faults: Promise<TypeFault[]> | TypeFault[]): void;
}

/** Makes a checker; its child starts with the first check and stays warm. */
export function createTypeChecker(limits: Partial<TypeCheckLimits> = {}): TypeChecker {
  const inForce = { ...DEFAULT_TYPE_CHECK_LIMITS, ...limits };
  const waiting: Turn[] = [];
  let child: CheckingChild | null = null;
  let working: Promise<void> | undefined;
  let closed = false;

  const dispose = (): void => {
    child?.kill();
    child = null;
  };

  const checkTogether = async (modules: readonly ModuleText[]): Promise<CheckEnd> => {
    if (closed)
      throw new CodedError('PLATFORM_TYPE_CHECKER', 'Cannot check module: the checker is closed, wanted an open one');
    if (child === null || child.checks >= inForce.maxChecks || !child.alive) {
      dispose();
      child = await CheckingChild.start(inForce);
    }
    const end = await child.check(modules);
    if (end.kind !== 'faults') dispose();
    return end;
  };

  const checkAlone = async (turn: Turn): Promise<TypeFault[]> => {
    turn.signal?.throwIfAborted();
    for (let attempt = 1; ; attempt += 1) {
      const end = await checkTogether([turn]);
      if (end.kind === 'faults') return (end.faults[0] ?? []).map((fault) => located(fault, turn.source));
      // A child may die of something else than the module, once.
      if (closed || (end.kind === 'died' && attempt === 1)) continue;
      return [
        limitFault(
          `Cannot check module: ${end.why}, wanted at most ${inForce.timeoutMs} ms and ${inForce.memoryMb} MiB`,
        ),
      ];
    }
  };

  const work = async (): Promise<void> => {
    for (let first = waiting.shift(); first !== undefined; first = waiting.shift()) {
      const turns = [first, ...companionsOf(first, waiting)].filter(({ signal }) => signal?.aborted !== true);
      if (turns.length > 1) {
        const end = await checkTogether(turns).catch(() => null);
        if (end?.kind === 'faults') {
          for (const [index, turn] of turns.entries())
            turn.settle((end.faults[index] ?? []).map((fault) => located(fault, turn.source)));
          continue;
        }
      }
      // Whose doing it was that a program went over a limit is found out by checking one by one.
      for (const turn of turns) {
        const found = checkAlone(turn);
        turn.settle(found);
        await found.catch(() => undefined);
      }
    }
    working = undefined;
  };

  return {
    async check(source, types, signal) {
      signal?.throwIfAborted();
      if (source.length > inForce.maxSourceCharacters) {
        return [
          limitFault(`Cannot check module: ${source.length} characters, wanted at most ${inForce.maxSourceCharacters}`),
        ];
      }
      const directives = directiveFaults(source);
      if (directives.length > 0) return directives;
      const checked = new Promise<TypeFault[]>((settle) =>
        waiting.push({ source: withoutSwitches(source), types, signal, settle }),
      );
      working ??= work();
      return signal === undefined ? checked : abortable(checked, signal);
    },
    async close() {
      closed = true;
      const ended = child?.end();
      child = null;
      await ended;
      await working;
    },
  };
}

/** Takes out of those that wait what can be checked in one program with a module. */
function companionsOf(first: Turn, waiting: Turn[]): Turn[] {
  if (!standsAlone(first.source)) return [];
  let characters = first.source.length;
  const taken = waiting.filter(({ source }) => {
    if (characters + source.length > MAX_CHARACTERS_TOGETHER || !standsAlone(source)) return false;
    characters += source.length;
    return true;
  });
  const companions = taken.slice(0, MAX_TOGETHER - 1);
  waiting.splice(0, waiting.length, ...waiting.filter((turn) => !companions.includes(turn)));
  return companions;
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

  async check(modules: readonly ModuleText[]): Promise<CheckEnd> {
    this.checks += modules.length;
    const { timeoutMs, memoryMb } = this.#limits;
    const request: CheckRequest = {
      id: this.checks,
      modules: modules.map(({ source, types }) => ({ source, types })),
    };
    let why: string | null = null;
    const watch = setInterval(() => {
      if (groupMemoryMb(this.#process.pid) <= memoryMb) return;
      why = `over ${memoryMb} MiB of memory`;
      this.kill();
    }, MEMORY_POLL_MS);
    this.#process.channel?.ref();
    try {
      const answered = this.#reply(timeoutMs);
      this.#process.send(request, () => undefined);
      const reply = await answered;
      if (reply !== null && 'faults' in reply) return { kind: 'faults', faults: reply.faults };
      if (why !== null) return { kind: 'limit', why };
      return this.alive
        ? { kind: 'limit', why: `no answer after ${timeoutMs} ms` }
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

/**
 * Resident memory of a process and its children, in MiB, from Linux' `/proc`; 0 where there is none, as on macOS, where the wall time and
 * the server's own soft limit hold alone.
 */
function groupMemoryMb(pid: number | undefined): number {
  if (pid === undefined) return 0;
  let pages = residentPages(pid);
  try {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      const children = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8');
      for (const one of children.split(' ')) if (one !== '') pages += residentPages(Number(one));
    }
  } catch {
    // The process is gone, or this is no Linux.
  }
  return (pages * 4096) / 1024 / 1024;
}

function residentPages(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  } catch {
    return 0;
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
