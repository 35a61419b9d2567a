import type { Json } from '../kernel/json.ts';
import type { CheckFacts } from './check.ts';
import { documentedAnswersOf, holdsConstant, spaced, stemsOf } from './documented-answers.ts';
import { OWN_FAILURES, reportsFailure } from './failure-answer.ts';

/** A sentence about whichever system of the provider's own. */
const ANY_SYSTEM =
  /\b(?:internal|server|unexpected|technical|anything|something|500)\b|\b(?:an?|any|our|its|one of (?:our|the)) (?:own )?(?:back-?ends?|systems?|services?|databases?|tools?)\b|\b(?:back-?end|upstream|system|database) (?:errors?|failures?)\b|\p{Script=Han}/iu;

/** What a sentence says to fail. */
const WHAT_FAILS =
  /\b(?:when|if|where|unless|in case|whenever|once)\b([^.\n]{0,80}?)\b(?:fail|unavailable|down|unreachable|can ?not|can't|could not|is not|are not|do(?:es)? not|times? out)/i;

/**
 * Whether an answer to one failing tool must have a name that the document gives to failures: not where the sentences speak of something
 * else than this tool, where a case shows the name in a success or although nothing had failed, or where the answer has the name of all other failures.
 */
export function isOwedName({ subject, cases }: CheckFacts, tool: string, answer: Json): boolean {
  const { ownFailures, ownFailureSentences, otherFailures } = documentedAnswersOf(subject);
  if (holdsConstant(answer, otherFailures)) return false;
  const shown = cases.filter(
    ({ one, seen }) => reportsFailure(one.output) === false || seen.calls.every(({ error }) => error === undefined),
  );
  return ownFailureSentences.some(
    ({ sentence, constants }) =>
      constants.some(
        (constant) => ownFailures.includes(constant) && !shown.some(({ one }) => holdsConstant(one.output, [constant])),
      ) && concerns(subject, sentence, tool),
  );
}

/** Whether a sentence about failures speaks of a tool, or of any. */
function concerns({ tools }: CheckFacts['subject'], sentence: string, name: string): boolean {
  if (tools.length < 2 || ANY_SYSTEM.test(sentence)) return true;
  const tool = tools.find((one) => one.name === name);
  const known = stemsOf(`${spaced(name)} ${tool?.description ?? ''}`);
  const clause = sentence.split(/[,，、]/).find((one) => OWN_FAILURES.test(one)) ?? sentence;
  return [...stemsOf(WHAT_FAILS.exec(clause)?.[1] ?? clause)].some((stem) => known.has(stem));
}
