import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { ADJUSTED, SAYS_LESS, SAYS_MORE } from '../../lexicon/quantifying.ts';
import { BREAKS_THE_SCHEMA } from '../../lexicon/refusing.ts';
import { constantsOf } from '../../schemas/constants-of.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { CORRELATION_NAME } from '../member-names.ts';
import { constantIn, documentedAnswersOf, holdsConstant, sentencesOf } from '../prose/documented-answers.ts';
import { INVALID_REQUESTS } from '../prose/failure-rules.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly, type Subject } from '../subject.ts';
import { forbiddenValues } from '../worlds/forbidden-values.ts';
import { knowing } from '../worlds/variations.ts';

const maxRuns = 60;

/** Sends requests that break the schema by one value: beyond a bound, or none of an enumeration. */
export const schemaBounds: Check = {
  name: 'schema-bounds',
  reason:
    'A bound that stands in the schema alone is easily forgotten: what lies beyond it is answered as if it were fine.',
  certain:
    'A value that the schema forbids in its place is answered like that of the case it was made of, though the document names the answer to requests that break the schema, or a case shows it for that very member; one beyond a bound, or out of an enumeration, also where a case has another broken request answered as the document has it; or something is done for that, though the response schema has a name for invalid requests that the prose has too; so is a list that may not be empty, where something is done for it.',
  uncertain: 'The same where the document speaks of broken requests in another way.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const { subject, cases } = facts;
    const none: CheckFindings = { failures: [], warnings: [] };
    if (subject.role === 'requester') return { ...none, skipped: 'the candidate is a requester' };
    const good = cases.filter(
      ({ one }) =>
        !one.case.negative &&
        reportsFailure(one.output) !== true &&
        subject.surface.requestIssues(one.input).length === 0,
    );
    const said = saidOfBroken(facts);
    const plans = good
      .slice(0, 3)
      .flatMap((one) => plansOf(facts, said, one))
      .slice(0, maxRuns);
    if (plans.length === 0) return { ...none, skipped: 'the request schema has no bound that the document speaks of' };
    // Tools that know nothing of the value would refuse it in place of the handler, who owes that itself.
    const seen = yield plans.map(({ one, input, owed, from, beyond }) => ({
      ...one.scenario,
      input,
      ...(owed.isCertain || owed.isCertainOfActs
        ? { tools: knowing(subject, one.seen, from, beyond) as Scenario['tools'] }
        : {}),
    }));
    for (const [index, plan] of plans.entries()) {
      const { value, end, issues, calls } = seen[index] as Observation;
      if (end !== 'returned' || value === undefined || issues.length > 0) continue;
      const { owed } = plan;
      if (holdsConstant(value, owed.names)) continue;
      const tried = calls.filter(({ tool }) => !isReadOnly(subject, tool));
      const isActedOn = owed.isCertainOfActs && tried.length > 0;
      if (!isActedOn && (plan.isEcho || !isAnsweredAlike(plan, value))) continue;
      // Of no items at all, much can be told truthfully; it is another matter to act on them.
      const isEmptied = Array.isArray(plan.beyond) && plan.beyond.length === 0;
      if (isEmptied && tried.every(({ error }) => error !== undefined)) continue;
      const list = owed.isCertain || isActedOn ? none.failures : none.warnings;
      if (list.some(({ message }) => message.includes(` ${plan.name} `))) continue;
      list.push(factOf(plan, value));
    }
    return none;
  },
};

interface Plan {
  one: SeenCase;
  name: string;
  /** What the case has there. */
  from: Json | undefined;
  beyond: Json;
  input: Json;
  /** Whether the member only comes back as it was sent. */
  isEcho: boolean;
  owed: Owed;
}

/** The names of the answer to a broken request, and whether nothing else will do: at all, or where something is done for it. */
interface Owed {
  names: string[];
  isCertain: boolean;
  isCertainOfActs: boolean;
}

/** A case with one member of its request beyond what the schema has for it. */
function plansOf(facts: CheckFacts, said: SaidOfBroken, one: SeenCase): Plan[] {
  const { subject } = facts;
  const { input, output } = one.one;
  if (!isObject(input)) return [];
  return forbiddenValues(subject.requestSchema, input).flatMap(({ pointer, name, value, from, input: changed }) => {
    if (CORRELATION_NAME.test(name)) return [];
    const echoed = isEcho(facts, name);
    // What is sent back must be known to be sent back, but for numbers, which are more than marks.
    if (echoed && typeof from !== 'number') return [];
    const [issue, ...others] = subject.surface.requestIssues(changed);
    if (issue === undefined || others.length > 0 || issue.pointer !== pointer) return [];
    if (isExempt(subject, name, issue.keyword)) return [];
    const { names, ...owed } = owedFor(said, pointer, issue.keyword);
    // What the case itself is answered is no name of what is broken.
    const own = names.filter((constant) => !holdsConstant(output, [constant]));
    const plan = { one, name, from, beyond: value, input: changed, isEcho: echoed, owed: { ...owed, names: own } };
    return own.length === 0 ? [] : [plan];
  });
}

/** What document and cases have for requests that break the schema. */
interface SaidOfBroken {
  names: string[];
  incomplete: string[];
  ofSchema: string[];
  broken: { one: SeenCase; pointer: string; keyword: string; marks: string[] }[];
  /** Whether a case shows that the names of broken requests are those of what breaks the schema. */
  isShown: boolean;
}

function saidOfBroken({ subject, cases }: CheckFacts): SaidOfBroken {
  const { invalidRequests, incomplete, missingMembers } = documentedAnswersOf(subject);
  const sentences = sentencesOf(subject.agreement);
  const ofSchema = sentences.filter((sentence) => BREAKS_THE_SCHEMA.test(sentence));
  const said = ofSchema.flatMap((sentence) => constantIn(subject, sentence) ?? []);
  const words = constantsOf(subject.responseSchema).filter((constant) => typeof constant === 'string');
  const named = words.filter(
    (constant) => isOfAnyBroken(constant) && sentences.some((sentence) => sentence.includes(constant)),
  );
  const broken = cases.flatMap((one) => {
    const [issue, ...others] = subject.surface.requestIssues(one.one.input);
    if (issue === undefined) return [];
    const { pointer, keyword } = others.length === 0 ? issue : { pointer: '', keyword: '' };
    return [{ one, pointer, keyword, marks: marksOf(subject, one) }];
  });
  return {
    names: [...new Set([...invalidRequests, ...missingMembers, ...said, ...named])],
    incomplete,
    ofSchema,
    broken,
    isShown: broken.some(({ one }) => holdsConstant(one.one.output, invalidRequests)),
  };
}

/** What the document, or a case whose request is broken at the same member, has for such a request. */
function owedFor(
  { names, incomplete, ofSchema, broken, isShown }: SaidOfBroken,
  pointer: string,
  keyword: string,
): Owed {
  const alike = broken.find((one) => one.pointer === pointer && one.keyword === keyword);
  const marks = (alike ? [alike] : broken).flatMap((one) => one.marks);
  const all = [...new Set([...marks, ...names])];
  const isSaid = ofSchema.some((sentence) => all.some((constant) => sentence.includes(constant)));
  // What is said of broken requests is meant of those that break the schema where a case has one answered so, but of its bounds alone: whoever
  // is careful of those need not look at the letters of every text.
  const isBound = BOUND.test(keyword);
  // A sentence about missing members and wrong numbers need not be meant of words.
  const isMeant = isBound && ((isShown && keyword !== 'enum') || marks.some(isOfAnyBroken));
  const isCertain = isSaid || isMeant || (alike !== undefined && marks.length > 0);
  const isCertainOfActs = isCertain || (isBound && names.some(isOfAnyBroken));
  // What is said of what is missing or empty will do as well, but is owed to nothing else.
  return { names: all.length === 0 ? [] : [...new Set([...all, ...incomplete])], isCertain, isCertainOfActs };
}

/** Keywords that say how much or which, rather than what a value looks like. */
const BOUND = /^(?:minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf|minItems|maxItems|enum|const)$/;

/** Whether a name speaks of broken requests in general, whatever is wrong with them. */
function isOfAnyBroken(name: string): boolean {
  return BROKEN_NAME.test(name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_-]/gu, ' '));
}

/** What the answer of a case holds and no answer to a valid request. */
function marksOf({ cases, surface }: Subject, { one }: SeenCase): string[] {
  const others = cases
    .filter(({ request }) => surface.requestIssues(request).length === 0)
    .flatMap(({ response }) => leavesOf(response).map(({ value }) => value));
  const asked = leavesOf(one.input).map(({ value }) => value);
  return leavesOf(one.output).flatMap(({ value }) =>
    (typeof value === 'string' || typeof value === 'number') &&
    value !== '' &&
    !others.includes(value) &&
    !asked.includes(value)
      ? [String(value)]
      : [],
  );
}

/** Whether the document has something else done with such values of a member, or takes what comes. */
function isExempt({ agreement }: Subject, name: string, keyword: string): boolean {
  const comparing = /^max|^exclusiveMax/.test(keyword)
    ? SAYS_MORE
    : /^min|^exclusiveMin/.test(keyword)
      ? SAYS_LESS
      : undefined;
  return sentencesOf(agreement).some(
    (sentence) =>
      LENIENT.test(sentence) ||
      (hasWord(sentence, name) &&
        (ADJUSTED.test(sentence) || comparing?.test(sentence) === true) &&
        !INVALID_REQUESTS.test(sentence)),
  );
}

/** What requests are called that break the schema, and nothing more of what is wrong with them. */
const BROKEN_NAME =
  /^(?:err(?:or)? )?(?:bad|invalid|malformed|illegal|schema|format)(?: (?:request|input|message|format|schema|error|violation|invalid))?$|^ung(?:u|ue|ü)ltig$|^(?:请求|参数)?(?:无效|错误|格式错误)$/i;

const LENIENT =
  /\b(?:lenien\w+|toler\w+|liberal|as far as (?:possible|it can)|makes the best|not validated|without validation)\b/i;

/** Whether a member only comes back as it was sent. */
function isEcho({ cases }: CheckFacts, name: string): boolean {
  const pairs = cases.flatMap(({ one: { input, output } }) =>
    isObject(input) && isObject(output) && Object.hasOwn(input, name) && Object.hasOwn(output, name)
      ? [equalJson(input[name] ?? null, output[name] ?? null)]
      : [],
  );
  return pairs.length > 0 && pairs.every((is) => is);
}

/** Whether an answer is like that of the case it was made of: the same words and truth values, and numbers, texts and lists for its own. */
function isAnsweredAlike({ one }: Plan, value: Json): boolean {
  if (reportsFailure(value) === true) return false;
  const kindOf = (leaf: Json): Json =>
    leaf === null || typeof leaf === 'boolean' || isWord(leaf) ? leaf : typeof leaf;
  const known = new Map(leavesOf(one.one.output).map(({ pointer, value: leaf }) => [pointer, kindOf(leaf)]));
  const own = leavesOf(value);
  return (
    own.some(({ pointer }) => known.has(pointer)) &&
    own.every(({ pointer, value: leaf }) => !known.has(pointer) || known.get(pointer) === kindOf(leaf))
  );
}

function isWord(value: Json): boolean {
  return typeof value === 'string' && /^[\p{L}_-]{2,30}$/u.test(value);
}

function factOf({ one, name, beyond: value, input, owed }: Plan, got: Json): Omit<CheckFact, 'check'> {
  return {
    code: 'CANDIDATE_BREAKS_ON_REQUEST',
    message:
      `case ${one.one.testCase}: with ${name} ${JSON.stringify(value)}, which the schema forbids, it succeeds, and has none of ${owed.names.join(', ')}`.slice(
        0,
        500,
      ),
    testCase: one.one.testCase,
    input,
    got,
  };
}
