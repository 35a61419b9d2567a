import type { Observation, Scenario } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import { ADDING, ALLOWED, BEYOND, DEMANDING, DENYING, EQUAL, MEETING, SUPPOSING } from '../../lexicon/comparing.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { constantsIn, holdsConstant, sentencesOf } from '../prose/documented-answers.ts';
import { speaksOf } from '../prose/thresholds.ts';
import { hasWord, isEpoch, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly, type Subject } from '../subject.ts';
import { answeringAlike, replacedAt } from '../worlds/variations.ts';

/** Worlds with equal quantities, each with two neighbours, that one candidate is put into, and those of one sentence. */
const [maxWorlds, maxOfOne] = [12, 4];

/** What a document says of two quantities that are equal, with the name that answers have on one side of that. */
interface Comparison {
  sentence: string;
  constant: string;
  /** Whether what is equal has that name as well. */
  isRefused: boolean;
}

/** A case in which one quantity is set to what others come to, and one step to either side. */
export interface Equality extends Comparison {
  one: SeenCase;
  /** In words. */
  what: string;
  scenarios: [below: Scenario, equal: Scenario, above: Scenario];
}

/** Cases that succeed with quantities made equal of which a sentence says what comes of that. */
export function equalitiesOf(facts: CheckFacts): Equality[] {
  const comparisons = comparisonsOf(facts);
  const bases = facts.cases.filter(({ one }) => !one.case.negative && reportsFailure(one.output) !== true).slice(0, 2);
  return comparisons
    .flatMap((comparison) =>
      bases
        .filter(({ one }) => !holdsConstant(one.output, [comparison.constant]))
        .flatMap((one) => equalitiesIn(facts, one, comparison))
        .slice(0, maxOfOne),
    )
    .slice(0, maxWorlds);
}

/** What is wrong with the answer where quantities are equal, if the answers beside it show that they are what the sentence compares. */
export function wrongAtEquality(
  { constant, isRefused, what, sentence }: Equality,
  [below, equal, above]: readonly (Observation | undefined)[],
): string | undefined {
  const [before, value, behind] = [below?.value, equal?.value, above?.value];
  if (before === undefined || value === undefined || behind === undefined) return undefined;
  const [left, own, right] = [before, value, behind].map((answer) => holdsConstant(answer, [constant]));
  if (left === right || own === isRefused) return undefined;
  const accepted = left === true ? behind : before;
  // Neither name nor what comes without it: another rule may hold there.
  if (!own && reportsFailure(value) !== reportsFailure(accepted)) return undefined;
  return `where ${what}, the answer has ${own ? '' : 'no '}${constant}, though "${sentence}"`;
}

/** The comparisons of the document that leave no doubt about what is equal. */
function comparisonsOf({ subject }: CheckFacts): Comparison[] {
  const sentences = sentencesOf(subject.agreement);
  return sentences.flatMap((first, index): Comparison[] => {
    if (first.includes('|') || !(BEYOND.test(first) || MEETING.test(first))) return [];
    const after = sentences.slice(index + 1, index + 3);
    const end = after.findIndex((sentence) => /^\s*(?:\d+[.)]?\s*$|[-*•#|]|\d+[.)]\s)|^\s*$/.test(sentence));
    const further = end < 0 ? after : after.slice(0, end);
    const names = [first, ...further].map((sentence) => nameIn(subject, sentence));
    const named = names.findIndex((name) => name !== undefined);
    const constant = names[named];
    // The name stands in the sentence, or in one that begins with what comes of it that this is not so.
    if (constant === undefined || (named > 0 && !STARTS_OTHERWISE.test(further[0] ?? ''))) return [];
    const rule = [first, ...further.slice(0, named)].join(' ');
    const said = saidOfEqual([rule, ...further.slice(named)]);
    const isRefused = said ?? impliedOfEqual(rule);
    return isRefused === undefined ? [] : [{ sentence: rule.trim().slice(0, 200), constant, isRefused }];
  });
}

/** The one name of an answer that a sentence has; a code beside it says less. */
function nameIn(subject: Subject, sentence: string): string | undefined {
  const all = [...new Set(constantsIn(subject, sentence))];
  const words = all.filter((one) => !/^\d+$/.test(one));
  const [only, ...others] = words.length > 0 ? words : all;
  return others.length === 0 ? only : undefined;
}

const STARTS_OTHERWISE =
  /^\s*(?:otherwise|else|if (?:not|it)|sonst|andernfalls|ist er|ist sie|ist es|si no|en caso contrario|de lo contrario|sinon|senão|caso contrário|altrimenti|否则)(?!\p{L})/iu;

/** Whether what is equal is refused, as far as one of the sentences says that it is allowed. */
function saidOfEqual(sentences: readonly string[]): boolean | undefined {
  const said = sentences
    .flatMap((sentence) => sentence.split(/[;；:：]/))
    .filter((clause) => EQUAL.test(clause) && ALLOWED.test(clause));
  return said.length > 0 && said.every((clause) => !DENYING.test(clause)) ? false : undefined;
}

/** Whether what is equal is refused, by the words that compare: beyond something, or up to it, demanded or supposed, denied or not. */
function impliedOfEqual(rule: string): boolean | undefined {
  const [isBeyond, isMeeting] = [BEYOND.test(rule), MEETING.test(rule)];
  const isDemanded = DEMANDING.test(rule);
  const isSupposed = SUPPOSING.test(rule) && !isDemanded;
  if (isBeyond === isMeeting || isDemanded === isSupposed || UNCLEAR.test(rule)) return undefined;
  const compared = isBeyond ? BEYOND : MEETING;
  // A second comparison in one sentence would be one of something else.
  const found = compared.exec(rule);
  if (found === null || compared.test(rule.slice(found.index + found[0].length))) return undefined;
  const isDenied = DENYING.test(rule.slice(0, found.index));
  return isDemanded ? isBeyond !== isDenied : isBeyond === isDenied;
}

const UNCLEAR =
  /\b(?:unless|except|only|inclu\w*|exclu\w*|either|both)\b|(?<!\p{L})(?:außer|nur|inklusive|ausschließlich|solo|sólo|salvo|sauf|seulement|apenas|exceto)(?!\p{L})|除非|只有|含/iu;

interface Quantity {
  name: string;
  told: boolean;
  /** As a number: of a date, its day. */
  value: number;
  isDate: boolean;
  with(value: number): Scenario | undefined;
}

const DAY_MS = 86_400_000;

function equalitiesIn(facts: CheckFacts, one: SeenCase, comparison: Comparison): Equality[] {
  const all = quantitiesOf(facts, one);
  const spoken = all.filter(({ name }) => hasWord(comparison.sentence, name) || speaksOf(comparison.sentence, name));
  const isSum = ADDING.test(comparison.sentence);
  const asked = spoken.filter(({ told }) => !told);
  // What one asks for may be set where what is told stays as it is.
  return (asked.length > 0 ? asked : spoken).flatMap((own) => {
    const others = spoken.filter((other) => other !== own && other.isDate === own.isDate);
    // Of what two tools tell, one may be meant together with what is asked for.
    const pairs = isSum ? [] : others.filter((other) => own.isDate || !own.told || !other.told);
    const thirds = own.isDate ? [] : others;
    const targets = [
      ...pairs.map((other) => ({ value: other.value, what: `${nameOf(own)} is ${nameOf(other)}` })),
      ...others.flatMap((other) =>
        thirds
          .filter((third) => third !== other && third.name !== other.name)
          .map((third) => ({
            value: other.value - third.value,
            what: `${nameOf(own)} and ${nameOf(third)} make ${nameOf(other)}`,
          })),
      ),
    ];
    return targets.flatMap(({ value, what }): Equality[] => {
      const isWhole = Number.isInteger(own.value) && Number.isInteger(value);
      // A large number may be cut to a whole one before it is compared.
      const step = own.isDate || isWhole || value > 5 ? 1 : 0.01;
      const [below, equal, above] = [value - step, value, value + step].map((at) => own.with(Number(at.toFixed(6))));
      return below && equal && above ? [{ ...comparison, one, what, scenarios: [below, equal, above] }] : [];
    });
  });
}

function nameOf({ name, told }: Quantity): string {
  return told ? `${name} (told by a tool)` : name;
}

/** The numbers and days of a case, in its request and in what tools that only read tell, but in no lists. */
function quantitiesOf({ subject }: CheckFacts, one: SeenCase): Quantity[] {
  const base = {
    ...caseScenario(subject, one.one),
    tools: answeringAlike(subject.tools, one.seen) as Scenario['tools'],
  };
  const { input } = one.one;
  const isAllowed = (other: Json) => subject.role === 'requester' || subject.surface.requestIssues(other).length === 0;
  const asked = numbersOf(input).map(({ pointer, make, ...rest }) => ({
    ...rest,
    told: false,
    with: (value: number) => {
      const next = replacedAt(input, pointer, make(value));
      return isAllowed(next) && value >= 0 ? { ...base, input: next } : undefined;
    },
  }));
  const told = one.seen.calls.flatMap(({ tool, output }, index) => {
    const isFirst = one.seen.calls.findIndex((call) => call.tool === tool) === index;
    if (output === undefined || !isFirst || !isReadOnly(subject, tool)) return [];
    return numbersOf(output).map(({ pointer, make, ...rest }) => ({
      ...rest,
      told: true,
      with: (value: number) => {
        const next = replacedAt(output, pointer, make(value));
        if (subject.surface.toolOutputIssues(tool, next).length > 0) return undefined;
        const tools = base.tools.map((each) =>
          each.name === tool ? { ...each, examples: [], otherwise: { output: next } } : each,
        ) as Scenario['tools'];
        return { ...base, tools };
      },
    }));
  });
  return [...asked, ...told];
}

/** A number or day with its place. */
interface Numbered {
  pointer: string;
  name: string;
  value: number;
  isDate: boolean;
  make(value: number): Json;
}

function numbersOf(whole: Json): Numbered[] {
  return leavesOf(whole).flatMap(({ pointer, name, value }): Numbered[] => {
    if (/\/\d+(?:\/|$)/.test(pointer) || pointer === '') return [];
    if (typeof value === 'number')
      return isEpoch(value) ? [] : [{ pointer, name, value, isDate: false, make: (other) => other }];
    const time = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(time)) return [];
    const make = (day: number): Json => new Date(day * DAY_MS).toISOString().slice(0, 10);
    return [{ pointer, name, value: time / DAY_MS, isDate: true, make }];
  });
}
