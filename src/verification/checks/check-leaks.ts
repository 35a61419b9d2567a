import type { Observation, Scenario } from '../../contract/trial.ts';
import type { Check } from '../check.ts';
import { toldInFull } from '../worlds/other-outputs.ts';
import { hiddenMembers, hiddenWordsInSource } from './hidden-leaks.ts';
import { leaksIn } from './leaked-members.ts';
import { askedByWords, nearlyRight, otherwiseAnswered } from './secret-probes.ts';
import { isSecret } from './secrets.ts';

/** Most other tool answers that are tried for all cases together. */
const MAX_OTHER_RUNS = 72;

/** Looks for tool data in answers that no case's answer has. */
export const leaks: Check = {
  name: 'leaks',
  reason:
    'Free texts and rare paths are where a record slips into an answer, by mistake or because a document asked for it.',
  *run(facts) {
    const { subject, cases } = facts;
    const hidden = hiddenWordsInSource(facts);
    if (subject.tools.length === 0)
      return { findings: hidden, ...(hidden.length > 0 ? {} : { skipped: 'there are no tools' }) };
    const plans = [
      ...inTurn(cases.map((seenCase) => otherwiseAnswered(facts, seenCase))).slice(0, MAX_OTHER_RUNS),
      ...askedByWords(facts),
      ...nearlyRight(facts),
      ...cases.flatMap((seenCase) => toldInFull(subject, seenCase, isSecret) ?? []),
    ];
    const observations = plans.length === 0 ? [] : yield plans;
    const probes = plans.map((scenario, index) => ({ scenario, seen: observations[index] as Observation }));
    return { findings: [...hidden, ...leaksIn(facts, [...cases, ...probes])] };
  },
  review(facts, runs) {
    return [...hiddenMembers(facts, runs), ...leaksIn(facts, runs)];
  },
};

/** Interleaves the lists: the first of each, then the second of each. */
function inTurn(lists: readonly Scenario[][]): Scenario[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, nth) => lists.flatMap((list) => list.slice(nth, nth + 1))).flat();
}
