/** A JSON value (RFC 8259). */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [name: string]: Json;
}

/** Whether a value is a JSON object: neither `null` nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One reference token escaped for a JSON pointer (RFC 6901, section 3). */
export function escapeToken(token: string | number): string {
  const text = String(token);
  return /[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
}

/** The unescaped reference tokens of a JSON pointer (RFC 6901, section 4); none for the empty pointer. */
export function pointerTokens(pointer: string): string[] {
  return pointer === '' ? [] : pointer.slice(1).split('/').map(unescaped);
}

function unescaped(token: string): string {
  return token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token;
}

/** The value at a JSON pointer, or `undefined`; own members only. */
export function valueAt(root: Json, pointer: string): Json | undefined {
  let here: Json | undefined = root;
  for (let slash = pointer === '' ? -1 : 0; slash >= 0; ) {
    const next = pointer.indexOf('/', slash + 1);
    const token = unescaped(next < 0 ? pointer.slice(slash + 1) : pointer.slice(slash + 1, next));
    if (Array.isArray(here)) here = /^(0|[1-9]\d*)$/.test(token) ? here[Number(token)] : undefined;
    else if (isObject(here)) here = Object.hasOwn(here, token) ? here[token] : undefined;
    else return undefined;
    slash = next;
  }
  return here;
}

/**
 * The shape of a value without its data: every scalar becomes the name of its type, every list is cut to its first
 * item.
 */
export function shapeOf(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
  return value === null ? null : `<${typeof value}>`;
}

/** The cost of parsing one value, expressed in characters. */
const valueWeight = 16;

/** The cost of parsing a JSON text, in characters: its length, plus a constant for each comma. */
export function weightOf(json: string): number {
  let weight = json.length;
  for (let at = json.indexOf(','); at >= 0; at = json.indexOf(',', at + 1)) weight += valueWeight;
  return weight;
}

const NUMERAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Whether a JSON number has the same digits after it is parsed as a double and written again. Below 2^53, extra digits
 * after the point do not count as lost: such numbers are measured, not counted.
 */
export function keepsDigits(numeral: string): boolean {
  const value = Number(numeral);
  if (!Number.isFinite(value)) return false;
  if (value === 0) return decimalOf(numeral) === decimalOf('0');
  return Math.abs(value) < 2 ** 53 || decimalOf(numeral) === decimalOf(String(value));
}

/** A decimal numeral in normal form: its digits without leading and trailing zeros, and their power of ten. */
function decimalOf(numeral: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = NUMERAL.exec(numeral) ?? [];
  const digits = `${whole}${fraction}`;
  const [first, end] = [digits.search(/[1-9]/), digits.length - trailingZeros(digits)];
  return first < 0 ? '0' : `${digits.slice(first, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

function trailingZeros(digits: string): number {
  let count = 0;
  while (digits.charCodeAt(digits.length - 1 - count) === ZERO) count += 1;
  return count;
}

const ZERO = 0x30;

/** Matches in every text with a number that `keepsDigits` rejects. */
const MAY_LOSE_DIGITS = /\d{16}|\d[eE]/;

/** A cheap test whether a JSON text may contain a number that loses digits. */
export function mayLoseDigits(json: string): boolean {
  return MAY_LOSE_DIGITS.test(json);
}
