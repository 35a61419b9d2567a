import type { ErrorObject } from 'ajv/dist/2020.js';
import type { JobFault, Json, JsonObject } from '../../queues/job.ts';
import type { Limit } from '../../queues/limits.ts';
import { member } from './readable.ts';

/** A fault of a job in words. */
export function fault(
  code: JobFault['code'],
  pointer: string,
  found: string,
  more: { expected?: Json; actual?: Json },
): JobFault {
  const place = pointer === '' ? '' : ` at ${shortened(pointer)}`;
  return { code, pointer, message: `Cannot accept job${place}: ${found}`, ...more };
}

/** The fault of a version that is not known. */
export function versionFault(version: Json | undefined): JobFault {
  const more = { expected: 1, ...actualOf(version) };
  return fault('JOB_VERSION_UNSUPPORTED', '/version', `found ${described(version)}, wanted 1`, more);
}

/** The fault of more than a limit allows. */
export function tooLarge(pointer: string, found: number, limit: Limit): JobFault {
  const message = `found ${found} ${limit.unit}, wanted at most ${limit.value}`;
  return fault('JOB_TOO_LARGE', pointer, message, { expected: limit.value, actual: found });
}

/** What the schema finds, each fault once. */
export function schemaFaults(errors: readonly ErrorObject[], data: JsonObject): JobFault[] {
  const seen = new Set<string>();
  const faults: JobFault[] = [];
  for (const error of errors) {
    // The branches of a choice speak of forms that were not meant; the choice itself says what is wanted.
    if (error.keyword === 'if' || /\/oneOf\/\d+\//.test(error.schemaPath)) continue;
    const found = schemaFault(error, data);
    const key = `${found.pointer} ${found.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    faults.push(found);
  }
  return faults;
}

function schemaFault(error: ErrorObject, data: JsonObject): JobFault {
  const params = error.params as Record<string, Json>;
  const at = error.instancePath;
  if (error.keyword === 'required') {
    const pointer = `${at}/${escapeToken(String(params.missingProperty))}`;
    return fault('JOB_INVALID', pointer, 'found nothing, wanted a value', {});
  }
  if (error.keyword === 'additionalProperties') {
    const name = String(params.additionalProperty);
    const pointer = `${at}/${escapeToken(name).slice(0, 1_000)}`;
    return fault('JOB_INVALID', pointer, 'found a member that version 1 does not know, wanted none', {});
  }
  const value = valueAt(data, at);
  if (at === '/version') return versionFault(value);
  const { wanted, expected } = wish(error, params);
  return fault('JOB_INVALID', at, `found ${described(value)}, wanted ${wanted}`, {
    ...(expected === undefined ? {} : { expected }),
    ...actualOf(value),
  });
}

function wish(error: ErrorObject, params: Record<string, Json>): { wanted: string; expected?: Json } {
  const { type, limit, pattern, allowedValues, allowedValue } = params;
  switch (error.keyword) {
    case 'type':
      return {
        wanted: `a value of type ${[type].flat().join(' or ')}`,
        ...(type === undefined ? {} : { expected: type }),
      };
    case 'const':
      return {
        wanted: JSON.stringify(allowedValue),
        ...(allowedValue === undefined ? {} : { expected: allowedValue }),
      };
    case 'enum': {
      const values = Array.isArray(allowedValues) ? allowedValues : [];
      return { wanted: `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`, expected: values };
    }
    case 'pattern':
      return {
        wanted: `a string that matches ${String(pattern)}`,
        ...(pattern === undefined ? {} : { expected: pattern }),
      };
    case 'minimum':
      return { wanted: `at least ${String(limit)}`, ...(limit === undefined ? {} : { expected: limit }) };
    case 'maximum':
      return { wanted: `at most ${String(limit)}`, ...(limit === undefined ? {} : { expected: limit }) };
    case 'minLength':
      return { wanted: `at least ${String(limit)} characters` };
    case 'maxLength':
      return { wanted: `at most ${String(limit)} characters` };
    case 'minItems':
      return { wanted: `at least ${String(limit)} items` };
    case 'oneOf':
      return { wanted: 'an object with either "output" or "error"' };
    case 'not':
      return { wanted: 'a name that is no member of Object.prototype' };
    default:
      return { wanted: error.message ?? error.keyword };
  }
}

function valueAt(root: Json, pointer: string): Json | undefined {
  let here: Json | undefined = root;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    here = typeof here === 'object' && here !== null ? member(here as JsonObject, name) : undefined;
  }
  return here;
}

/** A member's name as a token of a JSON pointer. */
export function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

function actualOf(value: Json | undefined): { actual?: Json } {
  if (value === undefined || (typeof value === 'object' && value !== null)) return {};
  return { actual: typeof value === 'string' ? shortened(value) : value };
}

function described(value: Json | undefined): string {
  if (typeof value === 'string') return quoted(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOfValue(value);
}

/** A short text in quotation marks. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text));
}

/** A text of at most 120 characters. */
export function shortened(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119).toWellFormed()}…`;
}

/** What kind of value is there, in words. */
export function kindOfValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
