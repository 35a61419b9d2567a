import type { Analyzed } from '../contract/agreement.ts';
import type { Job } from '../contract/job.ts';
import { sha256Hex } from '../kernel/digest.ts';
import type { Matches } from '../schemas/validator.ts';
import { readingOf } from './reading.ts';

/**
 * Reads a job's agreement: schemas and which of them is request and response, cases, base protocols, timeout, language and
 * kind of payload. Facts only; what is wrong with them says `preflight`. Pure; never throws whatever the document holds.
 * `matches` answers for patterns that cannot be matched in linear time, the first time that this job object is read.
 */
export function analyze(job: Job, matches?: Matches): Analyzed {
  const reading = readingOf(job, matches);
  return {
    job,
    agreement: {
      text: reading.text,
      protocolHash: sha256Hex(reading.text),
      language: reading.language,
      payload: reading.payload,
      requestSchema: reading.request,
      responseSchema: reading.response,
      schemas: reading.schemas.map(({ claim: _, ...located }) => located),
      cases: reading.cases,
      caseText: reading.caseText,
      baseUris: reading.baseUris,
      bases: reading.parts.bases.documents.map(({ uri, text }) => ({ uri, text })),
    },
  };
}
