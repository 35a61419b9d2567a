import type { AttemptReport, Purpose, Verdict } from '../contract/outcome.ts';

/** An event in the life of a job, sent as it happens. */
export type JobEvent = { job: string; negotiation: string | null } & (
  | { type: 'started'; kind: string }
  | { type: 'stage'; stage: string; durationMs: number; attempt?: number }
  | { type: 'prompted'; attempt: number; repair: boolean; purpose: Purpose }
  | { type: 'completed'; attempt: number; inputTokens: number; outputTokens: number; durationMs: number }
  | { type: 'dropped'; attempt: number }
  | { type: 'refused'; attempt: number; code: string; faults: number }
  | { type: 'tried'; attempt: number; passed: number[]; failed: number[]; durationMs: number; cpuMs: number }
  | { type: 'checked'; attempt: number; passed: string[]; failed: string[]; warned: string[]; durationMs: number }
  /** A reading is there or will not come; `kept` was made for another job. */
  | { type: 'reading'; result: 'complete' | 'partial' | 'failed' | 'kept'; derived: number }
  /** What a second reader said of derived cases that candidates broke, each case once for a job. */
  | { type: 'confirmed'; confirmed: number; contested: number }
  | { type: 'withdrawn'; digest: string; cases: number }
  | ({ type: 'attempted'; attempt: number } & Pick<AttemptReport, 'result' | 'code' | 'message'>)
  | { type: 'ended'; verdict: Verdict; codes: string[]; durationMs: number }
);
