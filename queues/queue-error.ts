/** A fault that this folder throws: `PLATFORM_` where Redis failed, `OPERATOR_` where a setting is wrong, `JOB_` where the caller gave what cannot be taken. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
  readonly code: `${'PLATFORM' | 'OPERATOR' | 'JOB' | 'DEFECT'}_${string}`;

  constructor(code: QueueError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** What may be said of an error in logs: its first 200 characters and its code; never the command, whose arguments hold whole scripts and job data. */
export function trimmedError(error: unknown): { name: string; message: string; code?: string } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error).slice(0, 200) };
  const nested = error instanceof AggregateError ? error.errors.find((inner) => inner instanceof Error) : undefined;
  // After an unknown command Redis repeats what was said with it.
  const message = (error.message || nested?.message || '').replace(/, with args beginning with: .*/s, '').slice(0, 200);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code === undefined ? { name: error.name, message } : { name: error.name, message, code };
}
