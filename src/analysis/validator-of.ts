import { isObject, type Json } from '../kernel/json.ts';
import { createValidator, type Validator } from '../schemas/validator.ts';

const cache = new WeakMap<object, Validator>();

/** The validator of a schema object; made once for each object, since analysis asks for the same one many times. */
export function validatorOf(schema: Json): Validator {
  if (!isObject(schema)) return createValidator(schema);
  const known = cache.get(schema);
  if (known !== undefined) return known;
  const made = createValidator(schema);
  cache.set(schema, made);
  return made;
}
