import type { Rule } from './rule.ts';

/**
 * The faults that the family found while reading the messages: every case needs a unique number, one request and one
 * response.
 */
export const ruleCaseUnreadable: Rule = {
  name: 'case-unreadable',
  check({ job }, { faults }) {
    // New cases may continue the numbers of the agreed ones.
    const isHarmless = (code: string) => job.kind === 'verify' && code === 'DOCUMENT_CASE_NUMBER_SKIPPED';
    return faults.filter(({ finding }) => !isHarmless(finding.code));
  },
};
