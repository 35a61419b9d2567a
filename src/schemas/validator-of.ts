import { isObject, type Json } from '../kernel/json.ts';
import { createValidator, type Validator } from './validator.ts';

/** Validators kept; the one longest unused makes room. One takes some hundred KiB. */
const maxKept = 100;

/** Longest schema text whose validator is kept, in UTF-16 units. */
const maxKeptCharacters = 64 * 1024;

const byObject = new WeakMap<object, Validator>();
const byText = new Map<string, Validator>();

/**
 * The validator of a schema, made once: compiling takes a millisecond or more, and the same schema is asked for many times in a job and again by
 * the next job of the same agreement. A schema must not be changed once its validator was asked for.
 */
export function validatorOf(schema: Json): Validator {
  if (!isObject(schema)) return createValidator(schema);
  const known = byObject.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  const validator = byText.get(text) ?? createValidator(schema);
  byObject.set(schema, validator);
  if (text.length > maxKeptCharacters) return validator;
  byText.delete(text);
  byText.set(text, validator);
  for (const oldest of byText.keys()) {
    if (byText.size <= maxKept) break;
    byText.delete(oldest);
  }
  return validator;
}
