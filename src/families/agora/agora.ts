import type { Statement } from '../../contract/statement.ts';
import { sha256Hex } from '../../kernel/digest.ts';
import type { Family } from '../family.ts';
import { documentOf, fetchableOf, messageFaults, messageSchemas } from './messages.ts';
import { readAgreement } from './read.ts';
import { readReply } from './reply.ts';
import { messagesFor } from './say.ts';

/**
 * Agora: the agreement is a protocol document, identified by its SHA-1. A request names the document, and the reply
 * says whether it is supported; there is no message of agreement.
 */
export const agora: Family = {
  name: 'agora',
  timeoutMs: 60_000,
  schemas: messageSchemas,
  faults: messageFaults,
  documentIn: ({ agreement, supplied }) => documentOf(agreement, supplied),
  fetchable: ({ agreement, supplied }) => fetchableOf(agreement, supplied),
  // SHA-1 can be forged, so it is verified but never used as a key.
  hashOf: sha256Hex,
  open: ({ agreement, testCases, supplied }) => ({
    document: documentOf(agreement, supplied)?.text ?? '',
    cases: Array.isArray(testCases) ? testCases : null,
  }),
  carry: ({ document, cases }) => ({
    agreement: { document },
    ...(cases === null || typeof cases === 'string' ? {} : { testCases: [...cases] }),
  }),
  textsIn(message) {
    const document = documentOf(message);
    return document && { document: document.text };
  },
  read: readAgreement,
  complaint(message) {
    const reply = readReply(message);
    return reply.ok ? '' : reply.error;
  },
  canSay: (what) => SAYABLE.has(what),
  say: messagesFor,
};

const SAYABLE: ReadonlySet<Statement['what']> = new Set(['generated', 'failed', 'dispute', 'amended-document']);
