import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { ADJUSTED } from '../../lexicon/quantifying.ts';
import { BREAKS_THE_SCHEMA } from '../../lexicon/refusing.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { CORRELATION_NAME } from '../member-names.ts';
import { constantIn, documentedAnswersOf, holdsConstant, sentencesOf } from '../prose/documented-answers.ts';
import { INVALID_REQUESTS } from '../prose/failure-rules.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly, type Subject } from '../subject.ts';
import { answeringAlike } from '../worlds/variations.ts';

const maxRuns = 24;

/** Sends requests that break the schema by one value: beyond a bound, or none of an enumeration. */
export const schemaBounds: Check = {
  name: 'schema-bounds',
  reason:
    'A bound that stands in the schema alone is easily forgotten: what lies beyond it is answered as if it were fine.',
  certain:
    'A value beyond a bound of the schema, or out of its enumeration, is answered like the case it was made of, though the document names the answer to requests that break the schema, or to broken ones and a case has one that breaks it answered so, or a case shows it for that very member; so is a list that may not be empty, where something is done for it.',
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
    const plans = good
      .slice(0, 3)
      .flatMap((one) => beyond(facts, one))
      .slice(0, maxRuns);
    if (plans.length === 0) return { ...none, skipped: 'the request schema has no bound that the document speaks of' };
    // Tools that know nothing of the value would refuse it in place of the handler, who owes that itself.
    const seen = yield plans.map(({ one, input, owed }) => ({
      ...one.scenario,
      input,
      ...(owed.isCertain ? { tools: answeringAlike(subject.tools, one.seen) as Scenario['tools'] } : {}),
    }));
    for (const [index, plan] of plans.entries()) {
      const { value, end, issues, calls } = seen[index] as Observation;
      // Of no items at all, much can be told truthfully; it is another matter to act on them.
      const acts = calls.some(({ tool, error }) => error === undefined && !isReadOnly(subject, tool));
      if (Array.isArray(plan.beyond) && !acts) continue;
      if (end !== 'returned' || value === undefined || issues.length > 0) continue;
      if (holdsConstant(value, plan.owed.names) || !isAnsweredAlike(plan, value)) continue;
      const list = plan.owed.isCertain ? none.failures : none.warnings;
      if (list.some(({ message }) => message.includes(` ${plan.name} `))) continue;
      list.push(factOf(plan, value));
    }
    return none;
  },
};

interface Plan {
  one: SeenCase;
  name: string;
  beyond: Json;
  input: Json;
  owed: Owed;
}

/** The names of the answer to a broken request, and whether nothing else will do. */
interface Owed {
  names: string[];
  isCertain: boolean;
}

/** A case with one member of its request beyond what the schema has for it. */
function beyond(facts: CheckFacts, one: SeenCase): Plan[] {
  const { subject } = facts;
  const { input } = one.one;
  const properties = isObject(subject.requestSchema) ? subject.requestSchema.properties : undefined;
  if (!isObject(input) || !isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (!isObject(schema) || CORRELATION_NAME.test(name) || isExempt(subject, name)) return [];
    if (isEcho(facts, name)) return [];
    return outside(schema).flatMap((value) => {
      const changed = { ...input, [name]: value };
      const issues = subject.surface.requestIssues(changed);
      const [issue] = issues;
      if (issue === undefined || issues.length > 1 || issue.pointer !== `/${name}`) return [];
      const owed = owedFor(facts, name, issue.keyword);
      return owed === undefined ? [] : [{ one, name, beyond: value, input: changed, owed }];
    });
  });
}

/** Values just beyond what a schema allows, of its own kind. */
function outside(schema: Record<string, Json>): Json[] {
  const { minimum, maximum, minItems } = schema;
  const found: Json[] = [];
  if (typeof minItems === 'number' && minItems > 0) found.push([]);
  if (typeof maximum === 'number') found.push(maximum + 1);
  if (typeof minimum === 'number') found.push(minimum - 1);
  const { enum: words } = schema;
  if (Array.isArray(words) && words.length > 1) {
    if (words.every((word) => typeof word === 'number' && Number.isInteger(word))) {
      const [least, most] = [Math.min(...(words as number[])), Math.max(...(words as number[]))];
      found.push(most + 2, ...(words.includes(least + 1) ? [] : [least + 1]));
    } else if (words.every((word) => typeof word === 'string' && /^\p{L}{3,}$/u.test(word))) found.push('zzqx');
  }
  return found;
}

/** What the document, or a case whose request is broken at the same member, has for such a request. */
function owedFor({ subject, cases }: CheckFacts, name: string, keyword: string): Owed | undefined {
  const { invalidRequests, incomplete, missingMembers } = documentedAnswersOf(subject);
  const shown = cases.find(({ one }) => {
    const [issue, ...others] = subject.surface.requestIssues(one.input);
    return issue?.pointer === `/${name}` && issue.keyword === keyword && others.length === 0;
  });
  const ofSchema = sentencesOf(subject.agreement).filter((sentence) => BREAKS_THE_SCHEMA.test(sentence));
  const said = ofSchema.flatMap((sentence) => constantIn(subject, sentence) ?? []);
  const names = [...new Set([...invalidRequests, ...missingMembers, ...said])];
  if (shown) {
    const marks = marksOf(subject, shown);
    if (marks.length > 0) return { names: [...marks, ...names, ...incomplete], isCertain: true };
  }
  if (names.length === 0) return undefined;
  const isSaid = ofSchema.some((sentence) => names.some((constant) => sentence.includes(constant)));
  // What is said of broken requests is meant of those that break the schema where a case has one answered so.
  const isShown = cases.some(
    ({ one }) => subject.surface.requestIssues(one.input).length > 0 && holdsConstant(one.output, invalidRequests),
  );
  return { names: [...names, ...incomplete], isCertain: isSaid || isShown };
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
function isExempt({ agreement }: Subject, name: string): boolean {
  return sentencesOf(agreement).some(
    (sentence) =>
      LENIENT.test(sentence) ||
      (hasWord(sentence, name) && ADJUSTED.test(sentence) && !INVALID_REQUESTS.test(sentence)),
  );
}

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
