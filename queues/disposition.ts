/** What the queue does with a job whose work was thrown out of: try it again within its deadline, or bury it with an `error` outcome. */
export type Disposition = 'retry' | 'bury';

/** Maps the first word of an error's code to what the queue does; an error without a code is a defect. */
export function dispositionOf(code: string | undefined): Disposition {
  // What Redis refuses is no fault of a job, whoever has to mend it.
  return /^(PLATFORM|OPERATOR_REDIS)_/.test(code ?? '') ? 'retry' : 'bury';
}

/** The code that a thrown value carries; `DEFECT_UNCODED` where it carries none. */
export function codeOfThrown(thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' && /^(JOB|DOCUMENT|CANDIDATE|PLATFORM|OPERATOR|DEFECT)_[A-Z0-9_]+$/.test(code)
    ? code
    : 'DEFECT_UNCODED';
}

/** How long to wait before the nth delivery's successor: what the other side asked for, else 250 ms doubled each time up to 5 s, half of it by chance so that jobs spread. */
export function backoffMs(delivery: number, retryAfterMs: number | undefined, chance: number = Math.random()): number {
  if (retryAfterMs !== undefined) return Math.max(0, retryAfterMs);
  const whole = Math.min(250 * 2 ** Math.max(0, delivery - 1), 5_000);
  return Math.round(whole / 2 + (whole / 2) * chance);
}
