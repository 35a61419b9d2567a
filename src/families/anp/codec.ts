import { readJson, wholeJson } from '../../documents/located-json.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { quoteText } from '../../kernel/quote.ts';
import { validatorOf } from '../../schemas/validator-of.ts';
import { summaryOf } from '../../schemas/violation-summary.ts';
import { violationMessage } from '../../schemas/violation-words.ts';
import { type Fault, fault } from './fault.ts';
import { type FrameType, frame, MAX_FRAME_BYTES, unframe, utf8Text } from './frame.ts';
import { type DestinationHello, helloSchemas, type MetaMessage, messageSchemas, type SourceHello } from './messages.ts';
import type { Quirk } from './quirks.ts';

/** How to read. By default, only what the specification allows is accepted. */
export interface ReadOptions {
  quirks?: readonly Quirk[];
  /** Default: `MAX_FRAME_BYTES`. */
  maxBytes?: number;
}

/** The content of a frame. The data of application and verification messages have the format of the agreed protocol. */
export type Content =
  | { type: 'meta'; message: MetaMessage }
  | { type: 'naturalLanguage'; text: string }
  | { type: 'application' | 'verification'; data: Uint8Array };

/**
 * Reads a frame. Faults: `empty`, `too-large`, `unicode`, `json`, `unknown` (another `action`), `member`. Takes time
 * linear in the bytes.
 */
export function decode(bytes: Uint8Array, how: ReadOptions = {}): { ok: true; content: Content } | Fault {
  const read = unframe(bytes, how.maxBytes);
  if (!read.ok) return read;
  const { type, data } = read;
  if (type === 'application' && how.quirks?.includes('application-unframed') && isBareJson(bytes[0]))
    return { ok: true, content: { type, data: bytes } };
  if (type === 'application' || type === 'verification') return { ok: true, content: { type, data } };
  const text = utf8Text(data);
  if (text === undefined) return fault('unicode', 'Cannot read frame: found bytes that are not UTF-8, wanted a text');
  if (type === 'naturalLanguage') return { ok: true, content: { type, text } };
  const message = readMessage(text, how);
  return message.ok ? { ok: true, content: { type, message: message.message } } : message;
}

/** Writes a frame. Faults: `too-large`, `unicode`, `json` (a value that JSON cannot hold), `unknown`, `member`. */
export function encode(content: Content): { ok: true; bytes: Uint8Array } | Fault {
  if ('data' in content) return framed(content.type, content.data);
  if (content.type === 'naturalLanguage') {
    if (!content.text.isWellFormed()) return notUnicode;
    return framed(content.type, new TextEncoder().encode(content.text));
  }
  const written = writeMessage(content.message);
  return written.ok ? framed('meta', new TextEncoder().encode(written.text)) : written;
}

/** Reads a message of the meta-protocol from its JSON. Faults: `too-large`, `json`, `unknown`, `member`. */
export function readMessage(text: string, how: ReadOptions = {}): { ok: true; message: MetaMessage } | Fault {
  const read = jsonIn(text, how);
  return read.ok ? checkMessage(read.value) : read;
}

/** The JSON of a message of the meta-protocol. Faults: `json`, `unicode`, `unknown`, `member`. */
export function writeMessage(message: MetaMessage): { ok: true; text: string } | Fault {
  return written(message, checkMessage);
}

/** Reads a hello from its JSON; hellos have no header. Faults: `too-large`, `json`, `unknown`, `member`. */
export function readHello(
  text: string,
  how: ReadOptions = {},
): { ok: true; hello: SourceHello | DestinationHello } | Fault {
  const read = jsonIn(text, how);
  return read.ok ? checkHello(read.value) : read;
}

/** The JSON of a hello. Faults: `json`, `unicode`, `unknown`, `member`. */
export function writeHello(hello: SourceHello | DestinationHello): { ok: true; text: string } | Fault {
  return written(hello, checkHello);
}

/** Whether a JSON value is a message of the meta-protocol. Faults: `unknown`, `member`. */
export function checkMessage(value: Json): { ok: true; message: MetaMessage } | Fault {
  const found = faultIn(value, 'message', 'action', messageSchemas);
  return found ?? { ok: true, message: value as MetaMessage };
}

/** Whether a JSON value is a hello. Faults: `unknown`, `member`. */
export function checkHello(value: Json): { ok: true; hello: SourceHello | DestinationHello } | Fault {
  const found = faultIn(value, 'hello', 'type', helloSchemas);
  return found ?? { ok: true, hello: value as SourceHello | DestinationHello };
}

/** The JSON value that a text is. Faults: `too-large`, `json`. */
export function jsonIn(
  text: string,
  { quirks, maxBytes = MAX_FRAME_BYTES }: ReadOptions,
): { ok: true; value: Json } | Fault {
  if (text.length > maxBytes)
    return fault('too-large', `Cannot read JSON: found ${text.length} characters, wanted at most ${maxBytes}`);
  const strict = wholeJson(text, 0, text.length);
  if (strict.ok) return { ok: true, value: strict.value };
  if (quirks?.includes('json-comments')) {
    const lenient = readJson(text, 0, true);
    if (lenient.ok && text.slice(lenient.node.end).trim() === '') return { ok: true, value: lenient.node.value };
  }
  const found =
    strict.beyond === undefined
      ? 'no valid JSON'
      : strict.beyond === 'depth'
        ? 'JSON nested too deep'
        : 'a number too large for a double';
  return fault('json', `Cannot read JSON: found ${found} at character ${strict.at}, wanted one JSON value`);
}

/** The JSON of a value, and the value as read from it. Faults: `json`, if JSON or a reader cannot hold the value. */
export function jsonOf(value: Json): { ok: true; text: string; value: Json } | Fault {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // Deeper than the stack, circular, or a bigint.
  }
  if (text === undefined) return fault('json', 'Cannot write JSON: found a value that JSON cannot hold, wanted JSON');
  const read = jsonIn(text, { maxBytes: Number.POSITIVE_INFINITY });
  return read.ok ? { ok: true, text, value: read.value } : read;
}

/** `{` and `[`. */
function isBareJson(first: number | undefined): boolean {
  return first === 0x7b || first === 0x5b;
}

const notUnicode = fault('unicode', 'Cannot write text: found half a surrogate pair, wanted Unicode');

function framed(type: FrameType, data: Uint8Array): { ok: true; bytes: Uint8Array } | Fault {
  if (data.length < MAX_FRAME_BYTES) return { ok: true, bytes: frame(type, data) };
  return fault(
    'too-large',
    `Cannot write frame: found ${data.length} bytes of data, wanted fewer than ${MAX_FRAME_BYTES}`,
  );
}

function faultIn(
  value: Json,
  what: string,
  name: string,
  schemas: Readonly<Record<string, JsonObject>>,
): Fault | undefined {
  const kind = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  const schema = typeof kind === 'string' && Object.hasOwn(schemas, kind) ? schemas[kind] : undefined;
  if (schema === undefined) {
    const found = typeof kind === 'string' ? quoteText(kind) : 'none';
    const wanted = Object.keys(schemas).join(', ');
    return fault('unknown', `Cannot read ${what}: found ${name} ${found}, wanted one of ${wanted}`, `/${name}`);
  }
  const validator = validatorOf(schema);
  const [first] = validator.ok ? validator.validate(value) : [];
  if (first === undefined) return undefined;
  const { expected, actual } = summaryOf([first]);
  const at = first.pointer === '' ? '' : ` at ${quoteText(first.pointer)}`;
  return fault('member', `Cannot read ${what}${at}: ${violationMessage(expected, actual)}`, first.pointer);
}

/** The JSON text of a value, if the value that a reader gets from it passes the check. */
function written<Checked extends { ok: true } | Fault>(
  value: Json,
  check: (value: Json) => Checked,
): { ok: true; text: string } | Fault {
  const json = jsonOf(value);
  if (!json.ok) return json;
  const checked = check(json.value);
  return checked.ok ? { ok: true, text: json.text } : (checked as Fault);
}
