import type { Scenario } from '../../contract/trial.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { toldOtherwise } from '../worlds/other-outputs.ts';
import { knowing, replacedAt } from '../worlds/variations.ts';
import { secretsOf } from './secrets.ts';

/** Most other tool answers that are tried for one case. */
const MAX_OTHER_ANSWERS = 12;

/** A case with secrets, in which a tool answers something else at one place: a turned switch, another of a few words, an empty list. */
export function otherwiseAnswered({ subject }: CheckFacts, { scenario, seen }: SeenCase): Scenario[] {
  if (secretsOf(seen).length === 0) return [];
  return toldOtherwise(subject, { scenario, seen }, MAX_OTHER_ANSWERS);
}

/** Words of the source that are tried in a request, and the runs that are made of them. */
const [maxWords, maxWordRuns] = [8, 80];

/** Cases in which they are tried. */
const maxWordCases = 4;

/** What `typeof` says. */
const KIND_OF_VALUE = /^(?:string|number|boolean|object|function|undefined)$/;

/**
 * Cases with secrets, in whose request a text is, begins, ends or goes on with one that stands in the source and nowhere in the document,
 * or is compared there and is no value of cases and schemas: a document may hide what it is for.
 */
export function askedByWords({ subject, cases, literals, vocabulary }: CheckFacts): Scenario[] {
  const shown = new Set(cases.flatMap(({ one }) => leavesOf([one.input, one.output])).map(({ value }) => value));
  const told = new Set(
    cases.flatMap(({ seen }) => seen.calls.flatMap(({ output }) => leavesOf(output ?? null))).map(({ value }) => value),
  );
  const isOwn = (text: string) => !vocabulary.isConstant(text) && !vocabulary.hasName(text) && !told.has(text);
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
        // A word of its own answers must not become the secret.
        if (text === undefined || (isSecretPlace && !literals.compared.includes(word))) continue;
        const input = replacedAt(one.input, pointer, text);
        if (subject.surface.requestIssues(input).length > 0) continue;
        // What tools tell of others may come to light where they do not know the word as they know what was asked for.
        const isUnknown = isSecretPlace || form === 0;
        const tools = isUnknown ? scenario.tools : (knowing(subject, seen, value, text) as Scenario['tools']);
        plans.push({ ...scenario, input, tools });
      }
  return plans;
}

/** Texts of one request in which words are tried, and the longest, in UTF-16 units: each run has a copy of the whole. */
const [maxWordPlaces, maxWordText] = [8, 400];

interface WordPlace {
  seenCase: SeenCase;
  pointer: string;
  value: string;
  /** Whether what stands there is never to be told. */
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

/** A word in place of a text, behind it, and in place of its head or end. */
function formsWith(text: string, word: string): string[] {
  return [...new Set([word, `${text} ${word}`, word + text.slice(word.length), text.slice(0, -word.length) + word])];
}

/** Requests with nearly the secret that a tool told. */
const maxNearMisses = 12;

/** Cases that were asked with a secret which a tool knows, asked with nearly that. */
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
