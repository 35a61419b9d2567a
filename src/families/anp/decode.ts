import type { Job } from '../../contract/job.ts';

/** What an ANP agreement is made of, verbatim. */
export interface AnpAgreement {
  /** The protocol document, exact text. */
  text: string;
  /** The text of the cases; `null` where they are absent or structured. */
  caseText: string | null;
}

/** Takes document and case text out of the ANP messages that a job carries, unchanged to the letter. */
export function decodeAnp({ agreement, testCases }: Pick<Job, 'agreement' | 'testCases'>): AnpAgreement {
  const caseText = testCases === undefined || Array.isArray(testCases) ? null : testCases.testCases;
  return { text: agreement.candidateProtocols, caseText };
}
