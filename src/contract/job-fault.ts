import type { Code } from '../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';

/** A fault in a job's data, at a JSON pointer (RFC 6901). */
export interface JobFault {
  code: Extract<Code, `JOB_${string}`>;
  pointer: string;
  message: string;
  expected?: Json;
  actual?: Json;
}

/** Builds a job fault with its message. */
export function fault(
  code: JobFault['code'],
  pointer: string,
  found: string,
  more: { expected?: Json; actual?: Json } = {},
): JobFault {
  const place = pointer === '' ? '' : ` at ${shortened(pointer)}`;
  return { code, pointer, message: `Cannot accept job${place}: ${found}`, ...more };
}

/** A text cut to 120 characters, as a JSON string. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text));
}

/** A text cut to 120 characters. */
export function shortened(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119).toWellFormed()}…`;
}

/** An own member of an object; `undefined` if absent or if the value is not an object. */
export function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value as JsonObject, name) ? (value as JsonObject)[name] : undefined;
}
