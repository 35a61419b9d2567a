import type { Json } from '../../kernel/json.ts';
import { LETTERS_DECIDE } from '../../lexicon/forming.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { madeOfDocumented } from './deaf-to-numbers.ts';
import { mayBeChecked } from './unasked-answers.ts';

/** Fewer changes than this do not show that nothing matters. */
const leastChanges = 6;

/** Fewer numbers of answers than this may come from something else than the digits, such as the length of the text. */
const leastNumbers = 2;

/** Fewer numbers in a text of words that all have leave little that could be worked out. */
const leastAsked = 3;

/** The share of digits among the signs of a text that says nothing but numbers. */
const leastShare = 0.8;

/**
 * Finds a case whose request is next to nothing but digits, or numbers among words of the document, and whose answer holds a number that stands nowhere, where the answers to requests
 * with other digits hold no other such numbers than those of the cases, and half of them do.
 */
export function deafToDigits(
  { subject, cases, vocabulary }: CheckFacts,
  told: readonly { seenCase: SeenCase; input: Json; answer: Json | undefined }[],
): SeenCase | undefined {
  if (subject.payload !== 'text' || mayBeChecked(subject)) return undefined;
  const isDocumented = madeOfDocumented(subject);
  const untold = (answer: Json | undefined, request: Json): string[] =>
    largeNumbersIn(answer).filter(
      (digits) =>
        (digits.length >= leastPlain || (!isOfDigits(request) && !isDocumented(Number(digits), 2))) &&
        !String(request).includes(digits) &&
        !vocabulary.hasNumber(Number(digits)) &&
        !subject.agreement.text.includes(digits),
    );
  // Words of the document alone tell one request from another no better than they tell themselves.
  const isOfNumbers = (request: Json): boolean =>
    (String(request).match(/\d+/g) ?? []).length >= leastAsked &&
    !LETTERS_DECIDE.test(subject.agreement.text) &&
    (String(request).match(/[\p{L}\p{M}]+/gu) ?? []).every((word) => vocabulary.hasWord(word));
  const known = new Set(cases.flatMap(({ one }) => largeNumbersIn(one.output)));
  if (new Set(cases.flatMap(({ one }) => untold(one.output, one.input))).size < leastNumbers) return undefined;
  return cases.find((seenCase) => {
    const { input, output } = seenCase.one;
    const own = told.filter((one) => one.seenCase === seenCase);
    if (own.length < leastChanges || !(isOfDigits(input) || isOfNumbers(input)) || untold(output, input).length === 0)
      return false;
    const held = own.map((one) => untold(one.answer, one.input));
    return (
      held.filter((numbers) => numbers.length > 0).length >= own.length / 2 &&
      held.every((numbers) => numbers.every((digits) => known.has(digits)))
    );
  });
}

function isOfDigits(text: Json): boolean {
  const signs = String(text).replace(/\s/g, '');
  return signs.length > 0 && signs.replace(/\D/g, '').length >= leastShare * signs.length;
}

/** The numbers of a text that are too large, or too exact, to be one of a few. */
function largeNumbersIn(text: Json | undefined): string[] {
  return typeof text === 'string'
    ? (text.match(/\d+(?:\.\d+)?/g) ?? []).filter((digits) => digits.replace(/^0+/, '').length >= leastDigits)
    : [];
}

/** Shorter numbers count something, or are one of a few: among digits alone, and among words. */
const [leastPlain, leastDigits] = [3, 2];
