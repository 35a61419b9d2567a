import type { Observation } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { NEVER_TOLD } from '../../lexicon/acting.ts';
import { CODE_WRITERS } from '../../lexicon/instructing.ts';
import { DECIDING, RECKONING } from '../../lexicon/qualifying.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { CheckFact, CheckFacts, SeenCase } from '../check.ts';
import { sentencesOf, taskSentencesOf } from '../prose/documented-answers.ts';
import { stemsOf } from '../prose/thresholds.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly, type Subject } from '../subject.ts';
import { listsOf } from '../worlds/lists.ts';
import type { RareWorld } from '../worlds/rare-worlds.ts';
import { traceOf } from './check-determinism.ts';

/** Fewer worlds than this do not show that a member never matters. */
const leastWorlds = 3;

interface Told {
  one: SeenCase;
  from: Json;
  value: Json;
  isSame: boolean;
}

/** A member that changes nothing; whether the source holds what it tells in the cases. */
interface Unheeded {
  fact: Omit<CheckFact, 'check'>;
  isByHeart: boolean;
}

/** Least of the numbers that are told, and how many of them, that no source holds by chance. */
const [leastByHeart, manyByHeart] = [20, 2];

/**
 * Members that tools or the peer tell, and that change nothing in any case, whatever they are: those by which the document decides or reckons,
 * and those, `isByHeart`, of which the source holds what the cases tell.
 */
export function unheededMembers(
  { subject, literals }: CheckFacts,
  worlds: readonly RareWorld[],
  seen: readonly Observation[],
): Unheeded[] {
  const members = new Map<string, { tool: string; name: string; runs: Told[] }>();
  for (const [index, { told, seenCase }] of worlds.entries()) {
    const name = told?.pointer.split('/').findLast((token) => !/^\d+$/.test(token));
    if (told === undefined || name === undefined || name === '') continue;
    if (subject.role === 'provider' && !isReadOnly(subject, told.tool)) continue;
    const key = JSON.stringify([told.tool, name]);
    const member = members.get(key) ?? { tool: told.tool, name, runs: [] };
    members.set(key, member);
    const after = seen[index] as Observation;
    member.runs.push({ one: seenCase, ...told, isSame: equalJson(traceOf(seenCase.seen), traceOf(after)) });
  }
  return [...members.values()].flatMap(({ tool, name, runs }): Unheeded[] => {
    const [first] = runs;
    if (first === undefined || runs.length < leastWorlds || runs.some(({ isSame }) => !isSame) || !isTried(runs))
      return [];
    if (mayBeToldTwice(subject, tool, runs)) return [];
    const { one, seen: before } = first.one;
    const where = {
      testCase: one.testCase,
      input: one.input,
      ...(before.value === undefined ? {} : { got: before.value }),
    };
    const held = [...new Set(runs.map(({ from }) => from))].filter(
      (from): from is number =>
        typeof from === 'number' &&
        from >= leastByHeart &&
        literals.numbers.includes(from) &&
        !hasWord(subject.agreement.text, String(from)),
    );
    if (held.length >= manyByHeart)
      return [
        {
          fact: {
            ...where,
            code: 'CANDIDATE_HARD_CODED',
            message: `the source holds ${held.join(' and ')}, which ${tool} tells as "${name}", and nothing that is told there changes anything`,
          },
          isByHeart: true,
        },
      ];
    const isAmount = runs.every(({ from }) => typeof from === 'number' || Array.isArray(from));
    const isText = runs.some(({ from }) => typeof from === 'string');
    const sentence = ruleFor(subject, tool, name, isText ? 'text' : isAmount ? 'amount' : 'switch');
    if (sentence === undefined) return [];
    return [
      {
        fact: {
          ...where,
          code: 'CANDIDATE_RULE_BROKEN',
          message:
            `case ${one.testCase}: nothing that ${tool} tells as "${name}" changes anything, though "${sentence.trim()}"`.slice(
              0,
              500,
            ),
        },
        isByHeart: false,
      },
    ];
  });
}

/** Whether a number was both larger than whatever it may be held against and smaller, and a text is none that was asked for. */
function isTried(runs: readonly Told[]): boolean {
  const numbers = runs.filter(({ from }) => typeof from === 'number');
  const texts = runs.filter(({ from }) => typeof from === 'string');
  const isEcho = ({ one: { one, seen }, from }: Told) =>
    leavesOf([one.input, seen.calls.map(({ input }) => input), seen.sends.map(({ request }) => request)]).some(
      ({ value }) => value === from,
    );
  return (
    (numbers.length === 0 ||
      (numbers.some(({ one, from, value }) => Number(value) > Math.max(Number(from) * 2, largestIn(one))) &&
        numbers.some(({ from, value }) => Number(value) < Number(from)))) &&
    !(texts.length > 0 && texts.every(isEcho))
  );
}

/** The largest number of a case: of what it asks and of what tools or the peer tell in it. */
function largestIn({ one: { input }, seen }: SeenCase): number {
  const told = [...seen.calls.map(({ output = null }) => output), ...seen.sends.map(({ response = null }) => response)];
  return leavesOf([input, told]).reduce(
    (most, { value }) => (typeof value === 'number' ? Math.max(most, value) : most),
    0,
  );
}

/** Whether another member may say the same: a list its own number of items, one that may be missing or null a switch or state. */
function mayBeToldTwice({ role, responseSchema, tools }: Subject, tool: string, runs: readonly Told[]): boolean {
  const schema = role === 'requester' ? responseSchema : tools.find(({ name }) => name === tool)?.outputSchema;
  const isCount = runs.every(({ one: { seen }, from }) => {
    const lists = [...seen.calls.map(({ output }) => output), ...seen.sends.map(({ response }) => response)].flatMap(
      (told) => (told === undefined ? [] : listsOf(told)),
    );
    return typeof from === 'number' && lists.some(({ items }) => items.length === from);
  });
  const isSwitch = runs.some(({ from }) => typeof from === 'boolean' || typeof from === 'string');
  return isCount || (isSwitch && mayLack(schema ?? null));
}

/** Whether a schema has members that may be missing, or null. */
function mayLack(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(mayLack);
  if (!isObject(schema)) return false;
  const { properties, required, items = null, anyOf = null, oneOf = null } = schema;
  const members = isObject(properties) ? Object.entries(properties) : [];
  const must = Array.isArray(required) ? required : [];
  return (
    members.some(
      ([name, member]) => !must.includes(name) || (isObject(member) && [member.type ?? null].flat().includes('null')),
    ) || [items, anyOf, oneOf, ...members.map(([, member]) => member)].some(mayLack)
  );
}

/** Signs by which a sentence compares or reckons. */
const COMPARES = /[<>≤≥×÷]|(?<=[\p{L}\p{N}] )[=*](?= )/u;

/** A sentence that decides by a member that is no text, by a name that is no other word or beside that of the tool, or reckons with an amount. */
function ruleFor(subject: Subject, tool: string, name: string, kind: 'text' | 'amount' | 'switch'): string | undefined {
  const { agreement, tools } = subject;
  const isCode =
    stemsOf(name).length > 1 ||
    /\p{Ll}\p{Lu}|_/u.test(name) ||
    agreement.text.includes(`\`${name}\``) ||
    hasWord(agreement.text, `.${name}`);
  const own = (tools.find((each) => each.name === tool)?.description ?? '')
    .split(/[.;。；]/)
    .find((sentence) => hasWord(sentence, name) && DECIDING.test(sentence));
  if (own !== undefined && kind === 'switch') return own;
  return [...sentencesOf(agreement), ...taskSentencesOf(subject)].find((sentence) => {
    const isNamed = hasWord(sentence, name);
    // A text may as well be what the rule hands on.
    if (kind === 'text' || !(isNamed || isParaphrased(sentence, name))) return false;
    if (NEVER_TOLD.test(sentence) || CODE_WRITERS.test(sentence)) return false;
    if (isNamed && COMPARES.test(sentence)) return true;
    // A cell with the name alone begins a row about the member, not about what is done.
    const [, cell = ''] = /^\s*\|([^|]*)\|/.exec(sentence) ?? [];
    const isRow = hasWord(cell, name) && /\p{L}/u.test(cell.replaceAll(name, ''));
    return (
      (kind === 'switch' && isRow) ||
      (kind === 'amount' && RECKONING.test(sentence)) ||
      ((isCode || hasWord(sentence, tool)) && DECIDING.test(sentence))
    );
  });
}

/** Whether a sentence has all words of a name made of several. */
function isParaphrased(sentence: string, name: string): boolean {
  const stems = stemsOf(name);
  const words = sentence.toLowerCase().match(/\p{L}+/gu) ?? [];
  return (
    stems.length > 1 && stems.every((stem) => stem.length >= leastStem && words.some((word) => word.startsWith(stem)))
  );
}

/** Shorter words are part of too many others. */
const leastStem = 4;
