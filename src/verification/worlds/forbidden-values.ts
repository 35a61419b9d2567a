import { escapeToken, isObject, type Json, type JsonObject } from '../../kernel/json.ts';

/** An input with one value that its schema forbids in its place. */
export interface ForbiddenValue {
  pointer: string;
  /** The member that it stands under; that of the list, for an item. */
  name: string;
  /** What stood there, if anything did. */
  from: Json | undefined;
  value: Json;
  input: Json;
}

/** Members within members and items are not entered deeper than this. */
const maxDepth = 3;

/** Texts are not made longer than this to be too long. */
const maxTextLength = 2_000;

/** The inputs that come of one by a single value just beyond what its schema allows, the places at the top first; of the items of a list the first is tried. */
export function forbiddenValues(schema: Json, input: Json): ForbiddenValue[] {
  return membersOf(schema, input).flatMap(({ schema: own, at, pointer, name, put }) =>
    outside(own, at).map((value) => ({ pointer, name, from: at, value, input: put(value) })),
  );
}

/** The members that a schema declares for an input, each with its schema, the places at the top first; of the items of a list the first stands for all. */
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
  /** What stands there, if anything does. */
  at: Json | undefined;
  pointer: string;
  name: string;
  /** The input with another value in this place. */
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

/** Values just beyond what a schema allows, of the kind of what stands there. */
function outside(schema: { [keyword: string]: Json }, at: Json | undefined): Json[] {
  const { minimum, maximum, minItems, minLength, maxLength, pattern, type, uniqueItems } = schema;
  const found: Json[] = [];
  if (typeof minItems === 'number' && minItems > 0) found.push([]);
  if (typeof maximum === 'number') found.push(maximum + 1);
  if (typeof minimum === 'number') {
    found.push(minimum - 1);
    // What is below nothing turns round what is done with it.
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
    // Of other letters, too long, too short, and with a sign that few patterns have.
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
