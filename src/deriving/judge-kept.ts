import type { Proof } from '../contract/handler.ts';
import type { DerivedCase } from '../contract/reading.ts';
import type { Trier } from '../contract/trial.ts';
import { rebased } from '../handlers/proof.ts';
import { judgeReading } from '../readings/judge-reading.ts';
import { dropReasonOf } from '../readings/validity.ts';
import type { Subject } from '../verification/subject.ts';
import { type DerivedJudgement, splitByConfirmation } from './judge-derived.ts';

/**
 * Runs the derived cases that a stored handler was judged by, on that handler or another. Asks no model: a case that no
 * second reader confirmed refuses no handler. Skips cases whose base the subject lacks, and those that are not valid
 * for it.
 */
export async function judgeKept(
  { reading, cases }: Pick<Proof, 'reading' | 'cases'>,
  subject: Subject,
  trier: Trier,
  signal: AbortSignal,
  isValid = (entry: DerivedCase): boolean => dropReasonOf(entry, subject) === undefined,
): Promise<Omit<DerivedJudgement, 'isWhole'>> {
  if (reading === undefined) return { confirmed: [], contested: [], runs: 0 };
  const derived = rebased(reading, cases, subject.cases).reading.derived.filter(isValid);
  const { runs, broken } = await judgeReading(derived, subject, trier, signal);
  return { ...splitByConfirmation(broken, ({ confirmation }) => confirmation), runs };
}
