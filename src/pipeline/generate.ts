import type { Finding } from '../contract/finding.ts';
import { codeGeneration } from '../families/anp/encode.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { renderRepair } from '../prompting/render-repair.ts';
import { type Attempted, attempt, type Tested } from './attempt.ts';
import type { Brief } from './brief.ts';
import { jobFinding, Leave } from './leave.ts';
import type { Ledger } from './ledger.ts';
import { generationBudget, type Workshop } from './workshop.ts';

type Failed = Extract<Attempted, { kind: 'failed' }>;

/**
 * Has a handler written and proves it; what fails is repaired within the budget. Leaves with `error` where no candidate could be verified: the
 * fault is ours, never the peer's.
 */
export async function generate(brief: Brief, shop: Workshop, ledger: Ledger, deadline: Deadline): Promise<Tested> {
  ledger.generator = { kind: shop.completer.generator, model: shop.model };
  ledger.verification = brief.subject.cases.length > 0 ? 'negotiated' : 'schema-only';
  let best: Failed | undefined;
  for (let repairs = 0; repairs <= generationBudget.maxRepairs; repairs += 1) {
    const repaired = best?.source !== undefined && best.facts ? { source: best.source, facts: best.facts } : undefined;
    const prompt = repaired
      ? renderRepair(brief.prompt, brief.subject.role, repaired.source, repaired.facts)
      : brief.prompt;
    const attempted = await attempt(prompt, repaired !== undefined, brief, shop, ledger, deadline);
    if (attempted.kind === 'declined') throw declined(attempted, brief);
    ledger.cases = attempted.cases ?? ledger.cases;
    ledger.checks = attempted.checks ?? ledger.checks;
    if (attempted.kind === 'verified') return attempted;
    // A repair that loses a case which had passed is dropped: the better candidate is repaired again.
    if (best === undefined || attempted.passed >= best.passed) best = attempted;
  }
  throw unverified(best as Failed, brief);
}

function declined(
  { declined: { decline, reason, quote } }: Extract<Attempted, { kind: 'declined' }>,
  brief: Brief,
): Leave {
  const quoted = quote.trim() !== '' && brief.cleared.agreement.text.includes(quote.trim());
  const finding = jobFinding(
    decline === 'missing-tool' ? 'CANDIDATE_MISSING_TOOL' : 'CANDIDATE_DECLINED',
    `The model declined (${decline}): ${reason.slice(0, 500)}${quoted ? '' : '; what it quotes does not stand in the document'}`,
  );
  return failure([finding], brief);
}

function unverified(best: Failed, brief: Brief): Leave {
  const findings = (best.cases ?? [])
    .filter(({ passed }) => !passed)
    .map(({ testCase, differences: [first] }): Finding => {
      const pointer = first?.in === 'run' ? undefined : first?.path;
      return {
        code: best.code,
        severity: 'error',
        in: first?.in === 'request' ? 'request' : 'response',
        testCase,
        message: first?.message ?? 'the handler answers otherwise than the case',
        ...(pointer === undefined ? {} : { pointer }),
        ...(first?.expected === undefined ? {} : { expected: first.expected }),
        ...(first?.got === undefined ? {} : { actual: first.got }),
      };
    });
  return failure(findings.length > 0 ? findings : [jobFinding(best.code, best.message)], brief);
}

function failure(findings: Finding[], brief: Brief): Leave {
  return new Leave({
    verdict: 'error',
    messages: [codeGeneration('error')],
    findings: [...findings, ...brief.cleared.warnings],
  });
}
