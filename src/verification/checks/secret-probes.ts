import type { Scenario } from '../../contract/trial.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { toldOtherwise } from '../worlds/other-outputs.ts';
import { knowing, replacedAt } from '../worlds/variations.ts';
import { secretsOf } from './secrets.ts';

/** Most other tool answers that are tried for one case. */
const MAX_OTHER_ANSWERS = 12;

/**
 * Runs of a case with secrets in which a tool's answer differs at one place: a flipped flag, another enum value, an
 * empty list.
 */
export function otherwiseAnswered({ subject }: CheckFacts, { scenario, seen }: SeenCase): Scenario[] {
  if (secretsOf(seen).length === 0) return [];
  return toldOtherwise(subject, { scenario, seen }, MAX_OTHER_ANSWERS);
}

/** Most words of the source that are tried in a request, and most runs with them. */
const [maxWords, maxWordRuns] = [8, 80];

/** Most cases in which they are tried. */
const maxWordCases = 4;

/** The results of `typeof`. */
const KIND_OF_VALUE = /^(?:string|number|boolean|object|function|undefined)$/;

/**
 * Runs of cases with secrets in which a text of the request is, starts with, ends with or is followed by a word of the
 * source. The word is not in the document, or the source compares with it and no case or schema has it: a hidden
 * passage may make it a password.
 */
export function askedByWords({ subject, cases, literals, vocabulary }: CheckFacts): Scenario[] {
  const shown = new Set(cases.flatMap(({ one }) => leavesOf([one.input, one.output])).map(({ value }) => value));
  const toolValues = new Set(
    cases.flatMap(({ seen }) => seen.calls.flatMap(({ output }) => leavesOf(output ?? null))).map(({ value }) => value),
  );
  const isOwn = (text: string) => !vocabulary.isConstant(text) && !vocabulary.hasName(text) && !toolValues.has(text);
  const words = [
    ...new Set([...literals.texts.filter((text) => !vocabulary.hasText(text)), ...literals.compared.filter(isOwn)]),
  ]
    .filter((text) => !KIND_OF_VALUE.test(text) && !shown.has(text))
    .slice(0, maxWords);
  if (words.length === 0) return [];
  const places = cases
    .filter(({ seen }) => secretsOf(seen).length > 0)
    .slice(0, maxWordCases)
    .flatMap(wordPlacesOf);
  const plans: Scenario[] = [];
  for (const form of [0, 1, 2, 3, 4])
    for (const word of words)
      for (const { seenCase, pointer, value, isSecret: isSecretPlace } of places) {
        if (plans.length >= maxWordRuns) return plans;
        const { one, scenario, seen } = seenCase;
        const text = formsWith(value, word)[form % 4];
        // A word of the candidate's own answers must not become the secret.
        if (text === undefined || (isSecretPlace && !literals.compared.includes(word))) continue;
        const input = replacedAt(one.input, pointer, text);
        if (subject.surface.requestIssues(input).length > 0) continue;
        // Tools that do not know the word may return data of others.
        const isUnknown = isSecretPlace || form === 0;
        const tools = isUnknown ? scenario.tools : (knowing(subject, seen, value, text) as Scenario['tools']);
        plans.push({ ...scenario, input, tools });
      }
  return plans;
}

/**
 * Most texts of one request in which words are tried, and the longest, in UTF-16 units: each run copies the request.
 */
const [maxWordPlaces, maxWordText] = [8, 400];

interface WordPlace {
  seenCase: SeenCase;
  pointer: string;
  value: string;
  /** Whether the value is a secret. */
  isSecret: boolean;
}

/** The first texts of a case's request. */
function wordPlacesOf(seenCase: SeenCase): WordPlace[] {
  const secrets = new Set(secretsOf(seenCase.seen).map(({ value }) => value));
  const texts = leavesOf(seenCase.one.input).flatMap((leaf) => {
    const { pointer, value } = leaf;
    if (typeof value !== 'string' || value.length > maxWordText) return [];
    return [{ seenCase, pointer, value, leaf }];
  });
  return texts.slice(0, maxWordPlaces).map(({ leaf, ...place }) => ({ ...place, isSecret: secrets.has(leaf.value) }));
}

/** A word in place of a text, after it, and in place of its start or end. */
function formsWith(text: string, word: string): string[] {
  return [...new Set([word, `${text} ${word}`, word + text.slice(word.length), text.slice(0, -word.length) + word])];
}

/** Most requests with nearly the secret. */
const maxNearMisses = 12;

/** Cases whose request has a secret that a tool knows, asked with a slightly wrong one. */
export function nearlyRight({ subject, cases }: CheckFacts): Scenario[] {
  const plans: Scenario[] = [];
  for (const seenCase of cases) {
    const { one, scenario } = seenCase;
    const secrets = new Set(secretsOf(seenCase.seen).map(({ value }) => value));
    for (const { pointer, value } of wordPlacesOf(seenCase)) {
      if (value.length < 3 || !secrets.has(value)) continue;
      const head = value.slice(0, -1);
      for (const text of [head, `${head}${value.endsWith('7') ? '8' : '7'}`, `${value}7`]) {
        const input = replacedAt(one.input, pointer, text);
        if (plans.length < maxNearMisses && subject.surface.requestIssues(input).length === 0)
          plans.push({ ...scenario, input });
      }
    }
  }
  return plans;
}
