import type { Limits, SandboxLimits } from './contract.ts';
import { SandboxError } from './sandbox-error.ts';

/** One limit of the sandbox. */
export interface Limit {
  default: number;
  /** The most that an operator may set. */
  ceiling: number;
  unit: 'ms' | 'MB' | 'bytes' | 'files' | 'characters' | 'calls' | 'runs' | 'cells' | 'isolates' | 'deaths' | 'levels';
  reason: string;
}

/**
 * Every limit of the sandbox. Of the limits in `Limits` a job may ask for less than the default. An operator may set
 * more, up to the ceiling. If the ceiling is the default, nobody gets more: such limits depend on one another, or no
 * handler has a use for more.
 */
export const policy = {
  stepMs: {
    default: 1_000,
    ceiling: 10_000,
    unit: 'ms',
    reason: 'wall time of one guest step; a handler transforms JSON, which takes microseconds',
  },
  watchdogMs: {
    default: 3_000,
    ceiling: 30_000,
    unit: 'ms',
    reason: 'some built-ins of V8 cannot be interrupted; after this the process is killed',
  },
  memoryMb: {
    default: 64,
    ceiling: 512,
    unit: 'MB',
    reason:
      'heap of one isolate; below 64 an ordinary object with a million keys aborts the process instead of timing out',
  },
  maxInputBytes: {
    default: 16_777_216,
    ceiling: 16_777_216,
    unit: 'bytes',
    reason: 'JSON of a request; a larger one would not fit into a frame, and its run is refused',
  },
  maxResultBytes: {
    default: 1_048_576,
    ceiling: 8_388_608,
    unit: 'bytes',
    reason: 'JSON of a result; an answer is smaller than the job that asks for it',
  },
  maxLogBytes: {
    default: 16_384,
    ceiling: 1_048_576,
    unit: 'bytes',
    reason: 'all log lines of one run; they go into reports and prompts',
  },
  maxCalls: {
    default: 100,
    ceiling: 10_000,
    unit: 'calls',
    reason: 'calls of one run; each is queued outside the heap of the isolate',
  },
  maxCallBytes: {
    default: 1_048_576,
    ceiling: 1_048_576,
    unit: 'bytes',
    reason: 'JSON of one call; as large as a result, since requests to the peer are calls',
  },
  maxExchangeBytes: {
    default: 4_194_304,
    ceiling: 4_194_304,
    unit: 'bytes',
    reason: 'inputs and answers of all calls of one run; they are part of its report, which goes into one frame',
  },
  maxDepth: {
    default: 500,
    ceiling: 500,
    unit: 'levels',
    reason: 'nesting of brackets in a result or a call; many JSON parsers give up at 1,000, V8 at some thousands',
  },
  maxMessageCharacters: {
    default: 1_000,
    ceiling: 1_000,
    unit: 'characters',
    reason: 'message of a run that failed; it goes into reports and prompts',
  },
  maxIssuedIds: {
    default: 10_000,
    ceiling: 10_000,
    unit: 'calls',
    reason: 'calls of `context.newId()` in one run; every identifier is reported',
  },
  maxSourceBytes: {
    default: 262_144,
    ceiling: 262_144,
    unit: 'bytes',
    reason: 'source of a handler; more than a model writes in one answer',
  },
  maxBundleBytes: {
    default: 1_048_576,
    ceiling: 1_048_576,
    unit: 'bytes',
    reason: 'a bundle is its source printed again, never several times as large',
  },
  maxNesting: {
    default: 250,
    ceiling: 250,
    unit: 'levels',
    reason: 'nesting of brackets in a source; the bundler recurses on them, and some 100,000 crash it',
  },
  bundleMs: {
    default: 3_000,
    ceiling: 3_000,
    unit: 'ms',
    reason: 'bundling takes 2 ms; some sources of a few hundred bytes would never finish',
  },
  bundlerMemoryMb: {
    default: 512,
    ceiling: 512,
    unit: 'MB',
    reason:
      'resident memory of the bundler, which is behind no wall; it needs some 20 MB, and a source of 500 bytes can make it take all there is',
  },
  maxFrameBytes: {
    default: 33_554_432,
    ceiling: 33_554_432,
    unit: 'bytes',
    reason: 'one frame between parent and cell, checked before it is parsed',
  },
  cellMemoryMb: {
    default: 640,
    ceiling: 2_048,
    unit: 'MB',
    reason: 'resident memory of a cell; buffers and strings can go beyond the heap limit of an isolate',
  },
  cellRestMb: {
    default: 320,
    ceiling: 2_048,
    unit: 'MB',
    reason:
      'resident memory above which a cell unloads its handlers before it loads another; loading one again takes 3 ms',
  },
  cellHeapMb: {
    default: 128,
    ceiling: 128,
    unit: 'MB',
    reason: "heap of the cell's own program, which holds frames; guests have isolates of their own",
  },
  cellYoungMb: {
    default: 4,
    ceiling: 4,
    unit: 'MB',
    reason:
      'half of the space for young objects in a cell; V8 would double it after a thousand handlers, and be no faster',
  },
  cellCoreBytes: {
    default: 0,
    ceiling: 0,
    unit: 'bytes',
    reason: 'a core file would put the data of handlers on the disk of the worker',
  },
  cellFileBytes: {
    default: 0,
    ceiling: 0,
    unit: 'bytes',
    reason: 'a cell writes no files',
  },
  cellOpenFiles: {
    default: 64,
    ceiling: 64,
    unit: 'files',
    reason: 'open file descriptors of a cell: its pipes, and some twenty of Node itself',
  },
  cellStartMs: {
    default: 10_000,
    ceiling: 10_000,
    unit: 'ms',
    reason: 'a cell starts in some 30 ms; a busy machine may need a hundred times that',
  },
  cellEndMs: {
    default: 500,
    ceiling: 500,
    unit: 'ms',
    reason: 'how long the processes around a cell may take to end after it; they need a millisecond',
  },
  calledOffMs: {
    default: 500,
    ceiling: 500,
    unit: 'ms',
    reason:
      'how long cancelled runs may keep their cell; each may last as long as a step, and others wait for the cell',
  },
  memoryPollMs: {
    default: 25,
    ceiling: 25,
    unit: 'ms',
    reason: 'interval at which the resident memory of a working cell is read',
  },
  isolatesPerCell: {
    default: 8,
    ceiling: 200,
    unit: 'isolates',
    reason: 'handlers that stay loaded in one cell; thousands of isolates abort the process',
  },
  flushBytes: {
    default: 4_194_304,
    ceiling: 4_194_304,
    unit: 'bytes',
    reason:
      'reports or requests that go into one frame together; with one more of the largest size, the frame still fits',
  },
  runsPerFrame: {
    default: 100,
    ceiling: 100,
    unit: 'runs',
    reason: 'runs of one frame share its cost; more of them gain nothing measurable',
  },
  deathsPerBatch: {
    default: 2,
    ceiling: 2,
    unit: 'deaths',
    reason: 'runs of one batch that may kill a cell before the rest is refused; each may last as long as the watchdog',
  },
  parkedPerCell: {
    default: 4,
    ceiling: 16,
    unit: 'cells',
    reason: 'cells beside each working one whose runs only wait for answers; some 60 MB each',
  },
  maxWaiting: {
    default: 10_000,
    ceiling: 100_000,
    unit: 'runs',
    reason: 'requests that may wait for a cell, for one handler or for many; above it the sandbox says that it is busy',
  },
  leaseMs: {
    default: 1_000,
    ceiling: 60_000,
    unit: 'ms',
    reason: 'how long a handler under steady load may keep a cell that others wait for',
  },
} as const satisfies Record<string, Limit>;

/** Limits of one handler, with no value missing. */
export type ResolvedLimits = Required<Limits>;

const perHandler = ['stepMs', 'memoryMb', 'maxResultBytes', 'maxLogBytes', 'maxCalls', 'watchdogMs'] as const;
const perCell = ['cellMemoryMb', 'cellRestMb', 'isolatesPerCell', 'parkedPerCell', 'maxWaiting', 'leaseMs'] as const;

/** Limits of a sandbox: all those of its cells, and those that an operator has set for handlers. */
export type OperatorLimits = Limits & Required<Omit<SandboxLimits, keyof Limits>>;

/**
 * The limits that apply: the value asked for, at least 1 and at most the ceiling, or the default. The watchdog gets at
 * least twice the time of a step if the ceiling allows that, so that the time limit of the isolate comes first, which
 * spares the cell.
 */
export function resolveLimits(asked: Limits = {}): ResolvedLimits {
  const limits = Object.fromEntries(
    perHandler.map((name) => {
      const wanted = asked[name];
      const value = wanted === undefined || !Number.isFinite(wanted) ? policy[name].default : Math.floor(wanted);
      return [name, Math.min(Math.max(value, 1), policy[name].ceiling)];
    }),
  ) as ResolvedLimits;
  // The smallest heap that isolated-vm accepts.
  limits.memoryMb = Math.max(limits.memoryMb, 8);
  if (asked.watchdogMs === undefined)
    limits.watchdogMs = Math.min(Math.max(limits.watchdogMs, 2 * limits.stepMs), policy.watchdogMs.ceiling);
  else if (asked.stepMs === undefined)
    limits.stepMs = Math.min(limits.stepMs, Math.max(1, Math.floor(limits.watchdogMs / 2)));
  return limits;
}

/**
 * The limits that an operator sets in place of the defaults. Throws `OPERATOR_SANDBOX_LIMITS` for a limit that
 * cannot be set and for one that is not a whole number from 1 to its ceiling: a sandbox with other limits than
 * the operator wants must not start.
 */
export function operatorLimits(asked: SandboxLimits): OperatorLimits {
  const settable = [...perHandler, ...perCell];
  const faults = Object.entries<number | undefined>({ ...asked }).flatMap(([name, value]) => {
    const known = settable.find((one) => one === name);
    if (!known) return [`${JSON.stringify(name.slice(0, 40))}, wanted one of ${settable.join(', ')}`];
    const { ceiling, unit } = policy[known];
    const isAllowed = value === undefined || (Number.isInteger(value) && value >= 1 && value <= ceiling);
    return isAllowed ? [] : [`${name} of ${value} ${unit}, wanted a whole number from 1 to ${ceiling}`];
  });
  if (faults.length > 0)
    throw new SandboxError('OPERATOR_SANDBOX_LIMITS', `Cannot open sandbox: found limits ${faults.join('; ')}`);
  const defaults = perCell.map((name) => [name, policy[name].default]);
  const set = Object.entries(asked).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...defaults, ...set]);
}

/**
 * Wall time that all guest steps of one run may take together, in milliseconds. The rest of the watchdog's time is for
 * the last step.
 */
export function runBudgetMs({ stepMs, watchdogMs }: Pick<ResolvedLimits, 'stepMs' | 'watchdogMs'>): number {
  return Math.max(stepMs, watchdogMs - stepMs);
}
