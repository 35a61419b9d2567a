import { lint } from '../../../src/analysis/lint.ts';
import type { Finding } from '../../../src/contract/finding.ts';
import { CaseValidation } from '../../../src/documents/case-validation.ts';
import { anpNegotiate } from '../../../src/families/anp-negotiate/anp-negotiate.ts';
import { artifactDigest } from '../../../src/families/anp-negotiate/door.ts';
import type { FamilyReading } from '../../../src/families/family.ts';
import { readJob } from '../../../src/intake/read-job.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { folders, vector } from './vectors.ts';

const [folder = ''] = folders;
/** The artifact of the draft. */
export const example = vector(folder, '10.2-protocol-artifact');
/** The URIs of its schemas. */
export const [uri = '', replyUri = ''] = ['request', 'response'].map(
  (side) => `https://example.com/schemas/product-info-${side}.json`,
);
/** A schema of objects. */
export const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});
export const supplied = {
  [uri]: JSON.stringify(object({ id: { type: 'string' } }, { required: ['id'] })),
  [replyUri]: JSON.stringify(object({ name: { type: 'string' } }, { required: ['name'] })),
};
export const result = { negotiationId: 'n', status: 'accepted', selected: { contentType: 'application/json' } };

/** The artifact with other members, and the digest that it has then. */
export function signed(more: JsonObject): JsonObject {
  const { digest: _, ...artifact } = { ...example, ...more };
  return { ...artifact, digest: artifactDigest(artifact) };
}

/** A job for it. */
export function job(more: JsonObject = {}): JsonObject {
  const agreement = { result, artifact: signed({}) };
  return { version: 1, negotiationId: 'n', family: 'anp-negotiate', role: 'provider', agreement, supplied, ...more };
}

/** The faults of a job. */
export function faultsOf(data: JsonObject): string[] {
  const reading = readJob('generate', data);
  return reading.ok ? [] : reading.faults.map(({ code, pointer }) => `${code} ${pointer}`);
}

/** The text of its agreement. */
export const documentOf = (data: JsonObject) => anpNegotiate.documentIn(data)?.text ?? '';

/** What is read of that. */
export function readingOf(data: JsonObject): FamilyReading {
  const about = { payload: undefined, baseProtocols: {}, validation: new CaseValidation() };
  return anpNegotiate.read({ document: documentOf(data), cases: null }, about);
}

/** The errors of its preflight. */
export const errorsOf = (data: JsonObject): Finding[] =>
  lint(documentOf(data), undefined, anpNegotiate).filter(({ severity }) => severity === 'error');

/** Their codes and pointers. */
export const codesOf = (data: JsonObject): string[] =>
  errorsOf(data).map(({ code, pointer = '' }) => `${code} ${pointer}`);
