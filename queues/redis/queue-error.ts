/** Every code of this folder; docs/errors.md explains each. */
export type QueueCode =
  | 'DEFECT_GIVE_UP'
  | 'DEFECT_NOT_RUNNING'
  | 'DEFECT_NO_OUTCOME'
  | 'DEFECT_NO_PORT'
  | 'DEFECT_UNCODED'
  | 'JOB_CANCELLED'
  | 'JOB_ID_INVALID'
  | 'JOB_ID_MISSING'
  | 'JOB_ID_REUSED'
  | 'JOB_INVALID'
  | 'JOB_NOT_DEAD'
  | 'JOB_TENANT_FULL'
  | 'JOB_TOO_DEEP'
  | 'JOB_TOO_LARGE'
  | 'JOB_UNKNOWN'
  | 'JOB_VERSION_UNSUPPORTED'
  | 'OPERATOR_EMBEDDED_REDIS'
  | 'OPERATOR_NO_REDIS'
  | 'OPERATOR_PREFIX_UNSAFE'
  | 'OPERATOR_REDIS_CLUSTER'
  | 'OPERATOR_REDIS_DATABASE'
  | 'OPERATOR_REDIS_DURABILITY_UNKNOWN'
  | 'OPERATOR_REDIS_EVICTS'
  | 'OPERATOR_REDIS_KEY_TAKEN'
  | 'OPERATOR_REDIS_LOGIN'
  | 'OPERATOR_REDIS_NEARLY_FULL'
  | 'OPERATOR_REDIS_NOT_DURABLE'
  | 'OPERATOR_REDIS_PERMISSION'
  | 'OPERATOR_REDIS_REPLICA'
  | 'OPERATOR_REDIS_TOO_OLD'
  | 'OPERATOR_REDIS_URL_INVALID'
  | 'PLATFORM_DEADLINE'
  | 'PLATFORM_JOB_GIVEN_UP'
  | 'PLATFORM_LATE_ENOUGH'
  | 'PLATFORM_LEASE_LOST'
  | 'PLATFORM_LOCK_LOST'
  | 'PLATFORM_OUTCOME_LOST'
  | 'PLATFORM_REDIS_FEW_REPLICAS'
  | 'PLATFORM_REDIS_FULL'
  | 'PLATFORM_REDIS_UNREACHABLE'
  | 'PLATFORM_REDIS_UNSAVED'
  | 'PLATFORM_WORKER_STOPPING';

/**
 * An error of this folder: `PLATFORM_` if Redis failed, `OPERATOR_` if a setting is wrong, `JOB_` if the caller's job
 * cannot be accepted.
 */
export class QueueError extends Error {
  override readonly name = 'QueueError';
  readonly code: QueueCode;

  constructor(code: QueueError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * What logs may contain of an error: its first 200 characters and its code, never the command, whose arguments contain
 * scripts and job data.
 */
export function trimmedError(error: unknown): { name: string; message: string; code?: string } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error).slice(0, 200) };
  const nested = error instanceof AggregateError ? error.errors.find((inner) => inner instanceof Error) : undefined;
  // For an unknown command Redis repeats its arguments.
  const message = (error.message || nested?.message || '').replace(/, with args beginning with: .*/s, '').slice(0, 200);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code === undefined ? { name: error.name, message } : { name: error.name, message, code };
}
