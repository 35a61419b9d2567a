import { isObject, type Json } from '../kernel/json.ts';
import { createValidator, type Validator } from './validator.ts';

/** Most cached validators (least recently used are dropped). One takes some hundred KiB. */
const maxCached = 100;

/** Longest schema text whose validator is cached, in UTF-16 units. */
const maxCachedCharacters = 64 * 1024;

const byObject = new WeakMap<object, Validator>();
const byText = new Map<string, Validator>();

/**
 * The validator of a schema, cached: compiling takes a millisecond or more, and the same schema is used many times in a
 * job and by later jobs of the same agreement. The schema must not be changed afterwards.
 */
export function validatorOf(schema: Json): Validator {
  if (!isObject(schema)) return createValidator(schema);
  const known = byObject.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  const validator = byText.get(text) ?? createValidator(schema);
  byObject.set(schema, validator);
  if (text.length > maxCachedCharacters) return validator;
  byText.delete(text);
  byText.set(text, validator);
  for (const oldest of byText.keys()) {
    if (byText.size <= maxCached) break;
    byText.delete(oldest);
  }
  return validator;
}
