import { quoted } from '../../contract/job-fault.ts';
import { escapeToken, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { timeOf } from './time.ts';

/** What a member of a message may be: a kind of value, one of some texts, or another model. */
export type Rule = keyof typeof KINDS | readonly string[] | Model;

/**
 * A message, or an object in one. An optional member may be `null`, which means the same as leaving it out. Members
 * that are not listed may be anything.
 */
export interface Model {
  required?: Readonly<Record<string, Rule>>;
  optional?: Readonly<Record<string, Rule>>;
  /** Members that may be left out but not be `null`, with the value that they have then. */
  preset?: Readonly<Record<string, readonly [rule: Rule, value: Json]>>;
  /** Members that cannot be given by their Python name. */
  exact?: readonly string[];
}

/** Why a message is refused, at a JSON pointer. */
export interface MessageFault {
  pointer: string;
  message: string;
}

/** A message, or why it is refused. */
export type MessageReading<Message> = { ok: true; message: Message } | { ok: false; faults: MessageFault[] };

/** Longest text of a message that is read, in UTF-16 units: `max_request_bytes` of the draft's example. */
const MAX_MESSAGE_CHARS = 1_048_576;

/**
 * Reads a message, parsed or as its JSON text. Unknown members are kept, optional ones that are `null` are left out.
 * Never throws; in time linear in the message.
 */
export function readModel<Message>(model: Model, given: Json): MessageReading<Message> {
  const parsed = typeof given === 'string' ? parsedText(given) : { value: given };
  if ('fault' in parsed) return { ok: false, faults: [parsed.fault] };
  const faults: MessageFault[] = [];
  const message = readObject(model, parsed.value, '', faults);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, message: message as Message };
}

function parsedText(text: string): { value: Json } | { fault: MessageFault } {
  const fault = (found: string) => ({ fault: faultAt('', found, 'the JSON of an object') });
  if (text.length > MAX_MESSAGE_CHARS)
    return { fault: faultAt('', `${text.length} characters`, `at most ${MAX_MESSAGE_CHARS}`) };
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return fault('a text that is not JSON');
  }
}

function readObject(model: Model, given: Json, pointer: string, faults: MessageFault[]): Json {
  if (!isObject(given)) {
    faults.push(faultAt(pointer, kindOf(given), 'an object'));
    return null;
  }
  const { required = {}, optional = {}, preset = {} } = model;
  const named = wireNames(model, given);
  const members: [string, Json][] = [];
  for (const [key, value] of Object.entries(given)) {
    const name = named.get(key);
    const rule = name === undefined ? undefined : (required[name] ?? optional[name] ?? preset[name]?.[0]);
    if (name === undefined || rule === undefined) members.push([key, value]);
    else if (value !== null || optional[name] === undefined)
      members.push([name, readMember(rule, value, `${pointer}/${escapeToken(key)}`, faults)]);
  }
  const present = new Set(named.values());
  for (const name of Object.keys(required))
    if (!present.has(name)) faults.push(faultAt(`${pointer}/${name}`, 'nothing', 'this member'));
  for (const [name, [, value]] of Object.entries(preset)) if (!present.has(name)) members.push([name, value]);
  return Object.fromEntries(members);
}

/** The members of an object that its model lists, by the names that they have there. */
function wireNames({ required, optional, preset, exact = [] }: Model, given: JsonObject): Map<string, string> {
  const named = new Map<string, string>();
  for (const name of [required, optional, preset].flatMap((members) => Object.keys(members ?? {}))) {
    // The models of the Python SDK read a member by their own name for it, too.
    const names = exact.includes(name) ? [name] : [name, snakeCase(name)];
    const key = names.find((one) => Object.hasOwn(given, one));
    if (key !== undefined) named.set(key, name);
  }
  return named;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

function readMember(rule: Rule, value: Json, pointer: string, faults: MessageFault[]): Json {
  if (isListOfTexts(rule)) {
    if (typeof value !== 'string' || !rule.includes(value))
      faults.push(faultAt(pointer, shown(value), rule.map((one) => JSON.stringify(one)).join(' or ')));
    return value;
  }
  if (typeof rule === 'object') return readObject(rule, value, pointer, faults);
  const { fits, wanted } = KINDS[rule];
  if (!fits(value)) faults.push(faultAt(pointer, shown(value), wanted));
  return value;
}

function isListOfTexts(rule: Rule): rule is readonly string[] {
  return Array.isArray(rule);
}

const isText = (value: Json) => typeof value === 'string';
const isListOf = (fits: (item: Json) => boolean) => (value: Json) => Array.isArray(value) && value.every(fits);
const isTextOrObject = (value: Json) => isText(value) || isObject(value);

const KINDS = {
  text: { fits: isText, wanted: 'a string' },
  texts: { fits: isListOf(isText), wanted: 'a list of strings' },
  'text or texts': {
    fits: (value: Json) => isText(value) || isListOf(isText)(value),
    wanted: 'a string or a list of them',
  },
  flag: { fits: (value: Json) => typeof value === 'boolean', wanted: 'true or false' },
  count: { fits: (value: Json) => Number.isInteger(value) && Number(value) >= 0, wanted: 'an integer of at least 0' },
  object: { fits: (value: Json) => isObject(value), wanted: 'an object' },
  objects: { fits: isListOf((item) => isObject(item)), wanted: 'a list of objects' },
  'texts or objects': { fits: isListOf(isTextOrObject), wanted: 'a list of strings and objects' },
  time: {
    fits: (value: Json) => typeof value === 'string' && timeOf(value) !== undefined,
    wanted: 'a time with its offset (RFC 3339)',
  },
} as const;

function kindOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function shown(value: Json): string {
  return typeof value === 'string' ? quoted(value) : typeof value === 'number' ? String(value) : kindOf(value);
}

function faultAt(pointer: string, found: string, wanted: string): MessageFault {
  const place = pointer === '' ? '' : ` at ${pointer}`;
  return { pointer, message: `Cannot read message${place}: found ${found}, wanted ${wanted}` };
}
