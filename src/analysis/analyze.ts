import type { Analyzed } from '../contract/agreement.ts';
import type { Job } from '../contract/job.ts';
import { familyOf } from '../families/families.ts';
import type { Matches } from '../schemas/validator.ts';
import { type Opened, open, readingOf } from './reading.ts';

/**
 * Reads a job's agreement: schemas and which of them is request and response, cases, base protocols, language and kind
 * of payload. Facts only; what is wrong with them says `preflight`. Pure; never throws whatever the document holds.
 * `matches` answers for patterns that cannot be matched in linear time, the first time that this job object is read.
 */
export function analyze(job: Job, matches?: Matches): Analyzed {
  return analyzeOpened(open(job), matches);
}

/** The same of a job whose texts were taken out of its messages already, or changed since. */
export function analyzeOpened({ job, texts }: Opened, matches?: Matches): Analyzed {
  const reading = readingOf({ job, texts }, matches);
  return {
    job,
    texts,
    agreement: {
      text: texts.document,
      protocolHash: familyOf(job).hashOf(texts.document),
      language: reading.language,
      payload: reading.payload,
      interactions: reading.interactions,
      requestSchema: reading.request,
      responseSchema: reading.response,
      schemas: reading.schemas.map(({ claim: _, ...located }) => located),
      cases: reading.cases,
      caseText: typeof texts.cases === 'string' ? texts.cases : null,
      baseUris: reading.bases,
      bases: reading.baseDocuments.map(({ uri, text }) => ({ uri, text })),
    },
  };
}
