import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { LIMITING } from '../../lexicon/quantifying.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { Check, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { constantIn, documentedAnswersOf, excerpt, holdsConstant, sentencesOf } from '../prose/documented-answers.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly } from '../subject.ts';
import { membersOf } from '../worlds/forbidden-values.ts';
import { answeringAlike } from '../worlds/variations.ts';

/** Requests at limits that one check may ask for. */
const maxProbes = 40;

/** Asks at the limits that the document or the request schema names, and on either side of them. */
export const limits: Check = {
  name: 'limits',
  reason: 'Handlers go wrong where a rule begins to hold: at its limit, and one step before and behind it.',
  certain:
    'The document says in one sentence for which values of which member an answer has which name, and an answer on the one side has it not though it reports no other failure, or one on the other side, between the limit and the value of a case that succeeds, has it; or a value that the schema just allows is refused as the next one that it does not; or two members are equal, of which the document says that one must lie behind the other or else, and nothing is refused; or something is done, and success reported, for a value just below the least that the schema allows, though the document says how invalid requests are answered.',
  uncertain: 'Nothing.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const none: CheckFindings = { failures: [], warnings: [] };
    if (facts.subject.role === 'requester') return { ...none, skipped: 'the candidate is a requester' };
    const successes = facts.cases.filter(({ one }) => !one.case.negative && reportsFailure(one.output) !== true);
    const told = saidLimits(facts);
    const probes = successes.flatMap((one) => told.flatMap((limit) => probesOf(facts, one, limit))).slice(0, maxProbes);
    const bounds = successes
      .slice(0, 2)
      .flatMap((one) => boundsOf(facts, one))
      .slice(0, maxProbes / 4);
    const pairs = successes.flatMap((one) => pairsOf(facts, one)).slice(0, maxProbes / 4);
    if (probes.length + bounds.length + pairs.length === 0)
      return { ...none, skipped: 'neither document nor schema names a limit' };
    const beside = bounds.flatMap(({ at, beyond, within }) => [at, beyond, within]);
    const seen = yield [...probes, ...beside, ...pairs].map(({ scenario }) => scenario);
    const failures: CheckFindings['failures'] = [];
    const fail = (one: SeenCase, input: Json, got: Json, message: string): void => {
      if (failures.length < 5)
        failures.push({
          code: 'CANDIDATE_RULE_BROKEN',
          message: `case ${one.one.testCase}: ${message}`.slice(0, 500),
          testCase: one.one.testCase,
          input,
          got,
        });
    };
    for (const [index, { one, limit, input, fails, shown }] of probes.entries()) {
      const value = seen[index]?.value;
      if (value === undefined) continue;
      const named = holdsConstant(value, [limit.constant]);
      if (fails && !named && reportsFailure(value) !== true && !followsOtherRule(facts, one, limit, value))
        fail(
          one,
          input,
          value,
          `with ${limit.name} ${shown} the answer has no ${limit.constant}, though "${limit.sentence}"`,
        );
      else if (!fails && named && !namedElsewhere(facts, limit))
        fail(
          one,
          input,
          value,
          `with ${limit.name} ${shown} the answer has ${limit.constant}, though "${limit.sentence}"`,
        );
    }
    const { invalidRequests } = documentedAnswersOf(facts.subject);
    for (const [index, { one, name, at, beyond: next, isLower }] of bounds.entries()) {
      const runs = [0, 1, 2].map((nth) => seen[probes.length + index * 3 + nth]);
      const [own, beyond, within] = runs.map((run) => run?.value);
      if (own === undefined || beyond === undefined || within === undefined) continue;
      if (holdsConstant(own, invalidRequests) && equalJson(own, beyond) && !holdsConstant(within, invalidRequests))
        fail(
          one,
          at.input,
          own,
          `with ${name} ${at.shown}, which the schema allows, it answers as for an invalid request`,
        );
      const acted = runs[1]?.calls.some(({ tool, output }) => output !== undefined && !isReadOnly(facts.subject, tool));
      if (isLower && acted && reportsFailure(beyond) === false)
        fail(
          one,
          next.input,
          beyond,
          `with ${name} ${next.shown}, which the schema forbids, it acts and reports success`,
        );
    }
    for (const [index, { one, input, shown, constant, sentence }] of pairs.entries()) {
      const value = seen[probes.length + beside.length + index]?.value;
      if (value === undefined || holdsConstant(value, [constant]) || reportsFailure(value) === true) continue;
      fail(one, input, value, `with ${shown} the answer has no ${constant}, though "${sentence}"`);
    }
    return { failures, warnings: [] };
  },
};

interface Limit {
  name: string;
  measure: 'value' | 'length' | 'items';
  /** On which side the answer has the name, and whether at the limit itself. */
  side: 'below' | 'above';
  inclusive: boolean;
  limit: number;
  constant: string;
  sentence: string;
}

const BELOW = '(?:shorter|less|fewer|smaller|lower) than|below|under';
const ABOVE = '(?:longer|more|greater|larger|higher|bigger) than|above|over|exceeds?|exceeding';
const NUMBER = String.raw`(?<limit>-?\d+(?:\.\d+)?)(?![\d.,]*\d|\s*%)`;
const UNIT = String.raw`(?:\s+(?<unit>characters?|letters|items?|entries|elements))?`;
const END = String.raw`\s*(?:$|[,:;.)→]|\b(?:the|then|is|are|gives?|or|gets?|error|status|code|reason|answer)\b)`;

/** What every sentence about a limit has. */
const COMPARING = new RegExp(`\\b(?:${BELOW}|${ABOVE}|positive|negative)\\b`, 'i');

/** What makes a sentence about a limit say less than it seems to. */
const QUALIFIED = /\b(?:unless|except|may|might|usually|both|otherwise|only|per|each|every|total|sum)\b/i;

/** What makes limits that other sentences name hold for some requests alone. */
const EXEMPT = /\b(?:exempt\w*|do(?:es)? not (?:hold|apply)|waived?|disregard\w*|takes? precedence)\b|豁免|不适用/i;

/** What may stand before a limit: more would be a condition of its own. */
const LEADING =
  /^[\s>|*•-]*(?:\d+[.)])?\s*(?:\b(?:if|when|whenever|where|in case|an?|any|the|requests?|with|whose)\s+)*$/i;

/** What may not stand behind it. */
const FURTHER = /\b(?:if|when|whenever|where|provided|while|as long as)\b/i;

/** The limits that sentences of the document name, each with the one constant that answers beyond it have. */
function saidLimits({ subject }: CheckFacts): Limit[] {
  const names = new Set(subject.cases.flatMap(({ request }) => (isObject(request) ? Object.keys(request) : [])));
  const sentences = sentencesOf(subject.agreement);
  if (sentences.some((sentence) => EXEMPT.test(sentence))) return [];
  return sentences.flatMap((sentence) => {
    if (!COMPARING.test(sentence) || QUALIFIED.test(sentence)) return [];
    return [...names].flatMap((name) => {
      if (!sentence.includes(name)) return [];
      const found = limitIn(sentence, name);
      if (!found) return [];
      const rest = sentence.slice(found.end);
      const constant = constantIn(subject, rest);
      if (!LEADING.test(sentence.slice(0, found.start)) || FURTHER.test(rest)) return [];
      // What comes between limit and name may be a second condition.
      if (constant === undefined || /\band\b/i.test(rest.slice(0, rest.indexOf(constant)))) return [];
      return [{ ...found, name, constant, sentence: excerpt(sentence) }];
    });
  });
}

/** Whether an answer has what another sentence of the document has it for: of two rules that hold, either may come first. */
function followsOtherRule({ subject }: CheckFacts, { one }: SeenCase, { sentence }: Limit, answer: Json): boolean {
  const others = sentencesOf(subject.agreement).filter((other) => excerpt(other) !== sentence);
  return leavesOf(answer).some(({ pointer, value }) => {
    if (typeof value !== 'string' || value.length < 3) return false;
    const naming = others.filter((other) => hasWord(other, value));
    return valueAt(one.output, pointer) === value
      ? naming.some(
          (other) =>
            /\b(?:if|when|whenever|where|in case)\b/i.test(other) &&
            !other.split(/[,;]/).some((clause) => hasWord(clause, value) && /\b(?:otherwise|else)\b/i.test(clause)),
        )
      : naming.length > 0;
  });
}

/** Whether more than one sentence of the document has the name of a limit. */
function namedElsewhere({ subject }: CheckFacts, { sentence, constant }: Limit): boolean {
  return sentencesOf(subject.agreement).some((other) => excerpt(other) !== sentence && hasWord(other, constant));
}

function limitIn(
  sentence: string,
  name: string,
): (Pick<Limit, 'measure' | 'side' | 'inclusive' | 'limit'> & { start: number; end: number }) | undefined {
  const member = String.raw`(?<![\p{L}\p{N}_.])[\x60"']?${RegExp.escape(name)}[\x60"']?\s+(?:(?:that|which)\s+)?(?:is|has|have|lies|are)?\s*`;
  const compared = new RegExp(
    `${member}(?:(?<below>${BELOW})|(?<above>${ABOVE}))\\s+${NUMBER}${UNIT}${END}`,
    'iu',
  ).exec(sentence);
  if (compared?.groups) {
    const { below, limit, unit } = compared.groups;
    const end = compared.index + compared[0].length;
    return {
      measure: measureOf(unit),
      side: below === undefined ? 'above' : 'below',
      inclusive: false,
      limit: Number(limit),
      start: compared.index,
      end,
    };
  }
  const sign = new RegExp(
    `${member}(?:(?<none>not positive|zero or (?:less|negative)|negative or zero)|(?<negative>negative))(?! or zero)${END}`,
    'iu',
  ).exec(sentence);
  if (!sign?.groups) return undefined;
  return {
    measure: 'value',
    side: 'below',
    inclusive: sign.groups.none !== undefined,
    limit: 0,
    start: sign.index,
    end: sign.index + sign[0].length,
  };
}

function measureOf(unit: string | undefined): Limit['measure'] {
  if (unit === undefined) return 'value';
  return /^(?:characters?|letters)$/i.test(unit) ? 'length' : 'items';
}

interface Probe {
  one: SeenCase;
  input: Json;
  /** The value in words. */
  shown: string;
  scenario: Scenario;
}

/** A success with one member at a limit, and one step to either side: towards the value of the case, and away from it. */
function probesOf(facts: CheckFacts, one: SeenCase, limit: Limit): (Probe & { limit: Limit; fails: boolean })[] {
  const { input } = one.one;
  if (!isObject(input) || holdsConstant(one.one.output, [limit.constant])) return [];
  const known = input[limit.name];
  const measured = known === undefined ? undefined : measureIn(known, limit.measure);
  const away = limit.side === 'below' ? -1 : 1;
  if (measured === undefined || (measured - limit.limit) * away >= 0) return [];
  const step = limit.measure === 'value' && !(Number.isInteger(measured) && Number.isInteger(limit.limit)) ? 0.01 : 1;
  return [limit.limit + away * step, limit.limit, limit.limit - away * step].flatMap((value, index) => {
    const fails = index === 0 || (index === 1 && limit.inclusive);
    // Between the limit and the case there may be nothing.
    if (index === 2 && (measured - value) * away > 0) return [];
    const next = resized(known as Json, limit.measure, Number(value.toFixed(6)));
    const probe = next === undefined ? undefined : probeOf(facts, one, limit.name, next, true);
    return probe ? [{ ...probe, limit, fails, shown: shownOf(limit.measure, value) }] : [];
  });
}

function shownOf(measure: Limit['measure'], value: number): string {
  return measure === 'value' ? String(value) : `of ${value} ${measure === 'length' ? 'characters' : 'items'}`;
}

function measureIn(value: Json, measure: Limit['measure']): number | undefined {
  if (measure === 'value') return typeof value === 'number' ? value : undefined;
  if (measure === 'length') return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value) ? value.length : undefined;
  return Array.isArray(value) && value.length > 0 ? value.length : undefined;
}

/** A value of another size, made of itself. */
function resized(value: Json, measure: Limit['measure'], size: number): Json | undefined {
  if (measure === 'value') return size;
  if (size < 1 || size > 5_000) return undefined;
  if (typeof value === 'string') return value.slice(0, size).padEnd(size, value.slice(-1));
  return Array.isArray(value)
    ? Array.from({ length: size }, (_, index) => value[index % value.length] as Json)
    : undefined;
}

function probeOf(facts: CheckFacts, one: SeenCase, name: string, value: Json, wanted: boolean): Probe | undefined {
  return probeWith(facts, one, { ...(one.one.input as Record<string, Json>), [name]: value }, value, wanted);
}

/** A case with another input, where the schema allows it, or forbids it, as is wanted. */
function probeWith(
  { subject }: CheckFacts,
  one: SeenCase,
  input: Json,
  value: Json,
  wanted: boolean,
): Probe | undefined {
  if ((subject.surface.requestIssues(input).length === 0) !== wanted) return undefined;
  const scenario = { ...caseScenario(subject, one.one), input, tools: answeringAlike(subject.tools, one.seen) };
  return { one, input, shown: JSON.stringify(value).slice(0, 60), scenario };
}

/** Successes with two members made equal, where the document says that one must lie on one side of the other, or else. */
function pairsOf(facts: CheckFacts, one: SeenCase): (Probe & { constant: string; sentence: string })[] {
  const { input } = one.one;
  if (!isObject(input)) return [];
  const names = Object.keys(input);
  return sentencesOf(facts.subject.agreement).flatMap((sentence) => {
    if (!/\b(?:not|must)\b/i.test(sentence) || /\b(?:unless|except|may|might|only)\b/i.test(sentence)) return [];
    const named = names.filter((name) => sentence.includes(name));
    return named.flatMap((name) =>
      named.flatMap((other) => {
        const value = input[other];
        if (name === other || value === undefined || typeof value !== typeof input[name]) return [];
        const found = comparison(name, other).exec(sentence);
        const rest = found ? sentence.slice(found.index + found[0].length) : '';
        const constant = found ? constantIn(facts.subject, rest) : undefined;
        if (constant === undefined || holdsConstant(one.one.output, [constant])) return [];
        const probe = probeOf(facts, one, name, value, true);
        return probe ? [{ ...probe, shown: `${name} equal to ${other}`, constant, sentence: excerpt(sentence) }] : [];
      }),
    );
  });
}

/** What a sentence looks like that has an answer for one member being no more, or no less, than another. */
function comparison(name: string, other: string): RegExp {
  const [a, b] = [name, other].map(
    (text) => `(?<![\\p{L}\\p{N}_])[\\x60"']?${RegExp.escape(text)}[\\x60"']?(?![\\p{L}\\p{N}_])`,
  );
  const side = '(?:after|before|later than|earlier than|greater than|less than|above|below)';
  return new RegExp(
    `${a}\\s+(?:(?:is|lies)\\s+)?not\\s+${side}\\s+${b}|${a}\\s+must\\s+(?:be|lie)\\s+${side}\\s+${b}\\s*[,;]?\\s*(?:or\\s+)?(?:else|otherwise)`,
    'iu',
  );
}

interface Bound {
  one: SeenCase;
  name: string;
  at: Probe;
  beyond: Probe;
  within: Probe;
  isLower: boolean;
}

/** The bounds of the members of a success that the request schema names, each with the values next to it. A bound of 0 may be meant to be left out. */
function boundsOf(facts: CheckFacts, one: SeenCase): Bound[] {
  const { requestSchema } = facts.subject;
  const { input } = one.one;
  if (documentedAnswersOf(facts.subject).invalidRequests.length === 0 || requestSchema === null) return [];
  return membersOf(requestSchema, input).flatMap(({ schema, at: known, name, put }) => {
    if (known === undefined) return [];
    const step = schema.type === 'integer' ? 1 : 0.01;
    const sizes: [Limit['measure'], Json | undefined, number][] = [
      ['value', schema.minimum, -step],
      ['value', schema.maximum, step],
      ['length', schema.minLength, -1],
      ['length', schema.maxLength, 1],
      ['items', schema.minItems, -1],
      ['items', schema.maxItems, 1],
    ];
    return sizes.flatMap(([measure, bound, away]) => {
      const measured = measureIn(known, measure);
      if (typeof bound !== 'number' || bound === 0 || measured === undefined || isCompared(facts, bound)) return [];
      const [at, beyond, within] = [0, away, -away].map((by, index) => {
        const next = resized(known, measure, Number((bound + by).toFixed(6)));
        return next === undefined ? undefined : probeWith(facts, one, put(next), next, index !== 1);
      });
      return at && beyond && within && !isNarrowed(facts, name, bound - away)
        ? [{ one, name, at, beyond, within, isLower: measure === 'value' && away < 0 }]
        : [];
    });
  });
}

const NUMBER_WORDS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** Whether a sentence about a member has a number that may be a narrower bound than that of the schema. */
function isNarrowed({ subject }: CheckFacts, name: string, next: number): boolean {
  const number = NUMBER_WORDS[next] === undefined ? RegExp.escape(String(next)) : `(?:${next}|${NUMBER_WORDS[next]})`;
  const pattern = new RegExp(`(?<![\\p{L}\\d.,])${number}(?![\\p{L}\\d]|[.,]\\d)`, 'iu');
  return sentencesOf(subject.agreement).some(
    (sentence) => pattern.test(sentence) && (hasWord(sentence, name) || LIMITING.test(sentence)),
  );
}

/** Whether the document speaks of a number as of one that is left out. */
function isCompared({ subject }: CheckFacts, bound: number): boolean {
  const number = RegExp.escape(String(bound));
  return new RegExp(`(?:${BELOW}|${ABOVE})\\s+${number}(?![\\d.]*\\d)`, 'i').test(subject.agreement.text);
}
