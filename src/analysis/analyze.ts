import type { Analyzed } from '../contract/agreement.ts';
import type { Job } from '../contract/job.ts';
import { familyOf } from '../families/families.ts';
import type { Matches } from '../schemas/compiled-schema.ts';
import { type Opened, open, readingOf } from './reading.ts';

/**
 * Reads a job's agreement: its schemas and which of them are request and response, its cases, base protocols, language
 * and payload type. Facts only; `preflight` reports what is wrong with them. Pure; never throws, whatever the document
 * contains. `matches` matches patterns that cannot be matched in linear time; it is used only the first time this job
 * object is read.
 */
export function analyze(job: Job, matches?: Matches): Analyzed {
  return analyzeOpened(open(job), matches);
}

/** The same for a job whose texts were already extracted, or changed since. */
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
      ...(reading.data === undefined ? {} : { data: reading.data }),
      cases: reading.cases,
      caseText: typeof texts.cases === 'string' ? texts.cases : null,
      baseUris: reading.bases,
      bases: reading.baseDocuments.map(({ uri, text }) => ({ uri, text })),
    },
  };
}
