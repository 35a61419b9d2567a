import { type Json, valueAt } from '../../kernel/json.ts';
import { FAILS, NO_ANSWER } from '../../lexicon/failing.ts';
import { leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { allSentencesOf } from './documented-answers.ts';

/** The sentence by which an output is not complete where a message has no answer; `undefined` where the case's own output does not say that it is. */
export function completeInSpite(subject: Subject, usual: Json, output: Json): string | undefined {
  const claims = leavesOf(output).some(
    ({ pointer, name, value }) => value === true && COMPLETE.test(name) && valueAt(usual, pointer) === true,
  );
  if (!claims) return undefined;
  const all = allSentencesOf(subject);
  return all.find(
    (sentence, at) =>
      NOT_COMPLETE.test(sentence) &&
      [all[at - 1] ?? '', sentence].some((one) => FAILS.test(one) || NO_ANSWER.test(one)),
  );
}

/** Names of members that say whether all was had, and words that it was not. */
const [COMPLETE, NOT_COMPLETE] = [
  /^(?:is_?)?complete|^all|vollst(?:ä|ae)ndig|^complet|完整/i,
  /\b(?:not (?:be )?complete|incomplete|complete[`"”]? ?(?:is|=|:|set to)? ?[`"]?false)\b|(?<!\p{L})(?:nicht vollständig|unvollständig|incomplet[oa]?|pas complète?)(?!\p{L})|不完整/iu,
];
