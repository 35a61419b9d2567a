import { escapeToken, isObject, type Json, pointerTokens, valueAt } from '../kernel/json.ts';
import { findJsonBlocks } from './json-blocks.ts';
import { pointersOf } from './located-json.ts';

/** What can be made out of a peer's complaint, a text that may say anything. */
export interface Complaint {
  /** JSON pointers that it names. */
  pointers: string[];
  /** Names of members that it mentions, out of those that the schemas know. */
  names: string[];
  /** JSON objects that stand in it: messages that it quotes, or claims to. */
  quoted: Json[];
  /** Texts that it quotes otherwise: messages of a protocol whose messages are texts. */
  texts: string[];
  /** Words with a digit, and short texts that it quotes: data that it may speak of. */
  values: string[];
}

/** Longest complaint that is read, in UTF-16 units. */
const maxCharacters = 64 * 1024;
const maxQuoted = 20;
const maxPointers = 50;
const maxValues = 12;

/** Reads a complaint for places and quoted messages. `known` are the names that count as members. Pure, linear, never throws. */
export function readComplaint(errorDescription: string, known: readonly string[]): Complaint {
  const text = errorDescription.slice(0, maxCharacters);
  const { blocks } = findJsonBlocks(text, []);
  const prose = [0, ...blocks.map(({ end }) => end)]
    .map((from, index) => text.slice(from, blocks[index]?.start ?? text.length))
    .join(' ');
  const places = placesIn(prose, new Set(known));
  const words = new Set(places.rest.match(/[\p{L}\p{N}_$-]{1,80}/gu) ?? []);
  return {
    pointers: [...new Set(places.pointers)].slice(0, maxPointers),
    names: known.filter((name) => words.has(name) || (UNPARTED.test(name) && places.rest.includes(name))),
    quoted: blocks.map(({ value }) => value).slice(0, maxQuoted),
    texts: textsIn(prose),
    values: valuesIn(places.rest),
  };
}

/** A fenced block; what stands between quotation marks or as code in a line; what follows a colon to the end of its line. */
const textForms = [
  /^[ \t]*```[^\n]*\n([^`]{1,4000})\n[ \t]*```/gm,
  /"([^"\n]{1,200})"|“([^“”\n]{1,200})”|„([^„“”\n]{1,200})[“”]|«([^«»\n]{1,200})»|「([^「」\n]{1,200})」|`([^`\n]{1,200})`|‘([^‘’\n]{1,200})’|(?<![\p{L}\p{N}])'([^'\n]{1,200})'(?![\p{L}\p{N}])/gu,
  /(?<=[:：][ \t]?)([^\s:："`“„«「][^\n:：]{0,200})$/gm,
];

function textsIn(prose: string): string[] {
  const found = textForms.flatMap((form) =>
    [...prose.matchAll(form).take(maxQuoted)].flatMap(([, ...parts]) => parts.filter((part) => part !== undefined)),
  );
  return [...new Set(found)].slice(0, maxQuoted);
}

/** A short text between quotation marks or as code, or a word with a digit. */
const valueForm = /"([^"\n]{1,60})"|`([^`\n]{1,60})`|([\p{L}\p{N}_#-]{0,40}\p{Nd}[\p{L}\p{N}_.:@/#-]{0,40})/gu;

function valuesIn(prose: string): string[] {
  const found = [...prose.matchAll(valueForm).take(maxPointers)].map(([, ...parts]) =>
    (parts.find((part) => part !== undefined) ?? '').replace(/[.:,/-]+$/, ''),
  );
  return [...new Set(found)].filter((value) => value !== '').slice(0, maxValues);
}

/** Names in languages that part no words. */
const UNPARTED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2,}$/u;

const pointerForm = /(?<![\p{L}\p{N}_:/.])(?:\/[\p{L}\p{N}_$@~-]{1,80}){1,12}/gu;

/** A path as programs write it: `status.code`, `$.items[0].price`. */
const pathForm =
  /(?<![\p{L}\p{N}_.\]])(?:\$\.)?[\p{L}_][\p{L}\p{N}_-]{0,80}(?:\[\d{1,6}\]|\.[\p{L}_][\p{L}\p{N}_-]{0,80}){1,12}/gu;

/** The places that a text names, as pointers into messages, and the text without them. Where names are known, a place without any is none of a message. */
function placesIn(prose: string, known: ReadonlySet<string>): { pointers: string[]; rest: string } {
  const pointers: string[] = [];
  const withoutPointers = prose.replace(pointerForm, (pointer) => {
    const inside = known.size === 0 ? pointer : withinMessage(pointerTokens(pointer), known);
    if (inside === undefined) return pointer;
    pointers.push(pointer, inside);
    return ' ';
  });
  const rest = withoutPointers.replace(pathForm, (path) => {
    const tokens = path
      .replace(/^\$\./, '')
      .split(/[.[\]]+/)
      .filter((token) => token !== '');
    const inside = withinMessage(tokens, known);
    // One known name may as well end a sentence.
    if (inside === undefined || tokens.filter((token) => known.has(token)).length < 2) return path;
    pointers.push(inside);
    return ' ';
  });
  return { pointers, rest };
}

/** A place from the root of its message: without what leads there, such as `/0/response`, and without keywords of its schema. */
function withinMessage(tokens: readonly string[], known: ReadonlySet<string>): string | undefined {
  const first = tokens.findIndex((token) => known.has(token));
  if (first < 0) return undefined;
  const inside = tokens.slice(first).filter((token) => known.has(token) || !/^(?:properties|items)$/.test(token));
  return inside.map((token) => `/${escapeToken(token)}`).join('');
}

/** A request that a complaint quotes, with the answer that it says was given. */
export interface QuotedExchange {
  request: Json;
  response?: Json;
}

/**
 * The exchanges that a complaint quotes: each object with a request and a response in it, each request, and what is quoted right after it as its
 * answer. Quoting an answer proves nothing; what the request is answered with can be seen.
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

/** Whether a complaint speaks of a place: it names it, a place around it, one inside it, or the member itself. One that names no place speaks of all. */
export function concerns({ pointers, names }: Complaint, pointer: string): boolean {
  if (pointers.length === 0 && names.length === 0) return true;
  const tokens = pointerTokens(pointer);
  if (names.some((name) => tokens.includes(name))) return true;
  return pointers.some((named) => isWithin(named, pointer) || isWithin(pointer, named));
}

/** Whether a complaint speaks of this very place, or of one around it: what it says of a place inside is about something else. */
export function speaksOf({ pointers, names }: Complaint, pointer: string): boolean {
  return (
    names.includes(pointerTokens(pointer).at(-1) ?? '') ||
    pointers.some((named) => named !== '' && isWithin(pointer, named))
  );
}

/** The place in a message that a complaint speaks of: a pointer that it names, else the innermost member whose name it mentions. */
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

/** Places of a message that are looked at. */
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
