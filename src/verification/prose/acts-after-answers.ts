import type { Observation } from '../../contract/trial.ts';
import { ONLY_AFTER } from '../../lexicon/acting.ts';
import type { RunnableCase } from '../case-scenarios.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly, type Subject } from '../subject.ts';
import { speaksOf } from './documented-acts.ts';
import { allSentencesOf } from './documented-answers.ts';

/** The tools that act only after an answer to a later message than the first, by a word that it has and the first answer has not. */
export function actsOnlyAfter(
  subject: Subject,
  { input }: RunnableCase,
  { calls, sends }: Observation,
): { tool: string; sentence: string }[] {
  const [first, ...later] = sends.map(({ response }) => leavesOf(response ?? null));
  const known = JSON.stringify([input, first ?? null]);
  const words = later
    .flat()
    .flatMap(({ value }) =>
      typeof value === 'string' && NAMES_IT.test(value) && !known.includes(value) ? [value] : [],
    );
  if (words.length === 0) return [];
  const sentences = allSentencesOf(subject).filter(
    (sentence) => ONLY_AFTER.test(sentence) && words.some((word) => hasWord(sentence, word)),
  );
  const acting = [...new Set(calls.map(({ tool }) => tool))].filter((tool) => !isReadOnly(subject, tool));
  return acting.flatMap((tool) => {
    const sentence = sentences.find((one) => speaksOf(one, tool));
    return sentence === undefined ? [] : [{ tool, sentence }];
  });
}

/** What a message, or an outcome, may be called by. */
export const NAMES_IT = /^\p{L}[\p{L}_-]{2,29}$/u;
