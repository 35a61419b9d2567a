import { isObject, type Json } from '../../kernel/json.ts';
import { COUNTING } from '../../lexicon/quantifying.ts';
import type { CheckFact, CheckFacts, Run } from '../check.ts';
import { sentencesOf, taskSentencesOf } from '../prose/documented-answers.ts';
import { hasWord } from '../scalar-kinds.ts';
import { type List, listsOf } from '../worlds/lists.ts';

/** Fewer cases with a count of their items do not show what is counted. */
const leastCases = 2;

/** A member of the answer that counts those of its items that have one of some words, by a sentence and by all cases. */
interface Count {
  name: string;
  pointer: string;
  member: string;
  words: readonly Json[];
  sentence: string;
}

/** The first answer that has more items of the kind that it counts, by a sentence of the document, than it says. */
export function miscountedItems(facts: CheckFacts, runs: readonly Run[]): Omit<CheckFact, 'check'> | undefined {
  for (const count of countsOf(facts))
    for (const { scenario, seen } of runs) {
      const { value, issues } = seen;
      const said = isObject(value ?? null) ? (value as { [name: string]: Json })[count.name] : undefined;
      if (value === undefined || issues.length > 0 || typeof said !== 'number') continue;
      const number = countIn(value, count);
      if (number === undefined || number <= said) continue;
      return {
        code: 'CANDIDATE_HARD_CODED',
        message:
          `${count.name} is ${said}, and the answer has ${number} such items, though "${count.sentence.trim()}"`.slice(
            0,
            500,
          ),
        input: scenario.input,
        got: value,
      };
    }
  return undefined;
}

function countsOf({ subject, cases }: CheckFacts): Count[] {
  const sentences = [...sentencesOf(subject.agreement), ...taskSentencesOf(subject)].filter((sentence) =>
    COUNTING.test(sentence),
  );
  const answers = cases.flatMap(({ one: { output } }) => (isObject(output) ? [output] : []));
  const names = new Set(
    answers.flatMap((answer) => Object.keys(answer).filter((name) => typeof answer[name] === 'number')),
  );
  return [...names].flatMap((name) => {
    const counted = answers.filter((answer) => typeof answer[name] === 'number');
    return sentences.flatMap((sentence): Count[] =>
      hasWord(sentence, name)
        ? kindsOf(counted.flatMap((answer) => listsOf(answer))).flatMap(({ pointer, member, values }) => {
            const words = values.filter((word) => hasWord(sentence, String(word)));
            const count = { name, pointer, member, words, sentence };
            const own = counted.filter((answer) => countIn(answer, count) !== undefined);
            const holds = own.every((answer) => countIn(answer, count) === answer[name]);
            return words.length > 0 && holds && own.length >= leastCases ? [count] : [];
          })
        : [],
    );
  });
}

/** The members of the items of lists that hold words, with the words. */
function kindsOf(lists: readonly List[]): { pointer: string; member: string; values: string[] }[] {
  const found = new Map<string, { pointer: string; member: string; values: Set<string> }>();
  for (const { pointer, items } of lists)
    for (const item of items)
      for (const [member, value] of Object.entries(isObject(item) ? item : {})) {
        if (typeof value !== 'string' || !/^[\p{L}][\p{L} _-]*$/u.test(value)) continue;
        const kind = found.get(`${pointer} ${member}`) ?? { pointer, member, values: new Set() };
        found.set(`${pointer} ${member}`, kind);
        kind.values.add(value);
      }
  return [...found.values()].map((kind) => ({ ...kind, values: [...kind.values] }));
}

function countIn(answer: Json, { pointer, member, words }: Count): number | undefined {
  const list = listsOf(answer).find((each) => each.pointer === pointer);
  return list?.items.filter((item) => isObject(item) && words.includes(item[member] ?? null)).length;
}
