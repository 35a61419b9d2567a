import type { Statement } from '../../contract/statement.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { escapedLine } from '../../kernel/quote.ts';
import type { UncheckedAgreement } from '../family.ts';
import { frontMatterOf } from './front-matter.ts';
import { documentOf, listedSources, spelledHash, spellingOf } from './messages.ts';
import { protocolHash } from './protocol-hash.ts';
import { dialectOf, failureReply, successReply } from './reply.ts';
import { sourceUriOf } from './source-uri.ts';

/** Most findings that one reply describes. */
const MAX_DESCRIBED = 20;

/** The messages of a statement: a reply to the peer, or an entry for our own node. */
export function messagesFor(statement: Statement, job: UncheckedAgreement): JsonObject[] {
  const { agreement } = job;
  const dialect = dialectOf(spellingOf(agreement));
  switch (statement.what) {
    case 'generated':
      return [servedProtocol(job, statement.handler)];
    case 'failed':
      return [failureReply(UNSUPPORTED, dialect)];
    case 'dispute': {
      const lines = statement.findings.slice(0, MAX_DESCRIBED).map(({ message }) => escapedLine(message));
      return [failureReply([UNSUPPORTED, ...lines].join('\n'), dialect)];
    }
    case 'amended-document':
      return [negotiation(statement.text, spellingOf(agreement))];
    // Agora has no message for these.
    case 'complaint-accepted':
    case 'complaint-rejected':
    case 'amended-cases':
    case 'further-cases':
      return [];
  }
}

/** The wording of the written standard. */
const UNSUPPORTED = 'Unsupported protocol';

/** The entry for our own node: the hash, its listing, the routine, and the reply for each end of a run. */
function servedProtocol(
  { agreement, supplied }: UncheckedAgreement,
  handler: Extract<Statement, { what: 'generated' }>['handler'],
): JsonObject {
  const document = documentOf(agreement, supplied)?.text ?? '';
  const hash = spelledHash(agreement, document);
  const read = frontMatterOf(document);
  return {
    protocolHash: hash,
    ...(read?.ok === true ? { metadata: { ...read.metadata } } : {}),
    listing: { [hash]: listedSources(agreement, document) },
    ...(handler === undefined ? {} : { routine: { digest: handler.digest, tools: [...handler.tools] } }),
    replies: {
      returned: successReply('{value}'),
      failed: failureReply('{message}', dialectOf(spellingOf(agreement))),
    },
  };
}

function negotiation(document: string, spelling: 'hex' | 'base64'): JsonObject {
  return {
    protocolHash: 'negotiation',
    protocolSources: [sourceUriOf(document)],
    multiround: true,
    body: `Please use the protocol document ${protocolHash(document, spelling)}:\n\n${document}`,
  };
}
