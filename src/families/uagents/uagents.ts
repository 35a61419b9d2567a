import { fault, type JobFault, member, quoted, shortened } from '../../contract/job-fault.ts';
import type { Statement } from '../../contract/statement.ts';
import { sha256Hex } from '../../kernel/digest.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { escapedLine } from '../../kernel/quote.ts';
import type { Family } from '../family.ts';
import { protocolDigest } from './digests.ts';
import { errorMessage } from './error-message.ts';
import { readAgreement } from './read.ts';

/**
 * The uAgents framework: the agreement is a protocol manifest, its cases are payloads; the only message is
 * `ErrorMessage`.
 */
export const uagents: Family = {
  name: 'uagents',
  // What the peers' own code waits for an answer.
  timeoutMs: 30_000,
  schemas: {
    agreement: {
      type: 'object',
      description: 'The protocol that both agents know.',
      required: ['manifest'],
      properties: {
        manifest: {
          type: ['string', 'object'],
          description: 'The protocol manifest: its JSON text, or parsed where no schema in it has floats.',
        },
      },
    },
    testCases: { type: 'array', description: 'Payloads; the response to a request without replies is null.' },
    complaint: {
      type: 'object',
      required: ['error'],
      properties: { error: { type: 'string', description: 'What the peer complains about.' } },
      description: 'The payload of an ErrorMessage.',
    },
    protocolHash: { type: 'string', pattern: '^(?:proto:)?[0-9a-f]{64}$', description: 'The digest of the protocol.' },
  },
  faults: (_kind, data) => unkeepable(data),
  documentIn(data) {
    const text = textOf(member(member(data, 'agreement'), 'manifest'));
    return text === undefined ? undefined : { text, pointer: '/agreement/manifest' };
  },
  hashOf: (document) => protocolDigest(document)?.slice('proto:'.length) ?? sha256Hex(document),
  open({ agreement, testCases }) {
    const cases = Array.isArray(testCases) ? testCases : null;
    return { document: textOf(member(agreement, 'manifest')) ?? '', cases };
  },
  carry({ document, cases }) {
    const listed = cases === null || typeof cases === 'string' ? {} : { testCases: [...cases] };
    return { agreement: { manifest: document }, ...listed };
  },
  textsIn(message, written) {
    // A file may contain the manifest itself, as a peer publishes it.
    const isManifest = Array.isArray(message.models) && Array.isArray(message.interactions);
    const document = isManifest ? (written ?? textOf(message)) : textOf(member(message, 'manifest'));
    return document === undefined ? undefined : { document };
  },
  read: readAgreement,
  complaint: ({ error }) => (typeof error === 'string' ? error : ''),
  canSay: (what) => SAYABLE.has(what),
  say: (said) => (SAYABLE.has(said.what) ? [errorMessage(textFor(said))] : []),
};

/**
 * What the protocol has a message for: it negotiates nothing, and an agent does not announce that it is ready.
 */
const SAYABLE: ReadonlySet<Statement['what']> = new Set(['failed', 'dispute', 'complaint-rejected']);

/** Most findings in one message. */
const MAX_TOLD = 50;

function textFor(said: Statement): string {
  if (said.what === 'failed') return 'Cannot serve protocol: found no handler that passes verification, wanted one';
  const findings = 'findings' in said ? said.findings : [];
  const told = findings.slice(0, MAX_TOLD).map(({ message }) => escapedLine(message));
  const more = findings.length - told.length;
  return [...told, ...(more > 0 ? [`${more} more problems`] : [])].join('\n') || 'Cannot serve protocol';
}

function textOf(manifest: Json | undefined): string | undefined {
  if (typeof manifest === 'string') return manifest;
  if (!isObject(manifest)) return undefined;
  try {
    return JSON.stringify(manifest);
  } catch {
    // Nested too deep to be written: nobody has looked at the data yet.
    return undefined;
  }
}

/** What no manifest allows: its payloads are JSON, and an amended model is another one, by its digest. */
const WANTED = { payload: 'json', onContradiction: 'dispute' } as const;

function unkeepable(data: JsonObject): JobFault[] {
  return Object.entries(WANTED).flatMap(([name, wanted]) => {
    const given = member(data, name);
    if (typeof given !== 'string' || given === wanted) return [];
    const found = `found ${quoted(given)}, wanted "${wanted}" in the family uagents`;
    return [fault('JOB_INVALID', `/${name}`, found, { expected: wanted, actual: shortened(given) })];
  });
}
