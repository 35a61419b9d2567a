/** The kind of an error of Redis, safe as a label: its code, else the first word of its message, else `other`. */
export function redisErrorKind({ code = '', message = '' }: { code?: string | undefined; message?: string }): string {
  return /^[A-Z][A-Z_]{1,30}$/.exec(code)?.[0] ?? /^[A-Z]{2,20}\b/.exec(message)?.[0] ?? 'other';
}
