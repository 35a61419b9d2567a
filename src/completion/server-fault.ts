import { isObject, type Json } from '../kernel/json.ts';

/** A server's error report, whatever its form. */
export interface ServerFault {
  /** The HTTP status, or the number in the body if that says more. `undefined` if there is neither. */
  status: number | undefined;
  /** Error codes and types. */
  names: string;
  /** The request parameter that the error names. */
  place: string;
  /** Its messages, at most `MAX_CHARACTERS`. */
  words: string;
  /** Whether it is a web page, not an API response. */
  isPage: boolean;
  headers: Headers | undefined;
  /** Token counts, if they are separate members. */
  tokens: { prompt?: number | undefined; context?: number | undefined };
}

/** A server refused a request, or failed during the answer. */
export class ServerRefusal extends Error {
  readonly fault: ServerFault;

  constructor(fault: ServerFault) {
    super('Cannot ask model: the server refuses, wanted an answer');
    this.fault = fault;
  }
}

const MAX_CHARACTERS = 2_000;
const MAX_DEPTH = 6;
const MAX_VISITS = 200;

/** Members that contain messages or nested errors, the most common ones first. */
const SAYING = [
  ...['error', 'message', 'detail', 'details', 'errors', 'msg', 'errorMessage', 'error_message', 'error_msg'],
  ...['error_description', 'title', 'description', 'reason', 'retryDelay', 'status_msg', 'base_resp', 'innererror'],
  ...['metadata', 'raw', 'Message', 'fault', 'faultstring', 'response', 'body', 'errorMsg', 'err'],
];
const NAMING = ['code', 'type', 'status', 'error_type', 'error_code', 'errorCode', 'statusCode', 'status_code'];
const PLACING = ['param', 'loc', 'parameter', 'field'];

/** Reads an error response: JSON in any form, an event, a text or a web page. */
export function readFault(httpStatus: number | undefined, body: unknown, headers?: Headers): ServerFault {
  const text = typeof body === 'string' ? body.replace(/^[\s\ufeff]+/, '') : '';
  const isPage = /^<(?:!doctype|html|head|body|\?xml|center|h1)/i.test(text);
  const found = new Findings();
  if (isPage) found.say(/<title>([^<]{0,200})/i.exec(text.slice(0, 20_000))?.[1] ?? '');
  else found.visit(typeof body === 'string' ? (jsonIn(text) ?? text) : body, 0);
  // In a form that is not known, the whole body is the message.
  if (found.words.length === 0 && typeof body === 'object') found.say(JSON.stringify(body).slice(0, MAX_CHARACTERS));
  else if (found.words.length === 0 && !isPage) found.say(text);
  const isVague = httpStatus === undefined || httpStatus < 400 || httpStatus === 400 || httpStatus >= 500;
  const status = isVague && found.number !== undefined ? found.number : httpStatus;
  return {
    status: status === 200 ? undefined : status,
    names: found.names.join(' '),
    place: found.places.join(' '),
    words: found.words.join('; ').slice(0, MAX_CHARACTERS),
    isPage,
    headers,
    tokens: found.tokens,
  };
}

/** Whether a value received instead of an answer, or of a piece of one, is an error report. */
export function isFault(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isFault);
  if (!isObject(value)) return false;
  const { error, errors, choices, object, type, detail, message } = value;
  if (isPresent(error) || isPresent(errors)) return true;
  if (Array.isArray(choices)) return choices.some((one) => isObject(one) && isPresent(one.error));
  if (choices !== undefined && choices !== null) return false;
  const isWords = typeof message === 'string' && message !== '';
  return object === 'error' || type === 'error' || isPresent(detail) || isPresent(value.base_resp) || isWords;
}

function isPresent(member: Json | undefined): boolean {
  if (typeof member === 'object' && member !== null) return Object.keys(member).length > 0;
  return member !== undefined && member !== null && member !== '' && member !== false && member !== 0;
}

/** A JSON value, alone or in the first event of a stream; `undefined` if there is none. */
function jsonIn(text: string): unknown {
  const json = /^(?:event:[^\n]*\n)?data:/.test(text) ? text.slice(text.indexOf('data:') + 5).split('\n')[0] : text;
  try {
    return /^\s*[[{]/.test(json ?? '') ? JSON.parse(json ?? '') : undefined;
  } catch {
    return undefined;
  }
}

/** Collects the parts of an error report, within bounds. */
class Findings {
  readonly names: string[] = [];
  readonly places: string[] = [];
  readonly words: string[] = [];
  readonly tokens: ServerFault['tokens'] = {};
  number: number | undefined;
  #visits = 0;

  visit(value: unknown, depth: number): void {
    this.#visits += 1;
    if (depth > MAX_DEPTH || this.#visits > MAX_VISITS) return;
    if (typeof value === 'string') {
      const nested = jsonIn(value);
      if (nested === undefined) this.say(value);
      else this.visit(nested, depth + 1);
    } else if (Array.isArray(value)) for (const one of value.slice(0, 20)) this.visit(one, depth + 1);
    else if (isObject(value)) this.#visitObject(value, depth);
  }

  say(words: string): void {
    const shown = words.trim().slice(0, MAX_CHARACTERS);
    if (shown !== '' && !this.words.includes(shown)) this.words.push(shown);
  }

  #visitObject(value: { [name: string]: Json }, depth: number): void {
    for (const name of NAMING) if (Object.hasOwn(value, name)) this.#name(value[name], name);
    for (const name of PLACING) this.#place(Object.hasOwn(value, name) ? value[name] : undefined);
    for (const name of SAYING) if (Object.hasOwn(value, name)) this.visit(value[name], depth + 1);
    for (const one of Array.isArray(value.choices) ? value.choices.slice(0, 2) : [])
      if (isObject(one)) this.visit(one.error, depth + 1);
    this.tokens.prompt ??= countIn(value, ['n_prompt_tokens', 'prompt_tokens', 'input_tokens']);
    this.tokens.context ??= countIn(value, ['n_ctx', 'context_length', 'max_context_length']);
  }

  #name(member: Json | undefined, name: string): void {
    const number = typeof member === 'number' || typeof member === 'string' ? Number(member) : Number.NaN;
    if (Number.isInteger(number) && number >= 400 && number < 600) this.number ??= number;
    else if (typeof member === 'string' && this.names.length < 20) this.names.push(member.slice(0, 100));
    else if (typeof member === 'object' && name === 'status') this.visit(member, MAX_DEPTH - 1);
  }

  #place(member: Json | undefined): void {
    const parts = Array.isArray(member) ? member : [member];
    const words = parts.filter((one) => typeof one === 'string' || typeof one === 'number');
    if (words.length > 0 && this.places.length < 20) this.places.push(words.join('.').slice(0, 100));
  }
}

function countIn(value: { [name: string]: Json }, names: readonly string[]): number | undefined {
  const found = names.map((name) => value[name]).find((one) => typeof one === 'number' && one > 0);
  return typeof found === 'number' ? found : undefined;
}
