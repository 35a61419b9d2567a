import { member } from '../../contract/job-fault.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { libraryMetadata } from './front-matter.ts';
import { encodingOf, type HashEncoding, isHashOf, protocolHash } from './protocol-hash.ts';
import { bodyText, type Dialect, dialectOf, failureReply } from './reply.ts';
import { documentInSource } from './source-uri.ts';

/** A request that can be answered, or the reply that refuses it. */
export type Received =
  | {
      ok: true;
      /** Plain language, a negotiation, or a message that follows a protocol. */
      kind: 'language' | 'negotiation' | 'protocol';
      /** The protocol's hash in hex, and its text. */
      protocolHash?: string;
      document?: string;
      body: string;
      multiround: boolean;
      dialect: Dialect;
    }
  | { ok: false; reply: JsonObject };

/** Options of `receive`. */
export interface Receiving {
  /**
   * `library` answers exactly like the Python library, which accepts only base64 hashes and documents with front
   * matter. By default, both encodings and any document are accepted, and a refusal is in the peer's own dialect.
   */
  dialect?: Dialect;
  /** The text of a protocol that the node already knows, by its hash in hex. */
  documentOf?(protocolHash: string): string | undefined;
}

/**
 * Reads the first request of a conversation. Fetches nothing: the document must be known or in a data URI. Never
 * throws.
 */
export function receive(message: Json, how: Receiving = {}): Received {
  try {
    return received(message, how);
  } catch {
    // A deeply nested body exhausts the stack when it becomes text.
    return { ok: false, reply: failureReply('The body cannot be read', how.dialect ?? 'standard') };
  }
}

function received(message: Json, { dialect, documentOf }: Receiving): Received {
  const given = member(message, 'protocolHash');
  const spelling = typeof given === 'string' ? encodingOf(given) : undefined;
  const own = dialect ?? dialectOf(spelling);
  const refused = (error: string): Received => ({ ok: false, reply: failureReply(error, own) });
  if (!isObject(message)) return refused('The request is not an object');
  const isStrict = dialect === 'library';
  for (const name of isStrict ? ['protocolHash', 'protocolSources'] : [])
    if (member(message, name) === undefined) return refused(`'${name}'`);
  const body = member(message, 'body');
  const multiround = member(message, 'multiround') === true;
  const rest = { body: body === undefined ? '' : bodyText(body), multiround, dialect: own };
  const missing = refused(own === 'library' ? "'body'" : "Missing field 'body'");
  if (given === undefined || given === null)
    return body === undefined ? missing : { ok: true, kind: 'language', ...rest };
  if (given === 'negotiation') return body === undefined ? missing : { ok: true, kind: 'negotiation', ...rest };
  const isTaken = typeof given === 'string' && spelling !== undefined && (!isStrict || spelling === 'base64');
  const document = isTaken ? documentNamed(given, spelling, message, documentOf) : undefined;
  if (document === undefined)
    return refused(own === 'library' ? 'Failed to download protocol' : 'Unsupported protocol');
  const metadata = isStrict ? libraryMetadata(document) : undefined;
  if (metadata?.ok === false) return refused(metadata.fault);
  if (body === undefined) return missing;
  return { ok: true, kind: 'protocol', protocolHash: protocolHash(document), document, ...rest };
}

function documentNamed(
  given: string,
  spelling: HashEncoding,
  message: JsonObject,
  documentOf: Receiving['documentOf'],
): string | undefined {
  const hex = spelling === 'hex' ? given.toLowerCase() : Buffer.from(given, 'base64').toString('hex');
  const known = documentOf?.(hex);
  if (known !== undefined && isHashOf(given, known)) return known;
  const sources = member(message, 'protocolSources');
  for (const source of Array.isArray(sources) ? sources : []) {
    const document = typeof source === 'string' ? documentInSource(source) : undefined;
    if (document !== undefined && isHashOf(given, document)) return document;
  }
  return undefined;
}
