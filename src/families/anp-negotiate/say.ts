import type { Finding } from '../../contract/finding.ts';
import type { Statement } from '../../contract/statement.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { escapedLine } from '../../kernel/quote.ts';
import type { UncheckedAgreement } from '../family.ts';
import { type Agreed, agreedIn, artifactIn, chosenMethods } from './agreed.ts';
import { agreementParts } from './agreement-text.ts';
import { textAt, textsAt } from './artifact.ts';
import { artifactDigest, digestBasis } from './digest.ts';
import { type AnpCode, negotiationError } from './negotiation-error.ts';

/** Most findings that one report describes. */
const MAX_DESCRIBED = 50;

/** The report of a statement, for our own negotiator: the draft has no message for any of them. */
export function reportFor(statement: Statement, { agreement, supplied }: UncheckedAgreement): JsonObject[] {
  const facts = () => factsOf(partsOf(agreement, supplied));
  switch (statement.what) {
    case 'generated': {
      const { handler } = statement;
      const made = handler && { handler: { digest: handler.digest, tools: [...handler.tools] } };
      return [{ report: 'generated', ...facts(), ...made }];
    }
    case 'failed':
      return [{ report: 'failed', ...facts(), error: { ...negotiationError('meta.negotiation_rejected') } }];
    case 'dispute': {
      const { findings } = statement;
      const error = negotiationError(anpCodeOf(findings), { details: { findings: linesOf(findings) } });
      return [{ report: 'disputed', ...facts(), findings: linesOf(findings), error: { ...error } }];
    }
    case 'complaint-accepted':
    case 'complaint-rejected':
      return [{ report: statement.what, ...facts(), findings: linesOf(statement.findings) }];
    case 'amended-document':
      return [{ report: 'amended', ...amended(statement.text), findings: linesOf(statement.settled) }];
    // The draft negotiates no cases.
    case 'amended-cases':
    case 'further-cases':
      return [];
  }
}

function linesOf(findings: readonly Finding[]): string[] {
  const lines = findings.slice(0, MAX_DESCRIBED).map(({ message }) => escapedLine(message));
  const more = findings.length - lines.length;
  return more > 0 ? [...lines, `${more} more problems`] : lines;
}

/** The draft's error that is closest to what was found. */
function anpCodeOf(findings: readonly Finding[]): AnpCode {
  const [{ code, pointer } = { code: undefined, pointer: undefined }] = findings;
  if (code !== 'DOCUMENT_SELECTION_CONTRADICTS') return 'meta.negotiation_rejected';
  return pointer === '/content_types' ? 'meta.unsupported_content_type' : 'meta.unsupported_security_profile';
}

function partsOf(agreement: Json, supplied: Json | undefined): Agreed {
  const given = agreedIn(agreement, supplied);
  const text = textAt(agreement, 'document');
  const artifact = text === undefined ? undefined : agreementParts(text)?.artifact;
  return artifact === undefined ? given : { ...given, artifact };
}

/** What a report says about the agreement: ids, methods, and what its digest covers. */
function factsOf(agreed: Agreed): JsonObject {
  const { result, artifact: text } = agreed;
  const artifact = artifactIn(agreed);
  const root = artifact?.root.value ?? null;
  const members: [string, Json | undefined][] = [
    ['negotiationId', textAt(result, 'negotiationId')],
    ['validUntil', textAt(result, 'validUntil')],
    ['protocolId', textAt(root, 'protocol_id')],
    ['protocolUri', textAt(root, 'protocol_uri')],
    ['version', textAt(root, 'version')],
    ['dependsOnProfiles', artifact && textsAt(root, 'depends_on_profiles')],
    ['methods', artifact && chosenMethods(artifact, agreed).map(({ name }) => name)],
    ['digest', isObject(root) && text !== undefined ? digestReport(root, text) : undefined],
  ];
  return Object.fromEntries(members.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

function digestReport(root: JsonObject, text: string): JsonObject {
  const given = textAt(root, 'digest') ?? null;
  return { given, computed: artifactDigest(root), of: given === null ? null : (digestBasis(given, text) ?? null) };
}

/** The artifact and the schemas of an amended text, with the digest that the artifact has now. */
function amended(text: string): JsonObject {
  const parts = agreementParts(text);
  const supplied = Object.fromEntries(parts?.schemas ?? []);
  const artifact = parts?.artifact === undefined ? undefined : withDigest(parts.artifact);
  return { ...(artifact === undefined ? {} : { artifact }), supplied };
}

function withDigest(text: string): Json {
  try {
    const artifact: Json = JSON.parse(text);
    if (!isObject(artifact)) return text;
    return Object.hasOwn(artifact, 'digest') ? { ...artifact, digest: artifactDigest(artifact) } : artifact;
  } catch {
    return text;
  }
}
