import type { Finding } from '../contract/finding.ts';
import type { Job } from '../contract/job.ts';
import { analyze } from './analyze.ts';
import { ruleAnswerUnderivable } from './rule-answer-underivable.ts';
import { preflight, RULES } from './rules.ts';

/** The preflight of a document and, where given, the text of its cases: everything that is wrong with them, in document order. Pure. */
export function lint(documentText: string, casesText?: string): Finding[] {
  const job: Job = {
    version: 1,
    kind: 'review',
    negotiationId: 'lint',
    tenant: 'default',
    family: 'anp',
    role: 'provider',
    agreement: {
      action: 'protocolNegotiation',
      sequenceId: 0,
      candidateProtocols: documentText,
      status: 'negotiating',
    },
    ...(casesText === undefined
      ? {}
      : { testCases: { action: 'testCasesNegotiation', testCases: casesText, status: 'negotiating' } }),
    tools: [],
    loose: [],
    baseProtocols: {},
    onContradiction: 'dispute',
    propose: false,
    timeoutMs: 15_000,
    workMs: 0,
    attempt: 0,
    replyTo: 'default',
  };
  // Without the tools of a job, nothing can be said about where an answer comes from.
  return preflight(
    analyze(job),
    RULES.filter((rule) => rule !== ruleAnswerUnderivable),
  );
}
