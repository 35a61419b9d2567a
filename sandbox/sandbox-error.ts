/** A fault of the sandbox that is thrown. Its code says whose move it is: `PLATFORM_SANDBOX_…` ours to retry, `OPERATOR_SANDBOX_…` the operator's. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly code: `PLATFORM_SANDBOX_${string}` | `OPERATOR_SANDBOX_${string}`;

  constructor(code: SandboxError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
