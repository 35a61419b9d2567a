import { member } from '../../contract/job-fault.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { HashEncoding } from './protocol-hash.ts';

/** Who an answer is for: the written standard, or the Python library and the demo, which name failures otherwise. */
export type Dialect = 'standard' | 'library';

/** The dialect of a peer, by how it spells hashes. */
export function dialectOf(spelling: HashEncoding | undefined): Dialect {
  return spelling === 'base64' ? 'library' : 'standard';
}

/** The reply that carries what a routine returned: an error that the document covers stands in its body. */
export function successReply(body: string): JsonObject {
  return { status: 'success', body };
}

/** The reply to what the document does not cover: no such protocol, or a routine that threw. */
export function failureReply(error: string, dialect: Dialect): JsonObject {
  return dialect === 'standard' ? { status: 'failure', error } : { status: 'error', message: error };
}

/** What a peer's reply says, in any dialect: the body for the routine, or why there is none. */
export function readReply(reply: Json): { ok: true; body: string } | { ok: false; error: string } {
  if (!isObject(reply)) return { ok: false, error: 'the reply is no object' };
  const body = member(reply, 'body');
  if (member(reply, 'status') === 'success' && body !== undefined) return { ok: true, body: bodyText(body) };
  const error = member(reply, 'error') ?? member(reply, 'message') ?? body;
  return { ok: false, error: error === undefined ? 'the reply says no more' : bodyText(error) };
}

/** The body of a message as a routine sees it: the written standard allows objects too, and they travel as their JSON. */
export function bodyText(body: Json): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
