import type { Limits, SandboxLimits } from './contract.ts';
import { SandboxError } from './sandbox-error.ts';

/** One limit of the sandbox. */
export interface Limit {
  default: number;
  /** The most that anybody may ask for. */
  ceiling: number;
  unit: 'ms' | 'MB' | 'bytes' | 'files' | 'characters' | 'calls' | 'runs' | 'cells' | 'isolates' | 'deaths' | 'levels';
  reason: string;
}

/**
 * Every limit of the sandbox. A job may ask for less than the default (of those in `Limits`), an operator for more, up to the ceiling. Where the
 * ceiling is the default, nobody gets more: these limits fit one another, or no handler has a use for more.
 */
export const policy = {
  stepMs: {
    default: 1_000,
    ceiling: 10_000,
    unit: 'ms',
    reason: 'wall time of one guest step; a handler shuffles JSON, which takes microseconds',
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
    reason: 'JSON of a request; above it a run is refused, for it would not go into a frame',
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
    reason: 'calls of one run; each is queued outside the heap limit of the isolate',
  },
  maxCallBytes: {
    default: 1_048_576,
    ceiling: 1_048_576,
    unit: 'bytes',
    reason: 'JSON of one call; as large as a result, since requests are sent this way',
  },
  maxExchangeBytes: {
    default: 4_194_304,
    ceiling: 4_194_304,
    unit: 'bytes',
    reason: 'inputs and answers of all calls of one run; they stand in its report, which goes into one frame',
  },
  maxDepth: {
    default: 500,
    ceiling: 500,
    unit: 'levels',
    reason:
      'brackets within brackets in a result or a call; many readers of JSON give up at 1,000, V8 at some thousands',
  },
  maxMessageCharacters: {
    default: 1_000,
    ceiling: 1_000,
    unit: 'characters',
    reason: 'what a run says of its failure; it goes into reports and prompts',
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
    reason: 'a bundle is its source printed anew, never several times as large',
  },
  maxNesting: {
    default: 250,
    ceiling: 250,
    unit: 'levels',
    reason: 'brackets within brackets in a source; the bundler recurses on them, and some 100,000 bring it down',
  },
  bundleMs: {
    default: 3_000,
    ceiling: 3_000,
    unit: 'ms',
    reason: 'bundling takes 2 ms; some sources of a few hundred bytes would take for ever',
  },
  bundlerMemoryMb: {
    default: 512,
    ceiling: 512,
    unit: 'MB',
    reason:
      'resident memory of the bundler, which is behind no wall; it needs some 20 MB, and a source of 500 bytes can make it take all',
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
    reason: 'resident memory of a cell: buffers and strings can pass the heap limit of an isolate',
  },
  cellRestMb: {
    default: 320,
    ceiling: 2_048,
    unit: 'MB',
    reason:
      'resident memory of a cell beyond which it lets go of its handlers before it loads another; loading one again takes 3 ms',
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
      'half of the space for young objects in a cell; V8 would double it after a thousand handlers, to no gain in speed',
  },
  cellCoreBytes: {
    default: 0,
    ceiling: 0,
    unit: 'bytes',
    reason: 'a core file of a cell would hold what handlers were given, on the disk of the worker',
  },
  cellFileBytes: {
    default: 0,
    ceiling: 0,
    unit: 'bytes',
    reason: 'a cell has nothing to write to files, whatever it can open',
  },
  cellOpenFiles: {
    default: 64,
    ceiling: 64,
    unit: 'files',
    reason: 'open descriptors of a cell: its pipes, and some twenty that Node opens for itself',
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
    reason: 'how long the processes around a cell have to end after it by themselves; they need a millisecond',
  },
  calledOffMs: {
    default: 500,
    ceiling: 500,
    unit: 'ms',
    reason:
      'how long runs that were called off may keep their cell: they may each last as long as a step, and others wait for it',
  },
  memoryPollMs: {
    default: 25,
    ceiling: 25,
    unit: 'ms',
    reason: 'how often resident memory is looked at while a cell works',
  },
  isolatesPerCell: {
    default: 8,
    ceiling: 200,
    unit: 'isolates',
    reason: 'handlers kept loaded in one cell; thousands of isolates abort the process',
  },
  flushBytes: {
    default: 4_194_304,
    ceiling: 4_194_304,
    unit: 'bytes',
    reason:
      'reports or requests that may go into one frame together; with one more that is as large as can be, the frame still fits',
  },
  runsPerFrame: {
    default: 100,
    ceiling: 100,
    unit: 'runs',
    reason: 'a frame is paid once; more than this gains nothing measurable',
  },
  deathsPerBatch: {
    default: 2,
    ceiling: 2,
    unit: 'deaths',
    reason: 'runs of one batch that may kill a cell before the rest is refused: each may last as long as the watchdog',
  },
  parkedPerCell: {
    default: 4,
    ceiling: 16,
    unit: 'cells',
    reason: 'processes beside each working cell whose runs only wait for answers; some 60 MB each',
  },
  maxWaiting: {
    default: 10_000,
    ceiling: 100_000,
    unit: 'runs',
    reason:
      'requests that may wait for a cell, be they for one handler or for many; above it the sandbox says that it is busy',
  },
  leaseMs: {
    default: 1_000,
    ceiling: 60_000,
    unit: 'ms',
    reason: 'how long a handler under steady load may keep a cell while others wait for one',
  },
} as const satisfies Record<string, Limit>;

/** Limits of one handler with every value decided. */
export type ResolvedLimits = Required<Limits>;

const perHandler = ['stepMs', 'memoryMb', 'maxResultBytes', 'maxLogBytes', 'maxCalls', 'watchdogMs'] as const;
const perCell = ['cellMemoryMb', 'cellRestMb', 'isolatesPerCell', 'parkedPerCell', 'maxWaiting', 'leaseMs'] as const;

/** Limits of a sandbox: of its cells, with every value decided, and what an operator has set for handlers. */
export type OperatorLimits = Limits & Required<Omit<SandboxLimits, keyof Limits>>;

/**
 * The limits that apply: what was asked, at least 1 and at most the ceiling, else the default. The watchdog is kept at twice the step or
 * more where the ceiling allows it, so that the isolate's own time limit, which spares the cell, comes first.
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
 * The limits that an operator puts in place of the defaults. Throws `OPERATOR_SANDBOX_LIMITS` for one that cannot be set and for one that is
 * no whole number from 1 to its ceiling: it is better not to start than to go by others than were asked for.
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

/** Wall time that all guest steps of one run may take together; the rest of the watchdog's time belongs to the last step. */
export function runBudgetMs({ stepMs, watchdogMs }: Pick<ResolvedLimits, 'stepMs' | 'watchdogMs'>): number {
  return Math.max(stepMs, watchdogMs - stepMs);
}
