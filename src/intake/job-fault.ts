import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Limit } from '../../queues/index.ts';
import { fault, type JobFault, quoted, shortened } from '../contract/job-fault.ts';
import { escapeToken, type Json, type JsonObject, valueAt } from '../kernel/json.ts';

/** The fault of an unsupported version. */
export function versionFault(version: Json | undefined): JobFault {
  const more = { expected: 1, ...actualOf(version) };
  return fault('JOB_VERSION_UNSUPPORTED', '/version', `found ${described(version)}, wanted 1`, more);
}

/** The fault of data that exceed a limit. */
export function tooLarge(pointer: string, found: number, limit: Limit): JobFault {
  const message = `found ${found} ${limit.unit}, wanted at most ${limit.value}`;
  return fault('JOB_TOO_LARGE', pointer, message, { expected: limit.value, actual: found });
}

/** The faults that the schema reports, without duplicates. */
export function schemaFaults(errors: readonly ErrorObject[], data: JsonObject): JobFault[] {
  const seen = new Set<string>();
  const faults: JobFault[] = [];
  for (const error of errors) {
    // Errors of single branches of a `oneOf` mislead; the error of the `oneOf` itself says what is wanted.
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
    return fault('JOB_INVALID', pointer, 'found a member that is unknown in version 1, wanted none', {});
  }
  const value = valueAt(data, at);
  if (at === '/version') return versionFault(value);
  const { wanted, expected } = expectation(error, params);
  return fault('JOB_INVALID', at, `found ${described(value)}, wanted ${wanted}`, {
    ...(expected === undefined ? {} : { expected }),
    ...actualOf(value),
  });
}

function expectation(error: ErrorObject, params: Record<string, Json>): { wanted: string; expected?: Json } {
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
      return { wanted: 'a name that is not a member of Object.prototype' };
    default:
      return { wanted: error.message ?? error.keyword };
  }
}

function actualOf(value: Json | undefined): { actual?: Json } {
  if (value === undefined || (typeof value === 'object' && value !== null)) return {};
  return { actual: typeof value === 'string' ? shortened(value) : value };
}

function described(value: Json | undefined): string {
  if (typeof value === 'string') return quoted(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOfValue(value);
}

/** Describes the type of a value in words. */
export function kindOfValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
