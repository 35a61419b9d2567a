import { isObject, type Json, pointerTokens } from '../kernel/json.ts';
import { findJsonBlocks } from './json-blocks.ts';

/** What can be made out of a peer's complaint, a text that may say anything. */
export interface Complaint {
  /** JSON pointers that it names. */
  pointers: string[];
  /** Names of members that it mentions, out of those that the schemas know. */
  names: string[];
  /** JSON objects that stand in it: messages that it quotes, or claims to. */
  quoted: Json[];
}

/** Longest complaint that is read, in UTF-16 units. */
const maxCharacters = 64 * 1024;
const maxQuoted = 20;
const maxPointers = 50;

/** Reads a complaint for places and quoted messages. `known` are the names that count as members. Pure, linear, never throws. */
export function readComplaint(errorDescription: string, known: readonly string[]): Complaint {
  const text = errorDescription.slice(0, maxCharacters);
  const { blocks } = findJsonBlocks(text, []);
  const prose = [0, ...blocks.map(({ end }) => end)]
    .map((from, index) => text.slice(from, blocks[index]?.start ?? text.length))
    .join(' ');
  const pointers = [...prose.matchAll(/(?<![\w:/.])(?:\/[\w$@~-]{1,80}){1,12}/g)].map(([pointer]) => pointer);
  const words = new Set(prose.match(/[\p{L}\p{N}_$-]{1,80}/gu) ?? []);
  return {
    pointers: [...new Set(pointers)].slice(0, maxPointers),
    names: known.filter((name) => words.has(name)),
    quoted: blocks.map(({ value }) => value).slice(0, maxQuoted),
  };
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
