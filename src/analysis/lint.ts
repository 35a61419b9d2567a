import type { Finding } from '../contract/finding.ts';
import type { Job } from '../contract/job.ts';
import { families } from '../families/families.ts';
import type { Family } from '../families/family.ts';
import { analyze } from './analyze.ts';
import { ruleAnswerUnderivable } from './rule-answer-underivable.ts';
import { preflight, RULES } from './rules.ts';

/**
 * Runs the preflight on a document and, optionally, the text of its cases. Returns all findings in document order.
 * Pure.
 */
export function lint(document: string, cases?: string, family: Family = families[0]): Finding[] {
  const job: Job = {
    version: 1,
    kind: 'review',
    negotiationId: 'lint',
    tenant: 'default',
    family: family.name,
    role: 'provider',
    ...family.carry({ document, cases: cases ?? null }),
    tools: [],
    loose: [],
    baseProtocols: {},
    onContradiction: 'dispute',
    propose: false,
    timeoutMs: family.timeoutMs,
    workMs: 0,
    attempt: 0,
    replyTo: 'default',
  };
  // Without a job's tools, nothing is known about where an answer comes from.
  return preflight(
    analyze(job),
    RULES.filter((rule) => rule !== ruleAnswerUnderivable),
  );
}
