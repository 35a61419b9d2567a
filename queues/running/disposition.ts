/**
 * What the queue does with a job whose processing threw: retry it within its deadline, or fail it with an `error`
 * outcome.
 */
export type Disposition = 'retry' | 'bury';

/** The disposition for an error code, by its first word. An error without a code is a defect. */
export function dispositionOf(code: string | undefined): Disposition {
  // A refusal by Redis, or of the key at the model server, is never the job's fault.
  return /^(PLATFORM|OPERATOR_REDIS|OPERATOR_MODEL)_/.test(code ?? '') ? 'retry' : 'bury';
}

/**
 * Whether a fault holds the queue until an operator mends it. The jobs that meet it wait until their deadline, however
 * long the other side asks for.
 */
export function isHeld(code: string): boolean {
  return code.startsWith('OPERATOR_MODEL_');
}

/** The code of a thrown value; `DEFECT_UNCODED` if it has none. */
export function codeOfThrown(thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' && /^(JOB|DOCUMENT|CANDIDATE|PLATFORM|OPERATOR|DEFECT)_[A-Z0-9_]+$/.test(code)
    ? code
    : 'DEFECT_UNCODED';
}

/**
 * The delay before the next delivery, in milliseconds: what the other side asked for, otherwise 250 ms doubled each
 * time up to 5 s, half of it random so that retries spread.
 */
export function backoffMs(delivery: number, retryAfterMs: number | undefined, chance: number = Math.random()): number {
  if (retryAfterMs !== undefined) return Math.max(0, retryAfterMs);
  const whole = Math.min(250 * 2 ** Math.max(0, delivery - 1), 5_000);
  return Math.round(whole / 2 + (whole / 2) * chance);
}
