import type { CheckReport } from '../contract/check-report.ts';
import type { Confirmation } from '../contract/reading.ts';
import { demandReading } from '../deriving/judge-derived.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { escapedLine } from '../kernel/quote.ts';
import { renderFindingsQuestion } from '../prompting/judge-prompt.ts';
import type { CheckFact } from '../verification/checks.ts';
import { askJudge, isQuoteFrom } from './blame-judge.ts';
import { enoughRefusals } from './blame-suspicion.ts';
import type { Tested } from './lane-candidate.ts';
import type { LaneContext } from './lane-context.ts';
import { factText } from './lane-facts.ts';

/**
 * The last step before a job ends without a verified candidate. If independent candidates were refused for the
 * same findings and passed everything else, a judge is asked. Resolves to the last of them if the judge says
 * that the agreement allows what they did, with the findings as warnings that quote the judge; else to `null`.
 */
export async function appeal(lanes: LaneContext, deadline: Deadline): Promise<Tested | null> {
  const last = enoughRefusals(lanes)?.at(-1);
  if (last === undefined || last.tested === null) return null;
  const quote = await judge(last.findings, lanes, deadline);
  if (quote === null) return null;
  demandReading({ isWhole: last.tested.isWholeReading }, lanes.reading);
  for (const entry of last.derived) lanes.reading.keep(entry, overruled);
  await lanes.reading.save();
  const others = (await lanes.assignment.faultsOf?.(last.tested)) ?? [];
  const checks = last.tested.checks.map((one) => asWarning(one, quote));
  return others.length > 0 ? null : { ...last.tested, checks };
}

/** Replaces a confirmation that a judge overruled: it confirms nothing. */
const overruled: Confirmation = { by: 'a judge', answers: {} };

/**
 * Asks twice, with the two interpretations in swapped order. Returns the judge's quote only if both answers
 * clear the candidates and quote the agreement.
 */
async function judge(findings: readonly CheckFact[], lanes: LaneContext, deadline: Deadline): Promise<string | null> {
  const { text } = lanes.assignment.cleared.agreement;
  const quotes = await Promise.all(
    ([1, 2] as const).map(async (kept) => {
      const answer = await askJudge(renderFindingsQuestion(text, findings.map(factText), kept), lanes, deadline);
      return answer?.right === kept && isQuoteFrom(text, answer.quote) ? answer.quote : null;
    }),
  );
  return quotes.includes(null) ? null : (quotes[0] ?? null);
}

function asWarning(report: CheckReport, quote: string): CheckReport {
  if (report.result !== 'failed') return report;
  const message = `a judge interprets the agreement differently: "${escapedLine(quote.slice(0, 200))}"; ${report.message ?? ''}`;
  return { ...report, result: 'warned', message: message.slice(0, 1_000) };
}
