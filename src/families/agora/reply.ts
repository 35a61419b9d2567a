import { member } from '../../contract/job-fault.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { HashEncoding } from './protocol-hash.ts';

/** The form of replies: that of the written standard, or that of the Python library and the demo. */
export type Dialect = 'standard' | 'library';

/** The dialect of a peer, by its encoding of hashes. */
export function dialectOf(spelling: HashEncoding | undefined): Dialect {
  return spelling === 'base64' ? 'library' : 'standard';
}

/** The reply with the result of a routine; an error that the document covers is such a result. */
export function successReply(body: string): JsonObject {
  return { status: 'success', body };
}

/** The reply for a failure that the document does not cover: an unsupported protocol, or a routine that threw. */
export function failureReply(error: string, dialect: Dialect): JsonObject {
  return dialect === 'standard' ? { status: 'failure', error } : { status: 'error', message: error };
}

/** The body of a peer's reply in any dialect, or the reason why there is none. */
export function readReply(reply: Json): { ok: true; body: string } | { ok: false; error: string } {
  if (!isObject(reply)) return { ok: false, error: 'the reply is not an object' };
  const body = member(reply, 'body');
  if (member(reply, 'status') === 'success' && body !== undefined) return { ok: true, body: bodyText(body) };
  const error = member(reply, 'error') ?? member(reply, 'message') ?? body;
  return { ok: false, error: error === undefined ? 'the reply says no more' : bodyText(error) };
}

/** The body of a message as a routine sees it; the written standard also allows objects, which become their JSON. */
export function bodyText(body: Json): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
