import type { Rule } from './rule.ts';

/** What the family found while it read the messages: every case has one number of its own, one request, one response. */
export const ruleCaseUnreadable: Rule = {
  name: 'case-unreadable',
  check({ job }, { faults }) {
    // New cases may go on counting where those agreed before end.
    const isHarmless = (code: string) => job.kind === 'verify' && code === 'DOCUMENT_CASE_NUMBER_SKIPPED';
    return faults.filter(({ finding }) => !isHarmless(finding.code));
  },
};
