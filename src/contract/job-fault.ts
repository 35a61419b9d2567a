import type { Code } from '../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';

/** A fault of a job's data, at a JSON pointer (RFC 6901) into them. */
export interface JobFault {
  code: Extract<Code, `JOB_${string}`>;
  pointer: string;
  message: string;
  expected?: Json;
  actual?: Json;
}

/** A fault of a job in words. */
export function fault(
  code: JobFault['code'],
  pointer: string,
  found: string,
  more: { expected?: Json; actual?: Json } = {},
): JobFault {
  const place = pointer === '' ? '' : ` at ${shortened(pointer)}`;
  return { code, pointer, message: `Cannot accept job${place}: ${found}`, ...more };
}

/** A short text in quotation marks. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text));
}

/** A text of at most 120 characters. */
export function shortened(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119).toWellFormed()}…`;
}

/** A member of its own that an object has; `undefined` where the value is no object. */
export function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value as JsonObject, name) ? (value as JsonObject)[name] : undefined;
}
