import { escapeToken, isObject, type Json, type JsonObject } from '../../kernel/json.ts';

/** An input with one value that its schema forbids. */
export interface ForbiddenValue {
  pointer: string;
  /** The member's name; for an item, the list's. */
  name: string;
  /** The value before, if there was one. */
  from: Json | undefined;
  value: Json;
  input: Json;
}

/** Deepest nesting of members that is examined. */
const maxDepth = 3;

/** Longest text that is made to exceed a length limit. */
const maxTextLength = 2_000;

/**
 * Variants of an input, each with one value just outside its schema; top-level places first. Of a list's items, only
 * the first is tried.
 */
export function forbiddenValues(schema: Json, input: Json): ForbiddenValue[] {
  return membersOf(schema, input).flatMap(({ schema: own, at, pointer, name, put }) =>
    outside(own, at).map((value) => ({ pointer, name, from: at, value, input: put(value) })),
  );
}

/**
 * The members of an input that a schema declares, each with its schema; top-level places first. A list's first item
 * stands for all.
 */
export function membersOf(schema: Json, input: Json): (Place & { schema: JsonObject })[] {
  let level: Place[] = [{ schema, at: input, pointer: '', name: '', put: (value) => value }];
  const found: (Place & { schema: JsonObject })[] = [];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    for (const place of level)
      if (place.name !== '' && isObject(place.schema)) found.push({ ...place, schema: place.schema });
    level = level.flatMap(placesIn);
  }
  return found;
}

/** A place of an input. */
export interface Place {
  schema: Json;
  /** The value there, if any. */
  at: Json | undefined;
  pointer: string;
  name: string;
  /** The input with another value at this place. */
  put(value: Json): Json;
}

function placesIn({ schema, at, pointer, name, put }: Place): Place[] {
  if (!isObject(schema)) return [];
  const { properties, items = null } = schema;
  if (isObject(at) && isObject(properties))
    return Object.entries(properties).map(([key, member]) => ({
      schema: member,
      at: Object.hasOwn(at, key) ? at[key] : undefined,
      pointer: `${pointer}/${escapeToken(key)}`,
      name: key,
      put: (value) => put({ ...at, [key]: value }),
    }));
  if (!Array.isArray(at) || at.length === 0) return [];
  return [{ schema: items, at: at[0], pointer: `${pointer}/0`, name, put: (value) => put(at.with(0, value)) }];
}

/** Values just outside a schema, of the same type as the present one. */
function outside(schema: { [keyword: string]: Json }, at: Json | undefined): Json[] {
  const { minimum, maximum, minItems, minLength, maxLength, pattern, type, uniqueItems } = schema;
  const found: Json[] = [];
  if (typeof minItems === 'number' && minItems > 0) found.push([]);
  if (typeof maximum === 'number') found.push(maximum + 1);
  if (typeof minimum === 'number') {
    found.push(minimum - 1);
    // A negative number reverses what a handler does with it.
    if (typeof at === 'number' && at > 1 && minimum > -at) found.push(-at);
  }
  if (typeof at === 'number') {
    if (type === 'integer') found.push(at + 0.5);
    if (type === 'integer' || type === 'number') found.push(String(at));
  }
  if (Array.isArray(at) && at.length > 0 && uniqueItems === true) found.push([...at, at[0] as Json]);
  if (typeof at === 'string' && type === 'string') found.push(7);
  if (typeof at === 'string' && at !== '') {
    const last = [...at].at(-1) as string;
    if (typeof minLength === 'number' && minLength > 0) found.push([...at].slice(0, minLength - 1).join(''));
    if (typeof maxLength === 'number' && maxLength < maxTextLength)
      found.push(at + last.repeat(Math.max(0, maxLength + 1 - [...at].length)));
    // Other letters, too long, too short, and with a character that few patterns allow.
    if (typeof pattern === 'string')
      found.push(at.toLowerCase(), at.toUpperCase(), at + last, at.slice(0, -last.length), `#${at.slice(1)}`);
  }
  const { enum: words } = schema;
  if (Array.isArray(words) && words.length > 1) {
    if (words.every((word) => typeof word === 'number' && Number.isInteger(word))) {
      const [least, most] = [Math.min(...(words as number[])), Math.max(...(words as number[]))];
      found.push(most + 2, ...(words.includes(least + 1) ? [] : [least + 1]));
    } else if (words.every((word) => typeof word === 'string' && /^\p{L}{3,}$/u.test(word))) found.push('zzqx');
  }
  return found;
}
