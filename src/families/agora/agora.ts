import type { Said } from '../../contract/said.ts';
import { sha256Hex } from '../../kernel/digest.ts';
import type { Family } from '../family.ts';
import { documentOf, messageFaults, messageSchemas } from './messages.ts';
import { readAgreement } from './read.ts';
import { readReply } from './reply.ts';
import { messagesFor } from './say.ts';

/**
 * Agora: the agreement is a protocol document, known to peers by its SHA-1. There is no message of agreement: a request
 * names the document, and the reply says whether it is supported.
 */
export const agora: Family = {
  name: 'agora',
  timeoutMs: 60_000,
  schemas: messageSchemas,
  faults: messageFaults,
  documentIn(data) {
    const document = documentOf(data.agreement);
    return document && { text: document.text, pointer: `/agreement${document.pointer}` };
  },
  // Two texts of one SHA-1 can be made: it is verified where it is given, and nothing is kept under it.
  hashOf: sha256Hex,
  open: ({ agreement, testCases }) => ({
    document: documentOf(agreement)?.text ?? '',
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
  say: (said, { agreement }) => messagesFor(said, agreement),
};

const SAYABLE: ReadonlySet<Said['what']> = new Set(['generated', 'failed', 'dispute', 'amended-document']);
