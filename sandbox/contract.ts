/**
 * How a run ended. The channel of the report decides, never the text of a message. `refused` comes only from the
 * bundler, the policy or the quarantine; `killed`: the cell died or had to be ended for another reason than memory.
 */
export type End = 'returned' | 'threw' | 'timed-out' | 'out-of-memory' | 'killed' | 'refused';

/**
 * A tool's answer to one call: the output as JSON text, or the error the handler's promise rejects with
 * (`HandlerError`).
 */
export type Answer = { output: string } | { error: HandlerFailure };

/** What a `HandlerError` carries inside the guest. */
export interface HandlerFailure {
  code: 'FAILED' | 'TIMEOUT' | 'INVALID';
  message: string;
}

/** One call that the guest made: `context.call.<tool>(input)`, or `context.send(request)` with `tool` = `null`. */
export interface Call {
  tool: string | null;
  /** JSON text of the argument. */
  input: string;
}

/** A call with its answer; `answer` is absent if the run ended first. */
export interface AnsweredCall extends Call {
  answer?: Answer;
}

/** One run of a handler. */
export interface Run {
  /** JSON text of the first argument. */
  input: string;
  /** Seeds `context.newId()` and `Math.random()`. */
  seed: string;
  /** The first time of `context.now()` and `Date.now()`, in milliseconds since 1970. */
  nowMs: number;
  /**
   * Whether the clock stands still (trials) or follows the host's from step to step (live use). Default `true`: it
   * stands still.
   */
  fixedClock?: boolean;
  /**
   * How far a clock that stands still advances with each call that `onCall` answers, in milliseconds; the list
   * repeats. Default: not at all.
   */
  ticksMs?: readonly number[];
  /** Names on `context.call`. */
  tools: readonly string[];
  /** Whether the handler gets `context.send`. */
  send: boolean;
  /**
   * Prepared answers, given without leaving the cell: tool → canonical JSON (RFC 8785) of the input → answer.
   * A call without a prepared answer goes to `onCall`.
   */
  answers?: Readonly<Record<string, Readonly<Record<string, Answer>>>>;
}

/** Answers a call that has no prepared answer. If the promise rejects, the run ends as `killed`. */
export type OnCall = (call: Call, signal: AbortSignal, run: Run) => Promise<Answer>;

/** What a run did. Every text was cut to the limits of the policy before it left the guest. */
export interface RunReport {
  end: End;
  /** JSON text of the result; present only for `returned`. */
  value?: string;
  /** Why it did not return, in short; for `threw` in the guest's own words. */
  message?: string;
  /** Where in the bundle it threw; line and column from 1. */
  position?: { line: number; column: number };
  logs: string[];
  calls: AnsweredCall[];
  /** The identifiers that `context.newId()` gave, in order. */
  issuedIds: string[];
  /**
   * Wall time in the cell in milliseconds, without the time of calls answered outside; for a killed run the time until
   * its cell was gone.
   */
  durationMs: number;
  /** Processor time in the isolate, in milliseconds. */
  cpuMs: number;
}

/** Limits of one handler; each at most the ceiling in policy.ts. */
export interface Limits {
  /** Wall time of one guest step, from entering the guest until it returns or waits for a call. */
  stepMs?: number;
  memoryMb?: number;
  maxResultBytes?: number;
  maxLogBytes?: number;
  maxCalls?: number;
  /** How long the parent waits for the cell to finish one frame before it kills the cell. */
  watchdogMs?: number;
}

/**
 * Limits that an operator may set, each up to the ceiling in policy.ts: those of handlers that ask for no less, and
 * those of cells.
 */
export interface SandboxLimits extends Limits {
  /** Resident memory above which a cell is ended. */
  cellMemoryMb?: number;
  /** Resident memory above which a cell unloads its handlers. */
  cellRestMb?: number;
  /** Handlers that stay loaded in one cell. */
  isolatesPerCell?: number;
  /** Cells beside each working one whose runs only wait for answers. */
  parkedPerCell?: number;
  /** Requests that may wait for a cell. */
  maxWaiting?: number;
  /** How long a handler under steady load keeps a cell that others wait for, in milliseconds. */
  leaseMs?: number;
}

/** A bundle that is ready to run, in an isolate of its own, in which no run sees another. Runs may be concurrent. */
export interface LoadedHandler {
  run(run: Run, onCall: OnCall, signal?: AbortSignal): Promise<RunReport>;
  /**
   * Makes many runs in as few frames as possible and returns their reports in order. If a run kills the cell,
   * the others are still made, until a second one does.
   */
  runAll(runs: readonly Run[], onCall: OnCall, signal?: AbortSignal): Promise<RunReport[]>;
  close(): Promise<void>;
}

/** Which layers of wall one are in force and which are not; sandbox/README.md says what each stops. */
export interface Layers {
  /** `process` < `permission` < `namespaces` < `bubblewrap`. */
  level: 'process' | 'permission' | 'namespaces' | 'bubblewrap';
  inForce: string[];
  missing: { layer: string; why: string }[];
}

/** What the operator sees of a sandbox. */
export interface SandboxStats {
  cells: number;
  waiting: number;
  waitedMs: number;
  runs: number;
  killedCells: number;
  quarantined: number;
}

/** The sandbox: cells that run bundles under limits. */
export interface Sandbox {
  readonly layers: Layers;
  /**
   * Loads a bundle: one self-contained ES module that exports `exportName`. Never rejects because of the bundle: if
   * that cannot be loaded, every run of it is `refused`. Rejects with `PLATFORM_SANDBOX_…` if the sandbox is closed or
   * its bundler is broken.
   */
  load(bundle: string, exportName: 'handle' | 'perform', limits?: Limits): Promise<LoadedHandler>;
  /** Whether the known-good handler passes on a cell right now. */
  canary(): Promise<boolean>;
  stats(): SandboxStats;
  close(): Promise<void>;
}

/** The result of bundling a candidate's source. */
export type BundleResult =
  | {
      ok: true;
      bundle: string;
      /** Source map of `handler.ts`, version 3, as JSON text. */
      map: string;
      /** SHA-256 of the bundle. */
      digest: string;
    }
  | {
      ok: false;
      faults: {
        message: string;
        line?: number;
        column?: number;
        /** Whether the fault is that the wanted export is missing. */
        missingExport?: true;
      }[];
    };
