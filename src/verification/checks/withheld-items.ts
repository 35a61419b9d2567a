import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { ALONE_OR_OTHERS } from '../../lexicon/telling-apart.ts';
import type { CheckFacts } from '../check.ts';
import { isConditional } from '../prose/denied-members.ts';
import { excerpt, sentencesOf } from '../prose/documented-answers.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { listsOf } from '../worlds/lists.ts';
import { replacedAt } from '../worlds/variations.ts';

/** Of the items of a list that a tool tells, those alone are passed on that have one of the words of a member. */
export interface WithheldItems {
  tool: string;
  member: string;
  /** The word of those that are passed on. */
  passed: string;
  /** Words of the tool's schema that neither a case nor the document has. */
  unshown: readonly string[];
  sentence: string;
}

const read = new WeakMap<Subject, WithheldItems[]>();

/**
 * The lists of which the cases pass on the items with one word and no other, and of which a sentence says it of that word: `remarks for any
 * other audience than public`. What a word means that the document has nowhere is told by that sentence.
 */
export function withheldItemsOf(facts: CheckFacts): readonly WithheldItems[] {
  const known = read.get(facts.subject);
  if (known !== undefined) return known;
  const found = facts.subject.tools.flatMap(({ name: tool, outputSchema = null }) =>
    wordsIn(outputSchema, 0).flatMap(([member, words]) => readWithheld(facts, tool, member, words)),
  );
  read.set(facts.subject, found);
  return found;
}

function readWithheld({ subject, cases }: CheckFacts, tool: string, member: string, words: readonly string[]) {
  const [told, kept] = [new Set<Json>(), new Set<Json>()];
  for (const { one, seen } of cases)
    for (const item of itemsOf(seen, tool, member)) {
      // An answer that passes nothing on says nothing of the rest.
      const others = itemsOf(seen, tool, member);
      if (!others.some((other) => isToldIn(one.output, other, member))) continue;
      (isToldIn(one.output, item, member) ? told : kept).add(item[member] as Json);
    }
  const [passed, ...more] = [...told];
  if (typeof passed !== 'string' || more.length > 0 || kept.has(passed) || kept.size === 0) return [];
  const sentences = sentencesOf(subject.agreement);
  const sentence = sentences.find(
    (one) =>
      hasWord(one, passed) &&
      hasWord(one, member) &&
      ALONE_OR_OTHERS.test(one) &&
      !isConditional(one.replace(ALONE_OR_OTHERS, ' ')),
  );
  const unshown = words.filter(
    (word) => word !== passed && !kept.has(word) && !sentences.some((one) => hasWord(one, word)),
  );
  return sentence === undefined || unshown.length === 0 ? [] : [{ tool, member, passed, unshown, sentence }];
}

/** The members of a schema that have one of some words, with these. */
function wordsIn(schema: Json, depth: number): [member: string, words: string[]][] {
  if (depth > 20 || typeof schema !== 'object' || schema === null) return [];
  const own = isObject(schema) && isObject(schema.properties) ? Object.entries(schema.properties) : [];
  return [
    ...own.flatMap(([name, member]): [string, string[]][] => {
      const words = isObject(member) && Array.isArray(member.enum) ? member.enum : [];
      return words.length > 1 && words.every((word) => typeof word === 'string') ? [[name, words as string[]]] : [];
    }),
    ...Object.values(schema).flatMap((child) => wordsIn(child, depth + 1)),
  ];
}

function itemsOf({ calls }: Observation, tool: string, member: string): { [name: string]: Json }[] {
  return calls
    .filter((call) => call.tool === tool)
    .flatMap(({ output = null }) => listsOf(output).flatMap(({ items }) => items))
    .flatMap((item) => (isObject(item) && typeof item[member] === 'string' ? [item] : []));
}

/** Whether an answer has a text of an item that is long enough not to be there by chance, in whatever way its signs are written. */
function isToldIn(answer: Json, item: { [name: string]: Json }, member: string): boolean {
  const texts = leavesOf(answer).map(({ value }) => String(value));
  return plainTextsOf(item, member).some((plain) => texts.some((text) => hasWord(text, plain)));
}

/** Of each text of an item the longest part without signs. */
function plainTextsOf(item: Json, member: string): string[] {
  return leavesOf(item).flatMap(({ name, value }) => {
    if (name === member || typeof value !== 'string') return [];
    const parts = (value.match(/[\p{L}\p{N} ]+/gu) ?? []).map((part) => part.trim());
    const longest = parts.reduce((best, part) => (part.length > best.length ? part : best), '');
    return longest.length >= minText ? [longest] : [];
  });
}

/** Shorter texts, in UTF-16 units, may stand somewhere by chance. */
const minText = 4;

/** Words that are tried for each list. */
const maxWords = 3;

/** The cases that pass some items on, in which one of the others has a word that no case has. */
export function withWordsUnshown(facts: CheckFacts): Scenario[] {
  return withheldItemsOf(facts).flatMap(({ tool, member, passed, unshown }) => {
    for (const { scenario, seen } of facts.cases)
      for (const call of seen.calls.filter((one) => one.tool === tool)) {
        const output = call.output ?? null;
        const place = leavesOf(output).find(({ name, value }) => name === member && value !== passed)?.pointer;
        if (place === undefined || valueAt(output, place) === undefined) continue;
        return unshown.slice(0, maxWords).map((word) => ({
          ...scenario,
          tools: scenario.tools.map((one) =>
            one.name !== tool
              ? one
              : {
                  ...one,
                  examples: [{ input: call.input, output: replacedAt(output, place, word) }, ...(one.examples ?? [])],
                },
          ),
        }));
      }
    return [];
  });
}

/** An item that an answer passes on although the document has it kept. */
export function passedOn(facts: CheckFacts, seen: Observation): string | undefined {
  const { value } = seen;
  if (value === undefined) return undefined;
  for (const { tool, member, passed, unshown, sentence } of withheldItemsOf(facts)) {
    const items = itemsOf(seen, tool, member);
    const own = items.filter((item) => item[member] === passed);
    const known = JSON.stringify([own, facts.cases.map(({ one }) => [one.input, one.output])]);
    const told = items.find(
      (item) =>
        unshown.includes(item[member] as string) &&
        isToldIn(value, item, member) &&
        !plainTextsOf(item, member).some((text) => known.includes(text)),
    );
    if (told !== undefined)
      return `the answer passes on an item whose "${member}" is ${JSON.stringify(told[member])}, though "${excerpt(sentence)}"`;
  }
  return undefined;
}
