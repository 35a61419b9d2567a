import type { Finding } from '../../contract/finding.ts';
import { shortened } from '../../contract/job-fault.ts';
import { nodeAt } from '../../documents/located-json.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { quoteText } from '../../kernel/quote.ts';
import type { PlacedFinding } from '../family.ts';
import type { Selection } from './agreed.ts';
import { type Artifact, textsAt } from './artifact.ts';
import { artifactDigest, digestBasis } from './digest.ts';

/** Checks that the artifact has the digest that it states, and the one by which the result names it. */
export function digestFindings({ root }: Artifact, text: string, { protocolArtifact }: Selection): PlacedFinding[] {
  const node = nodeAt(root, '/digest');
  const stated = node === undefined ? [] : [{ given: node.value, pointer: '/digest', by: 'it states' }];
  const named = protocolArtifact === undefined ? [] : [{ given: protocolArtifact, by: 'the result names it by' }];
  return [...stated, ...named].flatMap(({ given, by, ...place }) => {
    const digest = typeof given === 'string' ? given : '';
    if (digestBasis(digest, text) !== undefined) return [];
    const expected = artifactDigest(root.value as JsonObject);
    const wanted = `${expected} of its canonical JSON without the digest, or the SHA-256 of its bytes`;
    const message = `Cannot verify protocol artifact: found ${quoteText(digest)} as the digest that ${by}, wanted ${wanted}`;
    const finding = {
      code: 'DOCUMENT_DIGEST_MISMATCH',
      message,
      expected,
      actual: shortened(digest),
      ...place,
    } as const;
    return [placed(finding, node?.start ?? root.start)];
  });
}

/**
 * Checks that the artifact allows what the result selects. A selection that the artifact does not list is a
 * contradiction.
 */
export function selectionFindings({ root }: Artifact, selection: Selection): PlacedFinding[] {
  return COMPARED.flatMap(({ selected, listed, bare }) => {
    const wanted = textsAt(isObject(root.value) ? root.value : {}, listed);
    const found = selection[selected];
    if (found === undefined || wanted.length === 0 || wanted.some((one) => bare(one) === bare(found))) return [];
    const list = wanted.slice(0, MAX_LISTED).map(quoteText).join(', ');
    const message = `Cannot use selection: found ${selected} ${quoteText(found)}, wanted one of the artifact's ${listed}: ${list}`;
    const finding = { code: 'DOCUMENT_SELECTION_CONTRADICTS', pointer: `/${listed}`, message } as const;
    return [placed({ ...finding, actual: shortened(found) }, nodeAt(root, `/${listed}`)?.start ?? root.start)];
  });
}

/** Most values of a list that one message names. */
const MAX_LISTED = 8;

/** What the result selects, and the member of the artifact that lists what is possible. */
const COMPARED = [
  // The parameters of a media type, such as its charset, are not part of the choice.
  {
    selected: 'contentType',
    listed: 'content_types',
    bare: (type: string) => type.replace(/;.*$/s, '').trim().toLowerCase(),
  },
  { selected: 'securityProfile', listed: 'security_profiles', bare: (profile: string) => profile },
] as const;

function placed(finding: Omit<Finding, 'severity' | 'in'>, at: number): PlacedFinding {
  return { finding: { severity: 'error', in: 'document', ...finding }, text: 'document', at };
}
