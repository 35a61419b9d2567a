import type { CheckReport } from '../contract/check-report.ts';
import { visibleText } from '../families/quote.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { renderFindingsQuestion } from '../prompting/judge-prompt.ts';
import type { CheckFact } from '../verification/checks.ts';
import { askJudge, standsIn } from './blame-judge.ts';
import { type Failed, mayAppeal, type Tested } from './lane-candidate.ts';
import { factText } from './lane-facts.ts';
import type { Work } from './lane-work.ts';

/** Independent candidates that must be refused for the same findings before our own reading is suspected unasked. */
const fewestVoices = 2;

/**
 * Puts the findings against a candidate before a judge, twice, with the two readings in swapped order. Resolves to the candidate, its findings
 * turned into warnings that quote the judge, where both times its reading is the one that the agreement bears out, with words that stand there; to
 * `null` otherwise. The same findings are judged once for a job.
 */
export async function appeal(failed: Failed, work: Work, deadline: Deadline): Promise<Tested | null> {
  const { tested, findings } = failed;
  if (tested === null || !mayAppeal(failed)) return null;
  const key = signatureOf(findings);
  const judged = work.appeals.get(key) ?? judge(findings, work, deadline);
  work.appeals.set(key, judged);
  const quote = await judged;
  if (quote === null) return null;
  const others = (await work.brief.faultsOf?.(tested)) ?? [];
  return others.length > 0 ? null : { ...tested, checks: tested.checks.map((one) => asWarning(one, quote)) };
}

/**
 * The last word before a job ends for want of a verified candidate: findings for which independent candidates were refused are put before the judge
 * though no model appealed.
 */
export async function appealOfAll(work: Work, deadline: Deadline): Promise<Tested | null> {
  const fresh = work.tried.flatMap(({ fresh, attempted }) =>
    fresh && attempted.kind === 'failed' && mayAppeal(attempted) ? [attempted] : [],
  );
  for (const one of fresh) {
    const key = signatureOf(one.findings);
    if (fresh.filter(({ findings }) => signatureOf(findings) === key).length < fewestVoices) continue;
    if (!work.appeals.has(key)) return appeal(one, work, deadline);
  }
  return null;
}

async function judge(findings: readonly CheckFact[], work: Work, deadline: Deadline): Promise<string | null> {
  const { text } = work.brief.cleared.agreement;
  const said = await Promise.all(
    ([1, 2] as const).map(async (kept) => {
      const answer = await askJudge(renderFindingsQuestion(text, findings.map(factText), kept), work, deadline);
      return answer?.right === kept && standsIn(text, answer.quote) ? answer.quote : null;
    }),
  );
  return said.includes(null) ? null : (said[0] ?? null);
}

function signatureOf(findings: readonly CheckFact[]): string {
  return JSON.stringify(findings.map(({ check, message }) => [check, message]));
}

function asWarning(report: CheckReport, quote: string): CheckReport {
  if (report.result !== 'failed') return report;
  const message = `a judge reads the agreement otherwise: "${visibleText(quote.slice(0, 200))}"; ${report.message ?? ''}`;
  return { ...report, result: 'warned', message: message.slice(0, 1_000) };
}
