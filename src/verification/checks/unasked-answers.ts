import type { Observation } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import { CHECKED } from '../../lexicon/forming.ts';
import type { CheckFacts } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { demandOf } from '../prose/documented-acts.ts';
import { sentencesOf } from '../prose/documented-answers.ts';
import { decodedText, hasWord, leavesOf } from '../scalar-kinds.ts';
import type { GeneratedInput } from '../worlds/generated-inputs.ts';

/** Fewer requests than this do not show that a candidate never does a thing. */
const least = 5;

/** Fewer requests that have nothing in common with a case do not show that its answer is all there is. */
const leastStrange = 3;

/** A generated request that the schema allows, with what came of it. */
interface Run {
  input: Json;
  seen: Observation;
}

/** What the answers to requests that the schema allows have in common that they must not: one sentence, or `undefined`. */
export function unaskedAnswer(
  facts: CheckFacts,
  inputs: readonly GeneratedInput[],
  seen: readonly Observation[],
): { message: string; isByHeart: boolean; run: Run } | undefined {
  const { subject, cases } = facts;
  if (subject.role === 'requester') return undefined;
  const runs = inputs.flatMap(({ kind, input }, index) =>
    kind === 'invalid' ? [] : [{ input, seen: seen[index] as Observation }],
  );
  const [first] = runs;
  if (first === undefined) return undefined;
  if (cases.length === 0 && runs.length >= least) {
    const didFail = runs.some((run) => run.seen.calls.some(({ error }) => error !== undefined));
    const good = runs.filter(isAnswered);
    if (good.length === 0 && !didFail)
      return {
        message: `not one of ${runs.length} requests that the schema allows is answered as its schema has it`,
        isByHeart: false,
        run: first,
      };
    const [tool, ...others] = subject.tools;
    const demand = tool && others.length === 0 && good.length >= least ? demandOf(subject, tool.name) : undefined;
    if (
      tool &&
      demand?.isNamed &&
      good.filter(({ seen: { value } }) => reportsFailure(value ?? null) === false).length >= least &&
      !CONDITIONAL.test(demand.sentence) &&
      runs.every((run) => run.seen.calls.length === 0)
    )
      return {
        message: `no request makes it call ${tool.name}, though "${demand.sentence}"`,
        isByHeart: true,
        run: first,
      };
  }
  const answered = runs.filter(isAnswered);
  return staleIdentifier(facts, answered) ?? onlyAnswer(facts, answered) ?? answerOfAnotherForm(facts, answered);
}

/** Fewer texts than this, and fewer numbers of their one answer that they have not, may be refused alike. */
const [leastTexts, leastUntold] = [8, 2];

function numbersOf(text: Json): string[] {
  return String(text).match(/\d+(?:\.\d+)?/g) ?? [];
}

/** A text of a case, with numbers that were worked out, by which all texts are answered though another case has another. */
function onlyAnswer(
  { subject, cases }: CheckFacts,
  runs: readonly Run[],
): { message: string; isByHeart: boolean; run: Run } | undefined {
  const [first] = runs;
  const value = first?.seen.value;
  if (subject.tools.length > 0 || mayBeChecked(subject) || runs.length < leastTexts) return undefined;
  if (typeof value !== 'string' || runs.some(({ seen }) => seen.value !== value)) return undefined;
  const own = cases.find(({ seen }) => seen.value === value)?.one;
  if (!first || !own || reportsFailure(value) === true || cases.every(({ seen }) => seen.value === value))
    return undefined;
  const untold = [...new Set(numbersOf(value))].filter(
    (digits) => runs.filter(({ input }) => numbersOf(input).includes(digits)).length < runs.length / 2,
  );
  const isDocumented = value
    .split('\n')
    .every((line) => !/\d/.test(line) || subject.agreement.text.includes(line.trim()));
  return untold.length < leastUntold || isDocumented
    ? undefined
    : {
        message: `all of ${runs.length} texts that differ are answered by ${JSON.stringify(value.slice(0, 80))} of case ${own.testCase}`,
        isByHeart: true,
        run: first,
      };
}

/** Fewer texts of the form of a case do not show how that form is answered. */
const leastOfForm = 3;

/** What texts look like that differ in their digits alone. */
const formOf = (text: Json): string => String(text).replace(/\d/g, '0');

/**
 * The one answer to all texts, which no case has for texts of a form: a success where that form is refused, or one in place of the several that cases
 * have for it by what is in it, unless it may be what a text is answered with that does not fit the check it carries.
 */
function answerOfAnotherForm(
  { subject, cases }: CheckFacts,
  runs: readonly Run[],
): { message: string; isByHeart: boolean; run: Run } | undefined {
  const [first] = runs;
  const value = first?.seen.value;
  if (subject.payload !== 'text' || subject.tools.length > 0 || runs.length < leastTexts) return undefined;
  if (typeof value !== 'string' || runs.some(({ seen }) => seen.value !== value)) return undefined;
  const own = cases.find(({ one }) => one.output === value)?.one;
  // What the document has not, may be worked out from what a broken text still tells.
  if (own === undefined || !hasWord(subject.agreement.text, value)) return undefined;
  const isOfChecks = sentencesOf(subject.agreement).some((one) => hasWord(one, value) && CHECKED.test(one));
  for (const [form, ofForm] of Map.groupBy(runs, ({ input }) => formOf(input))) {
    const usual = new Set(cases.flatMap(({ one }) => (formOf(one.input) === form ? [one.output] : [])));
    const [run] = ofForm;
    if (run === undefined || ofForm.length < leastOfForm || usual.size === 0 || usual.has(value)) continue;
    const isGranted = reportsFailure(value) !== true && [...usual].every((one) => reportsFailure(one) === true);
    if (isGranted || (usual.size > 1 && !isOfChecks))
      return {
        message: `all of ${runs.length} texts that differ are answered by ${JSON.stringify(value.slice(0, 80))} of case ${own.testCase}, which is the answer to none of their form`,
        isByHeart: true,
        run,
      };
  }
  return undefined;
}

/** Words that make a use of a tool depend on something. */
const CONDITIONAL = /\b(?:if|when|only|otherwise|except|where)\b|如果|若|除非/iu;

function isAnswered({ seen }: Run): boolean {
  return seen.end === 'returned' && seen.value !== undefined && seen.issues.length === 0;
}

/** Whether requests that are texts may carry a value that is worked out from the rest of them, so that every other one is answered alike. */
export function mayBeChecked({ agreement, payload }: CheckFacts['subject']): boolean {
  return payload === 'text' && speaksOfChecks({ agreement });
}

/** Whether a document speaks of values that are worked out from the rest of a request, or of digits that are so from the others. */
export function speaksOfChecks({ agreement }: Pick<CheckFacts['subject'], 'agreement'>): boolean {
  return CHECKED.test(agreement.text);
}

/** A check that stays right where what it is made of changes places. */
const UNORDERED = /\bxor\b|\bparity\b|\bsum\b|\bsums? of\b|异或|求和|累加|Summe|somme|suma/iu;

/** Whether two bytes of a request may change places and its check stay right. */
export function keepsItsCheck(subject: CheckFacts['subject']): boolean {
  return (
    mayBeChecked(subject) &&
    UNORDERED.test(subject.agreement.text) &&
    !/\bcrc|\bluhn\b|hmac|signature/iu.test(subject.agreement.text)
  );
}

/** Whether an answer has nothing of its request but what is common to all, so that it may be what all broken ones get. */
export function mayBeRefusal(input: Json, output: Json): boolean {
  if (typeof input !== 'string' || typeof output !== 'string') return true;
  return !holdsOtherNumbers(output, input) || output.length < input.length;
}

/** Whether a text holds numbers that another has not. */
export function holdsOtherNumbers(answer: string, asked: string): boolean {
  return [...answer.matchAll(/\d+(?:\.\d+)?/g)].some(([digits]) => !asked.includes(digits));
}

/** An id that a case's answer has and nobody can tell, and that comes back for whatever has nothing in common with its request. */
function staleIdentifier(
  { subject, cases, vocabulary }: CheckFacts,
  runs: readonly Run[],
): { message: string; isByHeart: boolean; run: Run } | undefined {
  for (const { one } of cases) {
    if (reportsFailure(one.output) === true || one.case.negative) continue;
    if (mayBeChecked(subject) && mayBeRefusal(one.input, one.output)) continue;
    const strange = runs.filter(({ input }) => sharesNothing(one.input, input));
    const [first] = strange;
    if (first === undefined || strange.length < leastStrange) continue;
    const told = JSON.stringify([
      one.input,
      subject.tools as unknown as Json,
      subject.responseSchema,
      subject.requestSchema,
    ]);
    const loose = new Set(one.loose.map(({ pointer }) => pointer));
    const stale = leavesOf(one.output).find(
      ({ pointer, value }) =>
        typeof value === 'string' &&
        /^(?=.*\d)\S{6,}$/.test(value) &&
        // A frame in base64 is a message, and no id.
        !(pointer === '' && decodedText(value) !== undefined) &&
        !loose.has(pointer) &&
        !told.includes(value) &&
        !vocabulary.hasText(value) &&
        !subject.agreement.text.includes(value) &&
        strange.every(({ seen }) =>
          leavesOf(seen.value ?? null).some((leaf) => leaf.pointer === pointer && leaf.value === value),
        ),
    );
    if (stale)
      return {
        message: `it answers ${JSON.stringify(stale.value)} of case ${one.testCase} to ${strange.length} requests that have nothing in common with it`,
        isByHeart: true,
        run: first,
      };
  }
  return undefined;
}

/** Whether two requests have no value in common that says something, nor a part of one. */
function sharesNothing(a: Json, b: Json): boolean {
  const parts = (value: Json): string[] =>
    leavesOf(value).flatMap(({ value: leaf }) =>
      typeof leaf === 'string' || typeof leaf === 'number'
        ? (
            String(leaf)
              .toLowerCase()
              .match(/[\p{L}\p{N}]+/gu) ?? []
          ).filter((part) => part.length > 1)
        : [],
    );
  const known = new Set(parts(a));
  return known.size > 0 && !parts(b).some((part) => known.has(part));
}
