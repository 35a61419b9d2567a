import type { Kind } from '../../contract/job.ts';
import { fault, type JobFault, member, quoted, shortened } from '../../contract/job-fault.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { encodingOf, isHashOf, protocolHash } from './protocol-hash.ts';
import { documentInSource, isDataUri, sourceUriOf } from './source-uri.ts';

/** The schemas of what a job carries. */
export const messageSchemas = {
  agreement: {
    type: ['string', 'object'],
    description: 'The text of the protocol document, or what a node knows of it.',
    properties: {
      document: {
        type: 'string',
        description: 'The text, to the letter; absent where a data URI among the sources has it.',
      },
      protocolHash: { type: 'string', description: 'Its SHA-1, in hexadecimal digits or base64.' },
      protocolSources: { type: ['array', 'null'], items: { type: 'string' }, description: 'URIs; none is fetched.' },
    },
  },
  // Agora has no message that carries cases: they come as structure.
  testCases: { type: 'array' },
  complaint: {
    type: 'object',
    description: "The peer's reply that says that our message failed.",
    required: ['status'],
    properties: { status: { enum: ['failure', 'error', 'rejected'] } },
  },
};

/** The text of the document that an agreement holds, with its place in there. */
export function documentOf(agreement: Json | undefined): { text: string; pointer: string } | undefined {
  if (typeof agreement === 'string') return { text: agreement, pointer: '' };
  const given = member(agreement, 'document');
  if (typeof given === 'string') return { text: given, pointer: '/document' };
  for (const [index, source] of sourcesIn(agreement).entries()) {
    const text = documentInSource(source);
    if (text !== undefined) return { text, pointer: `/protocolSources/${index}` };
  }
  return undefined;
}

/** Where the document can be had, for whoever lists the protocol: the sources given, or the document itself as one. */
export function listedSources(agreement: Json, document: string): string[] {
  const given = sourcesIn(agreement);
  return given.length > 0 ? given : [sourceUriOf(document)];
}

/** The hash of the document as its peer spells it; in hexadecimal digits, as the written standard wants, where none is given. */
export function spelledHash(agreement: Json, document: string): string {
  return protocolHash(document, spellingOf(agreement));
}

/** How the peer of an agreement spells hashes. */
export function spellingOf(agreement: Json): 'hex' | 'base64' {
  const given = member(agreement, 'protocolHash');
  return (typeof given === 'string' ? encodingOf(given) : undefined) ?? 'hex';
}

function sourcesIn(agreement: Json | undefined): string[] {
  const given = member(agreement, 'protocolSources');
  return Array.isArray(given) ? given.filter((source) => typeof source === 'string') : [];
}

/** What is wrong with an agreement that keeps its schema: no text, a source that holds another one, a hash of another one. */
export function messageFaults(_: Kind, data: JsonObject): JobFault[] {
  const agreement = data.agreement;
  if (member(data, 'payload') === 'json')
    return [fault('JOB_INVALID', '/payload', 'found "json", wanted "text": the body of a message is a text', {})];
  if (typeof agreement !== 'string' && !isObject(agreement)) return [];
  const document = documentOf(agreement);
  if (document === undefined) {
    const found = sourcesIn(agreement).length === 0 ? 'found nothing' : 'found sources that hold no text';
    const wanted = 'wanted the text, or a data URI that holds it, since nothing is fetched';
    return [
      ...sourceFaults(agreement, undefined),
      fault('JOB_INVALID', '/agreement/document', `${found}, ${wanted}`, {}),
    ];
  }
  return [...sourceFaults(agreement, document.text), ...hashFaults(agreement, document.text)];
}

function sourceFaults(agreement: Json, document: string | undefined): JobFault[] {
  return sourcesIn(agreement).flatMap((source, index) => {
    if (!isDataUri(source)) return [];
    const pointer = `/agreement/protocolSources/${index}`;
    const text = documentInSource(source);
    if (text === undefined) {
      const wanted = 'wanted "data:text/plain;charset=utf-8," with a text, or the same with ";base64"';
      return [fault('JOB_INVALID', pointer, `found ${quoted(source)}, ${wanted}`, { actual: shortened(source) })];
    }
    if (document === undefined || text === document) return [];
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
