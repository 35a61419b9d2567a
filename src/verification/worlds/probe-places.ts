import type { Scenario } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { isEpoch, leavesOf } from '../scalar-kinds.ts';
import { defaultTrialNowMs, isReadOnly } from '../subject.ts';
import { answeringAlike, replacedAt } from './variations.ts';

/** A quantity of a case that can be set to any number. */
export interface ProbePlace {
  one: SeenCase;
  /** The member that has it. */
  name: string;
  measure: 'value' | 'length' | 'items' | 'days' | 'result';
  /** Whether a tool tells it, rather than the request. */
  told: boolean;
  /** Whether it stands in a list, whose other items may hang on it. */
  isListed?: boolean;
  /** What the case has. */
  value: number;
  /** Of a text: whether all cases have so many digits there, so that fewer or more may break its form. */
  isOfFixedWidth?: boolean;
  /** Of a result: where the answer must have the number that was wanted. */
  pointer?: string;
  /** The case with another number there; `undefined` where schemas forbid it. */
  at(value: number): Probe | undefined;
}

/** The numbers of a case's answer, which follow numbers of the request where they are their multiples. */
export function resultPlaces(facts: CheckFacts, one: SeenCase): ProbePlace[] {
  const { subject } = facts;
  const base = { ...caseScenario(subject, one.one), tools: answeringAlike(subject.tools, one.seen) };
  const asked = leavesOf(one.one.input).filter(({ value }) => typeof value === 'number' && value !== 0);
  return leavesOf(one.one.output).flatMap(({ pointer, name, value }): ProbePlace[] => {
    if (typeof value !== 'number' || value <= 0 || /code|status/i.test(name)) return [];
    return [...new Set(asked.map((leaf) => leaf.name))].map((group) => ({
      one,
      name,
      measure: 'result',
      told: false,
      value,
      pointer,
      at: (wanted) => {
        const input = asked
          .filter((leaf) => leaf.name === group)
          .reduce((all, leaf) => replacedAt(all, leaf.pointer, (Number(leaf.value) * wanted) / value), one.one.input);
        return subject.surface.requestIssues(input).length > 0 ? undefined : { input, scenario: { ...base, input } };
      },
    }));
  });
}

/** A case with one quantity changed. */
export interface Probe {
  input: Json;
  scenario: Scenario;
}

const DAY_MS = 86_400_000;

/** The quantities of a case: numbers, lengths of texts and lists, and days from now or from another date, in its request and in what tools that only read tell. */
export function probePlaces(facts: CheckFacts, one: SeenCase): ProbePlace[] {
  const { subject } = facts;
  const base = { ...caseScenario(subject, one.one), tools: answeringAlike(subject.tools, one.seen) };
  const asked = (pointer: string, value: Json): Probe | undefined => {
    const input = replacedAt(one.one.input, pointer, value);
    return subject.surface.requestIssues(input).length > 0 ? undefined : { input, scenario: { ...base, input } };
  };
  const { input } = one.one;
  const requests = subject.cases.map(({ request }) => request);
  const own =
    typeof input === 'string'
      ? namedNumbersOf(input, requests)
      : quantitiesOf(input, subject.nowMs ?? defaultTrialNowMs);
  const tools = one.seen.calls.flatMap(({ tool, output }, index) => {
    if (output === undefined || !isReadOnly(subject, tool)) return [];
    if (one.seen.calls.findIndex((call) => call.tool === tool) !== index) return [];
    return quantitiesOf(output, subject.nowMs ?? defaultTrialNowMs).map((quantity) => ({ tool, output, ...quantity }));
  });
  return [
    ...own.map(
      ({ pointer, make, ...rest }): ProbePlace => ({
        one,
        ...rest,
        told: false,
        at: (value) => {
          const made = make(value);
          return made === undefined ? undefined : asked(pointer, made);
        },
      }),
    ),
    ...tools.map(
      ({ tool, output, pointer, make, ...rest }): ProbePlace => ({
        one,
        ...rest,
        told: true,
        isListed: /\/\d+(?:\/|$)/.test(pointer),
        at: (value) => {
          const made = make(value);
          const told = made === undefined ? undefined : replacedAt(output, pointer, made);
          if (told === undefined || subject.surface.toolOutputIssues(tool, told).length > 0) return undefined;
          const answering = base.tools.map((each) =>
            each.name === tool ? { ...each, examples: [], otherwise: { output: told } } : each,
          );
          return { input: one.one.input, scenario: { ...base, tools: answering } };
        },
      }),
    ),
  ];
}

/** The numbers of a request, each where all others are one: what is their product is then what the one is. */
export function lonePlaces(facts: CheckFacts, one: SeenCase): ProbePlace[] {
  const { input } = one.one;
  const numbers = (
    typeof input === 'string'
      ? namedNumbersOf(input, [])
      : quantitiesOf(input, 0).filter(({ measure }) => measure === 'value')
  ).filter(({ value }) => Number.isInteger(value));
  if (numbers.length < 2 || numbers.length > maxLone) return [];
  return numbers.flatMap(({ name }) => {
    const others = numbers.filter((other) => other.name !== name);
    const lone = others.reduce<Json>((whole, other) => {
      if (typeof whole === 'string')
        return (
          namedNumbersOf(whole, [])
            .find((each) => each.name === other.name)
            ?.make(1) ?? whole
        );
      return replacedAt(whole, other.pointer, 1);
    }, input);
    if (facts.subject.surface.requestIssues(lone).length > 0) return [];
    const alone = probePlaces(facts, { ...one, one: { ...one.one, input: lone } });
    return alone.filter((place) => place.name === name && !place.told && place.measure === 'value');
  });
}

/** More numbers than these are of no product. */
const maxLone = 4;

interface Quantity {
  pointer: string;
  name: string;
  measure: ProbePlace['measure'];
  value: number;
  isOfFixedWidth?: boolean;
  make(value: number): Json | undefined;
}

/** A number of a text with the name before it, as in `count=3`, `count: 3`, `"count": "3"` and `<count>3`. */
const NAMED_NUMBER =
  /(?<![\p{L}\p{N}_-])(\p{L}[\p{L}\p{N}_-]{0,40})("?[ \t]*[=:][ \t]*"?|(?<=<\p{L}[\p{L}\p{N}_-]{0,40})>)(-?\d{1,12}(?:\.\d{1,6})?)(?![\p{L}\p{N}.,:/%-])/gu;

/** Most numbers of a text that are set to others. */
const maxNamed = 12;

/** The numbers of a text that have names; one with a zero before it keeps its width. */
function namedNumbersOf(text: string, texts: readonly Json[]): Quantity[] {
  const named = (one: Json) => (typeof one === 'string' ? [...one.matchAll(NAMED_NUMBER)].slice(0, maxNamed) : []);
  const all = texts.flatMap(named);
  return named(text).map(({ 0: whole, 1: name = '', 2: sign = '', 3: digits = '', index }) => {
    const widths = all.flatMap(({ 1: other, 3: own = '' }) => (other === name ? [widthOf(own)] : []));
    const least = /^0\d/.test(digits) ? digits.length : 0;
    return {
      pointer: '',
      name,
      measure: 'value',
      value: Number(digits),
      isOfFixedWidth: new Set(widths).size < 2,
      make: (other) =>
        `${text.slice(0, index)}${name}${sign}${String(other).padStart(least, '0')}${text.slice(index + whole.length)}`,
    };
  });
}

/** How many digits a number has before its point. */
export function widthOf(number: number | string): number {
  return (/\d+/.exec(String(number))?.[0] ?? '').length;
}

function quantitiesOf(whole: Json, nowMs: number): Quantity[] {
  const leaves = leavesOf(whole);
  const dates = leaves.flatMap(({ pointer, value }) => {
    const time = typeof value === 'string' && DATE.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(time) ? [] : [{ pointer, time }];
  });
  const found = leaves.flatMap(({ pointer, name, value }): Quantity[] => {
    if (typeof value === 'number')
      return isEpoch(value) ? [] : [{ pointer, name, measure: 'value', value, make: (other) => other }];
    if (typeof value !== 'string' || pointer === '') return [];
    const own = dates.find((date) => date.pointer === pointer);
    if (!own)
      return /^[\x20-\x7e]+$/.test(value)
        ? [{ pointer, name, measure: 'length', value: value.length, make: (size) => resized(value, size) }]
        : [];
    const midnight = Math.floor(nowMs / DAY_MS) * DAY_MS;
    const others = [
      ...dates.filter((date) => date !== own).map(({ time }) => time),
      value.length > 10 ? nowMs : midnight,
    ];
    return others.flatMap((from) =>
      [1, -1].map(
        (sign): Quantity => ({
          pointer,
          name,
          measure: 'days',
          value: Math.round((sign * (own.time - from)) / DAY_MS),
          make: (days) =>
            Number.isInteger(days) && days <= 40_000 ? dateLike(value, from + sign * days * DAY_MS) : undefined,
        }),
      ),
    );
  });
  return [...found, ...sizesOf(whole, '', '')];
}

const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)?$/;

function dateLike(text: string, time: number): Json {
  return new Date(time).toISOString().slice(0, Math.max(10, text.length - 1)) + (text.length > 10 ? 'Z' : '');
}

/** Arrays by their number of items; one inside another array counts by that of the first. */
function sizesOf(value: Json, pointer: string, name: string): Quantity[] {
  if (Array.isArray(value))
    return value.length === 0
      ? []
      : [{ pointer, name, measure: 'items', value: value.length, make: (size) => resized(value, size) }];
  return isObject(value)
    ? Object.entries(value).flatMap(([key, item]) =>
        sizesOf(item, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, key),
      )
    : [];
}

/** A text or list of another size, made of itself. */
export function resized(value: Json, size: number): Json | undefined {
  if (!Number.isInteger(size) || size < 1 || size > 5_000) return undefined;
  if (typeof value === 'string') return value.slice(0, size).padEnd(size, value.slice(-1));
  return Array.isArray(value)
    ? Array.from({ length: size }, (_, index) => value[index % value.length] as Json)
    : undefined;
}
