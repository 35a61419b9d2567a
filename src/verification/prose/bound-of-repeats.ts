import { TRIED_AGAIN } from '../../lexicon/failing.ts';
import type { Subject } from '../subject.ts';
import { allSentencesOf } from './documented-answers.ts';

/** How often the same request may be sent, where document or task bound it in a number of times; the sentence that does so. */
export function boundOfRepeats(subject: Subject): { most: number; sentence: string } | undefined {
  const bounds = allSentencesOf(subject).flatMap((sentence) => {
    const found = TIMES_BOUND.exec(sentence);
    const words = found?.slice(1).find((group) => group !== undefined);
    if (words === undefined || PER_TIME.test(sentence)) return [];
    const times = /^\d/.test(words) ? Number(words) : (NUMBER_WORDS.get(words.toLowerCase()) ?? Number.NaN);
    // The first time is none of those that come after it.
    return [{ most: times + (TRIED_AGAIN.test(sentence) || MORE.test(sentence) ? 1 : 0), sentence }];
  });
  const [first, ...rest] = bounds;
  if (first === undefined || bounds.some(({ most }) => Number.isNaN(most))) return undefined;
  return rest.reduce((best, next) => (next.most > best.most ? next : best), first);
}

const NUMBER_WORDS = new Map(
  [
    ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'],
    ['ein', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun', 'zehn'],
    ['一', '两', '三', '四', '五', '六', '七', '八', '九', '十'],
  ].flatMap((words) => words.map((word, index): [string, number] => [word, index + 1])),
);

const MORE = /\b(?:more|further|additional|other)\b|weitere/i;

const PER_TIME = /\b(?:per|each|every|an?) (?:second|minute|hour|day|week|month)\b|每(?:秒|分|小时|天|日)/i;

/** How many times at most. */
const TIMES_BOUND = new RegExp(
  [
    String.raw`\b(?:at most|no more than|not more than|a maximum of|max\.?|up to) (\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten) (?:(?:more|further|additional|other) )?(?:times|attempts|tries|retries|polls|questions|inquiries|status requests)\b`,
    String.raw`\b(\d{1,2}|two|three|four|five|six|seven|eight|nine|ten) times (?:in all )?at (?:the )?most\b`,
    String.raw`(?:höchstens|maximal) (\d{1,2}|ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)[- ]?(?:mal|Mal|weitere Male?|(?:weitere )?(?:Versuche|Abfragen))(?!\p{L})`,
    String.raw`(?:最多|至多)\p{Script=Han}{0,6}? ?(\d{1,2}|[一两三四五六七八九十]) ?次`,
  ].join('|'),
  'iu',
);
