import { CARRIES_ON, ENDS_THERE, STOPS } from '../../lexicon/ordering.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { allSentencesOf } from './documented-answers.ts';
import { answerNamesIn, sentencesOnFailureOf } from './failure-names.ts';

/**
 * The sentence by which a tool that has failed is not called again, for whatever it may be: it speaks of that failure, goes on about it, or has
 * its name. `undefined` where there is none, or where one of them has things carried on.
 */
export function stopsAfter(subject: Subject, tool: string): string | undefined {
  const own = sentencesOnFailureOf(subject, tool);
  const names = own.flatMap((sentence) => answerNamesIn(subject, sentence));
  const all = allSentencesOf(subject).filter((sentence) => sentence.trim() !== '');
  const isOwn = (sentence: string | undefined) => sentence !== undefined && own.some((one) => one.includes(sentence));
  const about = all.filter(
    (sentence, at) =>
      isOwn(sentence) ||
      names.some((name) => hasWord(sentence, name)) ||
      (isOwn(all[at - 1]) && GOES_ON_ABOUT_IT.test(sentence)),
  );
  if (about.some((sentence) => CARRIES_ON.test(sentence))) return undefined;
  // Of several things, each may have its own end.
  const isOfOne = !subject.cases.some(({ request }) =>
    leavesOf(request).some(({ pointer }) => /\/1(?:\/|$)/.test(pointer)),
  );
  return about.find((sentence) => STOPS.test(sentence) || (isOfOne && ENDS_THERE.test(sentence)));
}

/** How a sentence begins that goes on about what the one before has happen. */
const GOES_ON_ABOUT_IT = /^\W*(?:either way|in (?:either|both|that|this) cases?|then|after that|do not|don['’]t)\b/i;
