import type { Kind } from '../../contract/job.ts';
import { fault, type JobFault, member, quoted, shortened } from '../../contract/job-fault.ts';
import { escapeToken, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { Fetchable } from '../family.ts';
import { suppliedSchema } from '../supplied.ts';
import { encodingOf, isHashOf, protocolHash } from './protocol-hash.ts';
import { documentInSource, isDataUri, sourceUriOf } from './source-uri.ts';

/** JSON Schemas of the members of a job. */
export const messageSchemas = {
  agreement: {
    type: ['string', 'object'],
    description: 'The text of the protocol document, or an object with it.',
    properties: {
      document: {
        type: 'string',
        description: 'The exact text; may be absent if a source is a data URI.',
      },
      protocolHash: { type: 'string', description: 'Its SHA-1 in hex or base64.' },
      protocolSources: {
        type: ['array', 'null'],
        items: { type: 'string' },
        description: 'URIs; fetched only by workers whose operator allows their hosts, and only with a protocolHash.',
      },
    },
  },
  own: {
    supplied: suppliedSchema,
  },
  // Agora has no message for cases, so they are a list.
  testCases: { type: 'array', description: 'Texts; a request is a conversation with multiround: true.' },
  complaint: {
    type: 'object',
    description: "The peer's reply that reports a failure.",
    required: ['status'],
    properties: { status: { enum: ['failure', 'error', 'rejected'], description: 'What the peer reports.' } },
  },
};

/** The text of the document in an agreement, and its place in the job; `undefined` if there is none. */
export function documentOf(
  agreement: Json | undefined,
  supplied?: Json,
): { text: string; pointer: string } | undefined {
  if (typeof agreement === 'string') return { text: agreement, pointer: '/agreement' };
  const given = member(agreement, 'document');
  if (typeof given === 'string') return { text: given, pointer: '/agreement/document' };
  for (const [index, source] of sourcesIn(agreement).entries()) {
    const text = documentInSource(source);
    if (text !== undefined) return { text, pointer: `/agreement/protocolSources/${index}` };
    const fetched = member(supplied, source);
    if (typeof fetched === 'string') return { text: fetched, pointer: `/supplied/${escapeToken(source)}` };
  }
  return undefined;
}

/** Most sources of one agreement that are tried. */
const MAX_FETCHED = 3;

/** The sources that the text of an agreement may be fetched from, if it has a hash to tell the right text by. */
export function fetchableOf(agreement: Json | undefined, supplied?: Json): Fetchable | undefined {
  const hash = member(agreement, 'protocolHash');
  if (typeof hash !== 'string' || encodingOf(hash) === undefined || documentOf(agreement, supplied) !== undefined)
    return undefined;
  const sources = sourcesIn(agreement).flatMap((uri, index) =>
    isDataUri(uri) ? [] : [{ uri, pointer: `/agreement/protocolSources/${index}` }],
  );
  if (sources.length === 0) return undefined;
  return { sources: sources.slice(0, MAX_FETCHED), isText: (text) => isHashOf(hash, text) };
}

/** The sources for the listing of a protocol: those given, else the document as a data URI. */
export function listedSources(agreement: Json, document: string): string[] {
  const given = sourcesIn(agreement);
  return given.length > 0 ? given : [sourceUriOf(document)];
}

/** The hash of the document in the encoding of the peer; hex if the agreement has no hash. */
export function spelledHash(agreement: Json, document: string): string {
  return protocolHash(document, spellingOf(agreement));
}

/** The peer's encoding of hashes. */
export function spellingOf(agreement: Json): 'hex' | 'base64' {
  const given = member(agreement, 'protocolHash');
  return (typeof given === 'string' ? encodingOf(given) : undefined) ?? 'hex';
}

function sourcesIn(agreement: Json | undefined): string[] {
  const given = member(agreement, 'protocolSources');
  return Array.isArray(given) ? given.filter((source) => typeof source === 'string') : [];
}

/** Faults beyond the schema: a missing text, a source or a hash of another text. */
export function messageFaults(_: Kind, data: JsonObject): JobFault[] {
  const agreement = data.agreement;
  if (member(data, 'payload') === 'json')
    return [fault('JOB_INVALID', '/payload', 'found "json", wanted "text": the body of a message is a text', {})];
  if (typeof agreement !== 'string' && !isObject(agreement)) return [];
  const document = documentOf(agreement, data.supplied);
  if (document === undefined) {
    const found = sourcesIn(agreement).length === 0 ? 'found nothing' : 'found sources that hold no text';
    const wanted = 'wanted the text, a data URI with it, or a supplied source';
    return [
      ...sourceFaults(agreement, data.supplied, undefined),
      fault('JOB_INVALID', '/agreement/document', `${found}, ${wanted}`, {}),
    ];
  }
  return [...sourceFaults(agreement, data.supplied, document.text), ...hashFaults(agreement, document.text)];
}

function sourceFaults(agreement: Json, supplied: Json | undefined, document: string | undefined): JobFault[] {
  return sourcesIn(agreement).flatMap((source, index) => {
    const pointer = `/agreement/protocolSources/${index}`;
    const text = isDataUri(source) ? documentInSource(source) : member(supplied, source);
    if (isDataUri(source) && text === undefined) {
      const wanted = 'wanted "data:text/plain;charset=utf-8," with a text, or the same with ";base64"';
      return [fault('JOB_INVALID', pointer, `found ${quoted(source)}, ${wanted}`, { actual: shortened(source) })];
    }
    if (document === undefined || typeof text !== 'string' || text === document) return [];
    return [fault('JOB_HASH_MISMATCH', pointer, 'found another text than that of the document, wanted the same', {})];
  });
}

function hashFaults(agreement: Json, document: string): JobFault[] {
  const given = member(agreement, 'protocolHash');
  if (typeof given !== 'string' || isHashOf(given, document)) return [];
  const pointer = '/agreement/protocolHash';
  const encoding = encodingOf(given);
  const more = { expected: protocolHash(document, encoding), actual: shortened(given) };
  if (encoding === undefined)
    return [
      fault('JOB_INVALID', pointer, `found ${quoted(given)}, wanted a SHA-1 in hexadecimal digits or base64`, more),
    ];
  return [fault('JOB_HASH_MISMATCH', pointer, `found ${given}, wanted ${more.expected}, the SHA-1 of the text`, more)];
}
