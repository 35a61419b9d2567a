/**
 * How a run ended. The parent decides it by the channel it was told on, never by the text of a message:
 * `refused` is the bundler's or the policy's word only, `killed` means the cell died or had to be ended for another reason than memory.
 */
export type End = 'returned' | 'threw' | 'timed-out' | 'out-of-memory' | 'killed' | 'refused';

/** A tool's answer to one call: the output as JSON text, or the error the handler's promise rejects with (`HandlerError`). */
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

/** A call with its answer; `answer` is absent where the run ended first. */
export interface AnsweredCall extends Call {
  answer?: Answer;
}

/** One run of a handler. */
export interface Run {
  /** JSON text of the first argument. */
  input: string;
  /** Seeds `context.newId()` and `Math.random()`. */
  seed: string;
  /** What `context.now()` and `Date.now()` say first, in milliseconds since 1970. */
  nowMs: number;
  /** Whether the clock stands still (trials) or follows the host's from step to step (live use). Default `true`: it stands still. */
  fixedClock?: boolean;
  /** By how much a clock that stands still goes on with the calls that `onCall` answers, in milliseconds: one after another, and over again. Default: not at all. */
  ticksMs?: readonly number[];
  /** Names on `context.call`. */
  tools: readonly string[];
  /** Whether `context.send` is there. */
  send: boolean;
  /**
   * Answers known beforehand, given without leaving the cell: tool → canonical JSON (RFC 8785) of the input → answer.
   * A call that is not in here goes to `onCall`.
   */
  answers?: Readonly<Record<string, Readonly<Record<string, Answer>>>>;
}

/** Answers a call that the prepared answers do not hold, made by the run given. A rejection of this promise ends the run as `killed` by the host. */
export type OnCall = (call: Call, signal: AbortSignal, run: Run) => Promise<Answer>;

/** What a run did. Every text in it was cut to the policy's caps before it left the guest. */
export interface RunReport {
  end: End;
  /** JSON text of the result; present only for `returned`. */
  value?: string;
  /** Why it did not return, in short; the guest's own words for `threw`. */
  message?: string;
  /** Where it was thrown, in the bundle; line and column from 1. */
  position?: { line: number; column: number };
  logs: string[];
  calls: AnsweredCall[];
  /** What `context.newId()` gave out, in order. */
  issuedIds: string[];
  /** Wall time in the cell, calls answered outside not counted; of a run that was killed, the time until its cell was gone. */
  durationMs: number;
  /** Processor time in the isolate. */
  cpuMs: number;
}

/** Limits of one handler; each at most the ceiling in policy.ts. */
export interface Limits {
  /** Wall time of one guest step: from entering the guest until it returns or waits for a call. */
  stepMs?: number;
  memoryMb?: number;
  maxResultBytes?: number;
  maxLogBytes?: number;
  maxCalls?: number;
  /** Wall time the parent waits for an answer to one frame before it kills the cell. */
  watchdogMs?: number;
}

/** What an operator may set of a sandbox, each up to the ceiling in policy.ts: what handlers get that ask for no less, and what cells take. */
export interface SandboxLimits extends Limits {
  /** Resident memory beyond which a cell is ended. */
  cellMemoryMb?: number;
  /** Resident memory beyond which a cell lets go of its handlers. */
  cellRestMb?: number;
  /** Handlers that one cell keeps loaded. */
  isolatesPerCell?: number;
  /** Cells beside each working one whose runs only wait for answers. */
  parkedPerCell?: number;
  /** Requests that may wait for a cell. */
  maxWaiting?: number;
  /** How long a handler under steady load keeps a cell that others wait for. */
  leaseMs?: number;
}

/** A bundle loaded for running: an isolate of its own, in which no run sees another. Runs may be concurrent. */
export interface LoadedHandler {
  run(run: Run, onCall: OnCall, signal?: AbortSignal): Promise<RunReport>;
  /** Many runs in as few frames as possible, answered in order; a run that kills the cell does not take the others along. */
  runAll(runs: readonly Run[], onCall: OnCall, signal?: AbortSignal): Promise<RunReport[]>;
  close(): Promise<void>;
}

/** The layers of wall one that are in force, best known names (docs: sandbox/README.md). */
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

/** The sandbox: cells that run bundles under limits, and nothing else. */
export interface Sandbox {
  readonly layers: Layers;
  /**
   * Loads a bundle: one self-contained ES module exporting `exportName`. Never rejects because of the bundle: one that cannot be loaded
   * answers every run with its end. Rejects with `PLATFORM_SANDBOX_…` where no cell can be had.
   */
  load(bundle: string, exportName: 'handle' | 'perform', limits?: Limits): Promise<LoadedHandler>;
  /** Whether the known-good handler passes on a cell right now. */
  canary(): Promise<boolean>;
  stats(): SandboxStats;
  close(): Promise<void>;
}

/** What bundling a candidate's source gave. */
export type BundleResult =
  | {
      ok: true;
      bundle: string /** Source map, version 3, as JSON text, of `handler.ts`. */;
      map: string /** SHA-256 of the bundle. */;
      digest: string;
    }
  | {
      ok: false;
      faults: {
        message: string;
        line?: number;
        column?: number /** That the export asked for is not there. */;
        missingExport?: true;
      }[];
    };
