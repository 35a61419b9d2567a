import type { Texts } from '../../contract/agreement.ts';
import { member } from '../../contract/job-fault.ts';
import type { Statement } from '../../contract/statement.ts';
import { sha256Hex } from '../../kernel/digest.ts';
import type { Json } from '../../kernel/json.ts';
import type { Family } from '../family.ts';
import { isDescriptionDocument } from './described.ts';
import { jobSchemas, messageFaults } from './job-messages.ts';
import { openFrames } from './open-frames.ts';
import { readAgreement } from './read.ts';
import { messageFor } from './say.ts';
import { testCasesText, withFurtherCases } from './test-cases-text.ts';

/**
 * The Agent Network Protocol's meta-protocol. The agreement is an accepted `protocolNegotiation`, its cases a
 * `testCasesNegotiation`. Outcomes are `codeGeneration` and `fixErrorNegotiation`; counter-offers are further rounds of
 * the first two.
 */
export const anp: Family = {
  name: 'anp',
  // The time that the specification recommends for a round.
  timeoutMs: 15_000,
  schemas: jobSchemas,
  faults: messageFaults,
  documentIn(data) {
    const text = member(member(data, 'agreement'), 'candidateProtocols');
    return typeof text === 'string' ? { text, pointer: '/agreement/candidateProtocols' } : undefined;
  },
  hashOf: sha256Hex,
  open({ agreement, testCases }) {
    const document = textOf(member(agreement, 'candidateProtocols'));
    if (testCases === undefined || Array.isArray(testCases)) return { document, cases: testCases ?? null };
    return { document, cases: textOf(member(testCases, 'testCases')) };
  },
  carry({ document, cases }) {
    const status = 'accepted';
    return {
      agreement: { action: 'protocolNegotiation', sequenceId: 0, candidateProtocols: document, status },
      ...(cases === null
        ? {}
        : {
            testCases:
              typeof cases === 'string' ? { action: 'testCasesNegotiation', testCases: cases, status } : [...cases],
          }),
    };
  },
  textsIn(message, written) {
    // A file may be a service description itself.
    if (isDescriptionDocument(message)) return { document: written ?? JSON.stringify(message, null, 2) };
    const texts: Partial<Texts> = {};
    if (typeof message.candidateProtocols === 'string') texts.document = message.candidateProtocols;
    if (typeof message.testCases === 'string') texts.cases = message.testCases;
    const isMessage = typeof message.action === 'string' || Object.keys(texts).length > 0;
    return isMessage ? texts : undefined;
  },
  read: readAgreement,
  writeCases: (cases, layout, below) =>
    below === undefined ? testCasesText(cases, layout) : withFurtherCases(below, cases, layout),
  openFrames,
  complaint: ({ errorDescription }) => textOf(errorDescription),
  canSay(what, { peerCapabilities }) {
    const action = NEEDED[what];
    return action === undefined || peerCapabilities === undefined || peerCapabilities.includes(action);
  },
  say: (statement, { agreement }, language) => [messageFor(statement, agreement, language)],
};

/** The capability that the peer needs for each kind of message. */
const NEEDED: Partial<Record<Statement['what'], string>> = {
  dispute: 'fixErrorNegotiation',
  'complaint-accepted': 'fixErrorNegotiation',
  'complaint-rejected': 'fixErrorNegotiation',
  'further-cases': 'testCasesNegotiation',
};

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
