import type { CheckReport } from './check-report.ts';
import type { CaseReport, Purpose, Usage, Verdict } from './outcome.ts';
import type { Confirmation, DropReason, Reading } from './reading.ts';

/**
 * What is kept of one job for a day: the job as it was submitted, and what happened to it. Its texts come from
 * agreements and models: they are hostile, and bounded in size.
 */
export interface History {
  jobId: string;
  /** `null` if it is no longer kept, or was too large to keep. */
  submitted: Submitted | null;
  /** In the order in which it was recorded: what takes time is recorded when it ends. */
  entries: HistoryEntry[];
  /** How much is missing, because the job's history reached its limit or Redis took no more. */
  leftOut: { entries: number; bytes: number };
}

/** A job as it was submitted: enough to submit it again. */
export interface Submitted {
  /** The name of the BullMQ job. */
  kind: string;
  /** The JSON text of its data, byte for byte. */
  text: string;
  /** SHA-256 of the canonical JSON of the data. */
  dataDigest: string;
  /** `default` if the data do not say. */
  tenant: string;
  /** When Redis took the job, in milliseconds since 1970. */
  takenAtMs: number;
}

/** One entry of a history. */
export type HistoryEntry = HistoryMark & (QueueEntry | LifeEvent);

/** When and where something happened. */
export interface HistoryMark {
  /** In milliseconds since 1970 by the worker's clock; of what takes time, its end. */
  atMs: number;
  /** The delivery of the job, from 1; 0 if the job was not being processed. */
  delivery: number;
  /** Host name and process id of the worker. */
  worker: string;
}

/** What the queue did with a job. */
export interface QueueEntry {
  type: 'queue';
  /** As in the log: `taken`, `retried`, `put-back`, `handed-back`, `published`, `cancelled`, `given-up`, and others. */
  event: string;
  /** How long the job waited before it was taken. */
  waitedMs?: number;
  /** From the taking of the job to its outcome. */
  latencyMs?: number;
  /** When the job is run again. */
  delayMs?: number;
  verdict?: string;
  code?: string;
  message?: string;
}

/**
 * What happens to a job while it is processed. The members beside `detail` hold no text of an agreement or a model, so
 * they may be logged. `attempt` is the number of a question to the model, as in `report.attempts`; a candidate is known
 * by the attempt that wrote it.
 */
export type LifeEvent =
  /** Work on the job starts. */
  | { type: 'started'; kind: string; deadlineAtMs?: number; rawBytes?: number; trialSeed?: string }
  /** A stage of docs/pipeline.md ended; `code` if it failed. */
  | { type: 'stage'; stage: string; durationMs: number; attempt?: number; code?: string }
  /** A question is put to the model. */
  | {
      type: 'prompted';
      attempt: number;
      purpose: Purpose;
      /** Whether the prompt shows a candidate and why it failed. */
      repair: boolean;
      /** The attempt whose candidate it shows. */
      repairs?: number;
      /** Of the prompt's template. */
      promptVersion?: string;
      /** Size of the prompt in UTF-16 units. */
      characters?: number;
    }
  /** A model server failed to answer a question; the question may be asked again. */
  | {
      type: 'try-failed';
      attempt: number;
      /** The host of the model server. */
      endpoint: string;
      model: string;
      code: string;
      durationMs: number;
      detail?: { message: string };
    }
  /** The model answered. */
  | {
      type: 'completed';
      attempt: number;
      inputTokens: number;
      outputTokens: number;
      durationMs: number;
      model?: string;
      /** Length of the answer in UTF-16 units, without reasoning. */
      characters?: number;
    }
  /** A question was aborted. */
  | { type: 'dropped'; attempt: number }
  /** A candidate was type-checked and bundled. */
  | {
      type: 'candidate';
      attempt: number;
      /** SHA-256 of the bundle; `null` if it cannot be bundled. The handler's own digest is in `stored`. */
      bundleDigest: string | null;
      bundleBytes: number;
      sourceBytes: number;
      faults: number;
      detail?: { source: string; faults: SourceLine[] };
    }
  /** A candidate was run on the negotiated cases. */
  | {
      type: 'tried';
      attempt: number;
      passed: number[];
      failed: number[];
      durationMs: number;
      cpuMs: number;
      detail?: { cases: TriedCase[] };
    }
  /** A candidate was run by the checks beyond the cases. */
  | {
      type: 'checked';
      attempt: number;
      passed: string[];
      failed: string[];
      warned: string[];
      durationMs: number;
      detail?: { reports: CheckReport[]; facts: CheckedFact[] };
    }
  /** A candidate was run on the derived cases. */
  | {
      type: 'derived';
      attempt: number;
      runs: number;
      /** Number of broken derived cases that a second reader confirmed, and of those that none confirmed. */
      confirmed: number;
      contested: number;
      /** Whether the whole reading was run, and a second reader answered for all that broke. */
      isWhole: boolean;
      durationMs: number;
      detail?: { broken: BrokenDerived[] };
    }
  /** A candidate was refused. */
  | { type: 'refused'; attempt: number; code: string; faults: number }
  /** A question ended, with its result as in `report.attempts`. */
  | {
      type: 'attempted';
      attempt: number;
      result: string;
      code?: string;
      /** Only what an operator may see; `detail` has the whole message. */
      message?: string;
      purpose?: Purpose;
      model?: string;
      usage?: Usage;
      durationMs?: number;
      detail?: { message: string };
    }
  /** A reading is there or will not come; `kept` was made for another job. */
  | {
      type: 'reading';
      result: 'complete' | 'partial' | 'failed' | 'kept';
      derived: number;
      /** Units of the document, and how many of them the reader addressed. */
      units?: number;
      covered?: number;
      /** Number of dropped entries, by reason. */
      dropped?: Partial<Record<DropReason, number>>;
      promptVersion?: string;
      code?: string;
      detail?: { reading?: Reading; message?: string };
    }
  /** What a second reader said of derived cases that candidates broke, each case once for a job. */
  | { type: 'confirmed'; confirmed: number; contested: number }
  /** A second reader answered a question about some derived cases. */
  | { type: 'second-reader'; attempt: number; worlds: number; answered: number; detail?: { worlds: ConfirmedWorld[] } }
  /** A judge answered. */
  | { type: 'judged'; attempt: number; detail?: { answer: string } }
  /** A handler was stored, or a stored one was found to satisfy the job. */
  | { type: 'stored'; digest: string; bundleDigest: string; reused: boolean }
  /** A handler was withdrawn after its outcome. */
  | { type: 'withdrawn'; digest: string; cases: number }
  /** The work ended. A job that is published before that has another entry `queue` for it. */
  | { type: 'ended'; verdict: Verdict; codes: string[]; durationMs: number; modelMs?: number; ownMs?: number };

/** A fault of the type check or the bundler. */
export interface SourceLine {
  message: string;
  /** From 1. */
  line?: number;
  column?: number;
}

/** A negotiated case as a candidate ran it. */
export interface TriedCase extends CaseReport {
  /** How the run ended: `returned`, `threw` and others. */
  end: string;
  /** What it threw. */
  message?: string;
  /** Where it threw, in the candidate's source; from 1. */
  line?: number;
  column?: number;
}

/** What a check found. */
export interface CheckedFact {
  check: string;
  code: string;
  rule?: string;
  message: string;
  /** Whether it refuses the candidate; else it warns. */
  refuses: boolean;
}

/** A derived case that a candidate broke. */
export interface BrokenDerived {
  /** As in the reading. */
  id?: string;
  of?: number[];
  quote: string;
  claim: string;
  breaches: string[];
  /** Whether a second reader confirmed it. */
  confirmed: boolean;
  line?: number;
}

/** A derived case with a second reader's answers. */
export interface ConfirmedWorld {
  id?: string;
  claim: string;
  quote: string;
  /** `null` if there was no answer. */
  confirmation: Confirmation | null;
}
