import type { Statement } from '../../contract/statement.ts';
import { canonicalDigest, sha256Hex } from '../../kernel/digest.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { Family } from '../family.ts';
import { agreedIn, agreementTextOf } from './agreed.ts';
import { agreementParts } from './agreement-text.ts';
import { complaintText, messageFaults, messageSchemas } from './job-members.ts';
import { readAgreement } from './read.ts';
import { reportFor } from './say.ts';

/**
 * ANP-06, the dialect that replaces the meta-protocol of `anp`: an agreement is the accepted result of `anp.negotiate`
 * and the protocol artifact that it selects. There are no messages about the generated code, so outcomes have reports
 * for our own negotiator.
 */
export const anpNegotiate: Family = {
  name: 'anp-negotiate',
  timeoutMs: 60_000,
  schemas: messageSchemas,
  faults: messageFaults,
  documentIn({ agreement, supplied }) {
    const text = textOf(agreement, supplied);
    return text === undefined ? undefined : { text, pointer: '/agreement' };
  },
  hashOf,
  open: ({ agreement, testCases, supplied }) => ({
    document: textOf(agreement, supplied) ?? '',
    cases: Array.isArray(testCases) ? testCases : null,
  }),
  carry: ({ document, cases }) => ({
    agreement: { document },
    ...(cases === null || typeof cases === 'string' ? {} : { testCases: [...cases] }),
  }),
  textsIn(message, written) {
    // A file may contain the artifact itself, as it is published.
    const isNamed = [message.protocol_id, message.protocol_uri].some((name) => typeof name === 'string');
    const isArtifact = isNamed && Array.isArray(message.methods);
    const agreement = isArtifact ? { artifact: written ?? message } : message;
    const document = isArtifact || isNegotiated(message) ? textOf(agreement, message.supplied) : undefined;
    return document === undefined ? undefined : { document };
  },
  read: readAgreement,
  complaint: complaintText,
  canSay: (what) => SAYABLE.has(what),
  say: reportFor,
};

/** The draft negotiates no cases. */
const SAYABLE: ReadonlySet<Statement['what']> = new Set([
  'generated',
  'failed',
  'dispute',
  'complaint-accepted',
  'complaint-rejected',
  'amended-document',
]);

function textOf(agreement: Json | undefined, supplied: Json | undefined): string | undefined {
  const own = isObject(agreement) ? agreement.document : undefined;
  return typeof own === 'string' ? own : agreementTextOf(agreedIn(agreement, supplied));
}

function isNegotiated({ result, artifact }: JsonObject): boolean {
  return isObject(result) || isObject(artifact);
}

/**
 * The hash of an agreement by what a handler depends on: not by the layout of its texts, the order of members, and the
 * id and time of its negotiation.
 */
function hashOf(document: string): string {
  const parts = agreementParts(document);
  if (parts === undefined) return sha256Hex(document);
  try {
    const { digest: _, ...artifact } = jsonOf(parts.artifact);
    const { securityProfile, protocolArtifact, ...selection } = jsonOf(parts.selection);
    const schemas = Object.fromEntries([...parts.schemas].map(([uri, text]) => [uri, parsed(text)]));
    return canonicalDigest({ artifact, selection, schemas });
  } catch {
    return sha256Hex(document);
  }
}

function jsonOf(text: string | undefined): JsonObject {
  const value = parsed(text ?? '{}');
  return isObject(value) ? value : { value };
}

function parsed(text: string): Json {
  return JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
}
