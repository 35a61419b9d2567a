/**
 * An error of the sandbox. Its code says whose move it is: `PLATFORM_SANDBOX_…` ours, to retry; `OPERATOR_SANDBOX_…`
 * the operator's.
 */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly code:
    | 'OPERATOR_SANDBOX_LEVEL'
    | 'OPERATOR_SANDBOX_LIMITS'
    | 'PLATFORM_SANDBOX_BUSY'
    | 'PLATFORM_SANDBOX_CLOSED'
    | 'PLATFORM_SANDBOX_FRAME'
    | 'PLATFORM_SANDBOX_LOST'
    | 'PLATFORM_SANDBOX_START';

  constructor(code: SandboxError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
