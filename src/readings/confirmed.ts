import type { Assertion, ConfirmedAnswer, DerivedCase, SendExpectation } from '../contract/reading.ts';
import { isObject, type Json, valueAt } from '../kernel/json.ts';
import { differencesOf } from '../schemas/differences.ts';
import { assertionFault, isSame } from './assertions.ts';
import type { Breach } from './breaches.ts';
import type { BrokenCase } from './judge-reading.ts';
import { inputKey, placeOfBreach, wholeAnswer } from './places.ts';

/** A second reader's opinion on a breach. */
export type Agreement = 'confirmed' | 'denied' | 'unclear';

/** Whether a second reader confirms a breach: its answer satisfies the derived case, but not the candidate. */
export function agreementOn(
  breach: Breach,
  { world }: BrokenCase,
  answers: Readonly<Record<string, ConfirmedAnswer>>,
): Agreement {
  const key = placeOfBreach(breach);
  const answer = Object.hasOwn(answers, key) ? answers[key] : partOfWhole(breach, answers);
  if (answer === undefined || answer.unclear === true) return 'unclear';
  if (breach.place === 'order' || breach.place === 'never' || breach.place === 'alike' || breach.place === 'end')
    return answer.yes === undefined ? 'unclear' : answer.yes ? 'denied' : 'confirmed';
  return breach.of === 'count' ? agreementOnCount(breach, answer) : agreementOnValue(breach, answer, world.baseAnswers);
}

/** A second reader's value at one place, if it gave only the whole answer. */
function partOfWhole(
  { place, at = '' }: Breach,
  answers: Readonly<Record<string, ConfirmedAnswer>>,
): ConfirmedAnswer | undefined {
  const whole = Object.hasOwn(answers, wholeAnswer.key) ? answers[wholeAnswer.key]?.value : undefined;
  if (place !== 'answer' || whole === undefined) return undefined;
  const value = valueAt(whole, at);
  return value === undefined ? { absent: true } : { value };
}

function agreementOnCount({ broken, got }: Breach, answer: ConfirmedAnswer): Agreement {
  const exact =
    typeof answer.value === 'number' ? [answer.value] : (answer.oneOf ?? []).filter((one) => typeof one === 'number');
  const {
    atLeast = exact.length > 0 ? Math.min(...exact) : 0,
    atMost = exact.length > 0 ? Math.max(...exact) : undefined,
  } = answer;
  if (exact.length === 0 && answer.atLeast === undefined && answer.atMost === undefined) return 'unclear';
  const count = Number(got);
  const max = atMost ?? Number.POSITIVE_INFINITY;
  if (count >= atLeast && count <= max && !(exact.length > 1 && !exact.includes(count))) return 'denied';
  const wanted = broken as SendExpectation;
  const [low, high] = [wanted.atLeast ?? wanted.times ?? 0, wanted.atMost ?? wanted.times ?? Number.POSITIVE_INFINITY];
  // Both must want more calls than there were, or both fewer.
  const isSameSide = count > high ? max < count : atLeast > count;
  return isSameSide && max >= low && atLeast <= high ? 'confirmed' : 'denied';
}

function agreementOnValue(breach: Breach, answer: ConfirmedAnswer, base: readonly Json[]): Agreement {
  const { broken, got } = breach;
  const assertion = broken as Assertion;
  const values: (Json | undefined)[] =
    answer.absent === true ? [undefined] : answer.value !== undefined ? [answer.value] : (answer.oneOf ?? []);
  if (values.length === 0) return 'unclear';
  if (values.some((value) => isSame(value, got))) return 'denied';
  return values.every((value) => satisfies(assertion, value, got, base)) ? 'confirmed' : 'denied';
}

/**
 * Whether a value satisfies an assertion. For an object: whether it does in some place where the candidate's value does
 * not.
 */
function satisfies(
  assertion: Assertion,
  value: Json | undefined,
  got: Json | undefined,
  base: readonly Json[],
): boolean {
  const wrapped = value === undefined ? {} : { value };
  const bases = base.flatMap((one) => {
    const there = valueAt(one, assertion.at ?? '');
    return there === undefined ? [] : [{ value: there }];
  });
  const allowance = { base: bases, loose: [], replacements: [] };
  if (assertionFault({ ...assertion, at: '/value' }, wrapped, allowance) === undefined) return true;
  const wanted = assertion.sameAsBase === true ? bases[0]?.value : assertion.equals;
  if (!isObject(wanted) || !isObject(value) || !isObject(got)) return false;
  const wrong = differencesOf(wanted, got).map(({ path }) => path);
  return wrong.some(
    (path) => isSame(valueAt(value, path), valueAt(wanted, path)) && !isSame(valueAt(value, path), valueAt(got, path)),
  );
}

/** The breaches of a broken case that a second reader confirms; `null` if there are none. */
export function confirmedPart(
  broken: BrokenCase,
  answers: Readonly<Record<string, ConfirmedAnswer>>,
): BrokenCase | null {
  const breaches = broken.breaches.filter((one) => agreementOn(one, broken, answers) === 'confirmed');
  return breaches.length === 0 ? null : { ...broken, breaches };
}

/**
 * The answers that a derived case itself gives for the places of its world, in the form of a second reader's answers.
 */
export function answersOf({ expect }: DerivedCase): Record<string, ConfirmedAnswer> {
  const answers: Record<string, ConfirmedAnswer> = {};
  for (const assertion of expect.answer ?? []) answers[`answer ${assertion.at ?? ''}`] = answerOf(assertion);
  for (const { tool, input, ...count } of expect.calls ?? []) {
    for (const assertion of input ?? [])
      answers[inputKey(`input ${tool}`, assertion.at ?? '', count)] = answerOf(assertion);
    if (count.when === undefined) answers[`calls ${tool}`] = countOf(count);
  }
  for (const { input, ...count } of expect.sends ?? []) {
    for (const assertion of input ?? []) answers[inputKey('sent', assertion.at ?? '', count)] = answerOf(assertion);
    if (count.when === undefined) answers.sends = countOf(count);
  }
  for (const name of ['order', 'never'] as const)
    for (const one of expect[name] ?? []) answers[`${name} ${JSON.stringify(one)}`] = { yes: false };
  if (expect.alike !== undefined) answers[`alike ${JSON.stringify(expect.alike)}`] = { yes: false };
  answers.end = { yes: expect.end === 'any' };
  return answers;
}

function answerOf({ equals, oneOf, absent }: Assertion): ConfirmedAnswer {
  if (equals !== undefined) return { value: equals };
  if (oneOf !== undefined) return { oneOf };
  return absent === true ? { absent } : { unclear: true };
}

function countOf({ times, atLeast, atMost }: SendExpectation): ConfirmedAnswer {
  if (times !== undefined) return { value: times };
  return {
    ...(atLeast === undefined ? {} : { atLeast }),
    ...(atMost === undefined ? {} : { atMost }),
  };
}
