import { type Json, valueAt } from '../../kernel/json.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { sentencesOf } from '../prose/documented-answers.ts';
import { type Leaf, leavesOf, tokensOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';

/** Fewer changed requests, and fewer for each number, do not show that nothing matters. */
const least = { changes: 6, forEach: 2, places: 2 };

/**
 * Finds a case whose answer holds a number that stands nowhere and counts nothing, so that it was worked out from the request, where each number
 * of the request was changed more than once, to what no case asks, and still the answers held no other numbers than in the cases.
 */
export function deafToNumbers(
  facts: CheckFacts,
  told: readonly { seenCase: SeenCase; pointer: string; input: Json; answer: Json | undefined }[],
): SeenCase | undefined {
  // What a case has in its request may have the number of that case.
  const isOfCase = (pointer: string, changed: Json) =>
    facts.cases.some(({ one }) => valueAt(one.input, pointer) === valueAt(changed, pointer));
  return facts.cases.find((seenCase) => {
    const { input, output } = seenCase.one;
    const sources = leavesOf(input).filter(({ value }) => typeof value === 'number');
    if (sources.length < least.places) return false;
    return workedOut(facts, output, [input]).some((place) => {
      const own = told.filter(
        (one) =>
          one.seenCase === seenCase &&
          typeof valueAt(one.answer ?? null, place.pointer) === 'number' &&
          !isOfCase(one.pointer, one.input),
      );
      return (
        own.length >= least.changes &&
        sources.every(({ pointer }) => own.filter((one) => one.pointer === pointer).length >= least.forEach) &&
        // Where anything else follows the request, this may have reached its end.
        own.every(({ input: asked, answer = null }) =>
          leavesOf(answer).every(
            (leaf) =>
              typeof leaf.value !== 'number' ||
              isKnown(facts, leaf.pointer, answer) ||
              leavesOf(asked).some(({ value }) => value === leaf.value),
          ),
        )
      );
    });
  });
}

/** Whether an answer has at a place what a case has there. */
export function isKnown({ cases }: CheckFacts, pointer: string, answer: Json): boolean {
  const value = valueAt(answer, pointer);
  return cases.some(({ one }) => valueAt(one.output, pointer) === value);
}

/** Most numbers of a document that are held against a number of an answer. */
const maxNumbers = 60;

/** The numbers of an answer that stand in nothing that was told, count nothing of it, and are not made of two numbers of the document. */
export function workedOut({ subject, vocabulary }: CheckFacts, answer: Json, told: readonly Json[]): Leaf[] {
  const leaves = told.flatMap((one) => leavesOf(one));
  const texts = leaves.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  const most = leaves.length + texts.reduce((sum, text) => sum + tokensOf(text).length, 0);
  const text = leaves.map(({ value }) => String(value)).join('\n');
  const known = new Set([
    text.length,
    ...texts.map((one) => one.length),
    ...texts.map((one) => one.split('\n').length),
  ]);
  const isDocumented = madeOfDocumented(subject);
  return leavesOf(answer).filter(({ name, value }) => {
    if (typeof value !== 'number' || /code|status|version|error/i.test(name)) return false;
    if (Math.abs(value) <= most || known.has(value) || vocabulary.hasNumber(value)) return false;
    if (new RegExp(`(?<![\\d.])${RegExp.escape(String(Math.abs(value)))}(?![\\d.]*\\d)`).test(text)) return false;
    return !isDocumented(Math.abs(value), 10);
  });
}

/** Tells of a number whether it is a small multiple of a number of the document, not below a least one, or made of two. */
export function madeOfDocumented({ agreement }: Subject): (value: number, least: number) => boolean {
  const numbers = [
    ...new Set(
      sentencesOf(agreement)
        .join('\n')
        .match(/\d+(?:\.\d+)?/g) ?? [],
    ),
  ].map(Number);
  return (value, least) => {
    // Small numbers of a document are those of its lists and samples.
    const documented = numbers.filter((one) => one >= least || !Number.isInteger(one)).slice(0, maxNumbers);
    return documented.some((one) => {
      const times = value / one;
      return (
        (one >= 10 && Number.isInteger(times) && times <= 20) ||
        documented.some((other) => [one + other, one - other, one * other].includes(value))
      );
    });
  };
}
