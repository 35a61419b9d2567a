import { escapeToken, isObject, type Json, pointerTokens, valueAt } from '../kernel/json.ts';
import { findJsonBlocks } from './json-blocks.ts';
import { pointersOf } from './located-json.ts';
import { isAmongWords, SPACED, UNSPACED, wordsOf } from './unspaced-words.ts';

/** What a peer's complaint names and quotes. A complaint is free text. */
export interface Complaint {
  /** JSON pointers in it. */
  pointers: string[];
  /** Names of schema members in it. */
  names: string[];
  /** JSON objects in it: quoted messages, or claimed ones. */
  quoted: Json[];
  /** Other quoted texts: messages of text protocols. */
  texts: string[];
  /** Words with a digit and short quoted texts: data that it may mention. */
  values: string[];
}

/** Longest part of a complaint that is read, in UTF-16 units. */
const maxCharacters = 64 * 1024;
const maxQuoted = 20;
const maxPointers = 50;
const maxValues = 12;

/**
 * Reads places and quoted messages from a complaint. `known` are the names that count as members. Pure, linear, never
 * throws.
 */
export function readComplaint(errorDescription: string, known: readonly string[]): Complaint {
  const text = errorDescription.slice(0, maxCharacters);
  const { blocks } = findJsonBlocks(text, []);
  const prose = [0, ...blocks.map(({ end }) => end)]
    .map((from, index) => text.slice(from, blocks[index]?.start ?? text.length))
    .join(' ');
  const places = placesIn(prose, new Set(known));
  const words = wordsOf(places.rest);
  return {
    pointers: [...new Set(places.pointers)].slice(0, maxPointers),
    names: known.filter((name) => words.has(name) || isAmongWords(name, places.rest, 2)),
    quoted: blocks.map(({ value }) => value).slice(0, maxQuoted),
    texts: textsIn(prose),
    values: valuesIn(places.rest),
  };
}

/** A fenced block; a text in quotation marks or inline code; the rest of a line after a colon. */
const textForms = [
  /^[ \t]*```[^\n]*\n([^`]{1,4000})\n[ \t]*```/gm,
  new RegExp(
    `${/"([^"\n]{1,200})"|“([^“”\n]{1,200})”|„([^„“”\n]{1,200})[“”]|«([^«»\n]{1,200})»|「([^「」\n]{1,200})」|`([^`\n]{1,200})`|‘([^‘’\n]{1,200})’/.source}|(?<!${SPACED})'([^'\\n]{1,200})'(?!${SPACED})`,
    'gu',
  ),
  /(?<=[:：][ \t]?)([^\s:："`“„«「][^\n:：]{0,200})$/gm,
];

function textsIn(prose: string): string[] {
  const found = textForms.flatMap((form) =>
    [...prose.matchAll(form).take(maxQuoted)].flatMap(([, ...parts]) => parts.filter((part) => part !== undefined)),
  );
  return [...new Set(found)].slice(0, maxQuoted);
}

/** A short text in quotation marks or inline code, or a word with a digit. */
const valueForm = /"([^"\n]{1,60})"|`([^`\n]{1,60})`|([\p{L}\p{N}_#-]{0,40}\p{Nd}[\p{L}\p{N}_.:@/#-]{0,40})/gu;

/** The part in a spaced script next to letters of an unspaced one: `order-7` in `订单order-7已取消`. */
const spacedValue = new RegExp(`(?:${SPACED}|[#-]){0,40}\\p{Nd}(?:${SPACED}|[.:@/#-]){0,40}`, 'gu');

function valuesIn(prose: string): string[] {
  const found = [...prose.matchAll(valueForm).take(maxPointers)].flatMap(([, ...parts]) => {
    const whole = parts.find((part) => part !== undefined) ?? '';
    return [...(parts[2]?.match(spacedValue) ?? []), whole].map((each) => each.replace(/[.:,/-]+$/, ''));
  });
  return [...new Set(found)].filter((value) => value !== '').slice(0, maxValues);
}

const pointerForm = new RegExp(
  String.raw`(?:(?<![\p{L}\p{N}_:/.])|(?<=${UNSPACED})(?!\/${UNSPACED}))(?:\/[\p{L}\p{N}_$@~-]{1,80}){1,12}`,
  'gu',
);

/** A path in program notation: `status.code`, `$.items[0].price`. */
const pathForm = new RegExp(
  String.raw`(?:(?<![\p{L}\p{N}_.\]])(?:\$\.)?[\p{L}_][\p{L}\p{N}_-]{0,80}|(?<=${UNSPACED})(?:${SPACED}|-){1,80})(?:\[\d{1,6}\]|\.[\p{L}_][\p{L}\p{N}_-]{0,80}){1,12}`,
  'gu',
);

/**
 * The places that a text names, as pointers into messages, and the text without them. If names are known, a place must
 * contain one.
 */
function placesIn(prose: string, known: ReadonlySet<string>): { pointers: string[]; rest: string } {
  const pointers: string[] = [];
  const withoutPointers = prose.replace(pointerForm, (written) => {
    const { tokens, end } = namesIn(written, known);
    const pointer = tokens.map((token) => `/${token}`).join('');
    const inside = known.size === 0 ? pointer : withinMessage(pointerTokens(pointer), known);
    if (inside === undefined) return written;
    pointers.push(pointer, inside);
    return ` ${written.slice(end)}`;
  });
  const rest = withoutPointers.replace(pathForm, (written) => {
    const [first = ''] = /^[^.[]*/.exec(written) ?? [];
    const before = first.slice(0, first.length - nameAtEnd(first, known).length);
    const path = written.slice(before.length);
    const { tokens, end } = namesIn(path, known);
    const inside = withinMessage(tokens, known);
    // A single known name may just end a sentence.
    if (inside === undefined || tokens.filter((token) => known.has(token)).length < 2) return written;
    pointers.push(inside);
    return `${before} ${path.slice(end)}`;
  });
  return { pointers, rest };
}

/** The names that make up a place, and the place's end: before unspaced text that follows it. */
function namesIn(place: string, known: ReadonlySet<string>): { tokens: string[]; end: number } {
  const tokens: string[] = [];
  let end = place.length;
  for (const { 0: written, index } of place.matchAll(/[^./[\]]+/g)) {
    const name = nameAtStart(written, known);
    tokens.push(name);
    if (name === written) continue;
    end = index + name.length;
    break;
  }
  return { tokens, end };
}

/** The longest known name at the start of a word that ends at a script border; else the part before unspaced text. */
function nameAtStart(written: string, known: ReadonlySet<string>): string {
  for (let end = written.length; end > 0; end -= 1)
    if (known.has(written.slice(0, end)) && isBorder(written, end)) return written.slice(0, end);
  return BEFORE_UNSPACED.exec(written)?.[0] ?? written;
}

/** The longest known name at the end of a word that starts at a script border. */
function nameAtEnd(written: string, known: ReadonlySet<string>): string {
  for (let start = 0; start < written.length; start += 1)
    if (known.has(written.slice(start)) && isBorder(written, start)) return written.slice(start);
  return written;
}

const BEFORE_UNSPACED = new RegExp(`^(?:(?!${UNSPACED}).)+(?=${UNSPACED})`, 'u');

const BORDER = new RegExp(`^.?$|${UNSPACED}`, 'u');

/** Whether a name may end here and another word begin. */
function isBorder(text: string, at: number): boolean {
  return BORDER.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** A place relative to its message: without a prefix such as `/0/response` and without schema keywords. */
function withinMessage(tokens: readonly string[], known: ReadonlySet<string>): string | undefined {
  const first = tokens.findIndex((token) => known.has(token));
  if (first < 0) return undefined;
  const inside = tokens.slice(first).filter((token) => known.has(token) || !/^(?:properties|items)$/.test(token));
  return inside.map((token) => `/${escapeToken(token)}`).join('');
}

/** A request quoted in a complaint, with the answer that it claims. */
export interface QuotedExchange {
  request: Json;
  response?: Json;
}

/**
 * The exchanges quoted in a complaint: each object with a request and a response, and each request with the value
 * quoted right after it as its answer. A quoted answer proves nothing; sending the request shows the real one.
 */
export function quotedExchanges({ quoted }: Complaint, isRequest: (value: Json) => boolean): QuotedExchange[] {
  const exchanges: QuotedExchange[] = [];
  let open: QuotedExchange | undefined;
  for (const value of quoted) {
    const pair = isObject(value) && value.request !== undefined && value.response !== undefined ? value : undefined;
    if (pair !== undefined && !isRequest(value)) {
      exchanges.push({ request: pair.request as Json, response: pair.response as Json });
      open = undefined;
    } else if (isRequest(value)) {
      open = { request: value };
      exchanges.push(open);
    } else if (open !== undefined) {
      open.response = value;
      open = undefined;
    }
  }
  return exchanges;
}

/**
 * Whether a complaint concerns a place: it names the place, an enclosing place, a place inside it, or the member. A
 * complaint without places concerns all.
 */
export function concerns({ pointers, names }: Complaint, pointer: string): boolean {
  if (pointers.length === 0 && names.length === 0) return true;
  const tokens = pointerTokens(pointer);
  if (names.some((name) => tokens.includes(name))) return true;
  return pointers.some((named) => isWithin(named, pointer) || isWithin(pointer, named));
}

/** Whether a complaint names this exact place or an enclosing one; a place inside it is a different matter. */
export function speaksOf({ pointers, names }: Complaint, pointer: string): boolean {
  return (
    names.includes(pointerTokens(pointer).at(-1) ?? '') ||
    pointers.some((named) => named !== '' && isWithin(pointer, named))
  );
}

/** The place in a message that a complaint names: a pointer, else the innermost member mentioned by name. */
export function placeSpokenOf({ pointers, names }: Complaint, message: Json): string | undefined {
  const named = pointers.find((pointer) => valueAt(message, pointer) !== undefined);
  if (named !== undefined || names.length === 0) return named;
  const depthOf = (pointer: string) => pointerTokens(pointer).length;
  const places = pointersOf(message, maxPlaces)
    .map(({ pointer }) => pointer)
    .filter((pointer) => names.includes(pointerTokens(pointer).at(-1) ?? ''));
  return places.reduce<string | undefined>(
    (best, pointer) => (best === undefined || depthOf(pointer) > depthOf(best) ? pointer : best),
    undefined,
  );
}

/** Most places examined in a message. */
const maxPlaces = 500;

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}/`);
}

/** The names of all members that a schema declares, at any depth. */
export function memberNames(schema: Json, depth = 0): string[] {
  if (depth > 64 || typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((one) => memberNames(one, depth + 1));
  const own = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  return [...own, ...Object.values(schema).flatMap((one) => memberNames(one, depth + 1))];
}
