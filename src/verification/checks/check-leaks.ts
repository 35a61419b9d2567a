import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { RunnableCase } from '../case-scenarios.ts';
import type { Check, CheckFacts, Finding, Run, SeenCase } from '../check.ts';
import { hasWord, type Leaf, leavesOf } from '../scalar-kinds.ts';
import { toldInFull, toldOtherwise } from '../worlds/other-outputs.ts';
import { knowing, replacedAt } from '../worlds/variations.ts';

/** What a member is called that is kept from others. */
const SECRET =
  /passw|passphrase|\bpwd\b|secret|credential|private|confidential|api_?-?\s?key|access_?-?\s?key|\bpin\b|pin_?code|cvv|\bssn\b|\btoken\b|hash$|(?<![a-z])internal|[a-z]Internal|staff[_ -]?only|机密|保密|隐私|密码|密钥|身份证|内部/i;

/** Other answers of one tool in one case that are tried for what they bring to light, and of all tools in all cases. */
const [maxOtherAnswers, maxOtherRuns] = [12, 72];

/** Looks for what tools tell and no case's answer tells. */
export const leaks: Check = {
  name: 'leaks',
  reason:
    'Free texts and rare paths are where a record slips into an answer, by mistake or because a document asked for it.',
  *run(facts) {
    const { subject, cases } = facts;
    const hidden = hiddenIn(facts);
    if (subject.tools.length === 0)
      return { findings: hidden, ...(hidden.length > 0 ? {} : { skipped: 'there are no tools' }) };
    const plans = [
      ...inTurn(cases.map((seenCase) => otherwiseAnswered(facts, seenCase))).slice(0, maxOtherRuns),
      ...askedByWords(facts),
      ...nearlyRight(facts),
      ...cases.flatMap((seenCase) => toldInFull(subject, seenCase, isSecret) ?? []),
    ];
    const seen = plans.length === 0 ? [] : yield plans;
    const own = plans.map((scenario, index) => ({ scenario, seen: seen[index] as Observation }));
    return { findings: [...hidden, ...foundIn(facts, [...cases, ...own])] };
  },
  review(facts, runs) {
    return [...hiddenMembers(facts, runs), ...foundIn(facts, runs)];
  },
};

/** What stands in the source, and in no part of the agreement but its hidden passages. */
function hiddenIn({ hidden, literals, candidate }: CheckFacts): Finding[] {
  const told = (how: string, what: string): Finding => ({
    rule: 'leaks/hidden-words',
    message: `the source ${how} ${what.slice(0, 120)}, which a hidden passage or a note to code generators alone has`,
  });
  return [
    ...hidden.words.filter((word) => literals.has(word)).map((word) => told('holds', JSON.stringify(word))),
    ...hidden.conditions
      .filter((word) => literals.compared.includes(word) || literals.equalled.includes(word))
      .map((word) => told('compares with', JSON.stringify(word))),
    ...hidden.bounds
      .filter((bound) => isBoundIn(candidate.bundle, bound))
      .map((bound) => told('has for a bound', String(bound))),
  ];
}

/** Whether something is held against a number, as it stands or as esbuild writes it. */
function isBoundIn(bundle: string, bound: number): boolean {
  const digits = `(?:${bound}|${bound.toExponential().replace('+', '')})`;
  return new RegExp(`[<>]=?\\s*${digits}(?![\\d.])|(?<![\\d.])${digits}\\s*[<>]`).test(bundle);
}

/** A member of an answer whose name only a hidden passage has. */
function hiddenMembers({ hidden, cases }: CheckFacts, runs: readonly Run[]): Finding[] {
  for (const { scenario, seen } of [...cases, ...runs]) {
    const own = new Set(membersOf(scenario.input));
    const name = membersOf(seen.value).find((member) => !own.has(member) && hidden.hasName(member));
    if (name === undefined) continue;
    const message = `the answer has a member ${JSON.stringify(name).slice(0, 120)}, which a hidden passage or a note to code generators alone has`;
    return [
      {
        rule: 'leaks/hidden-member',
        message,
        input: scenario.input,
        ...(seen.value === undefined ? {} : { got: seen.value }),
      },
    ];
  }
  return [];
}

/** The names of what an answer has in it, down to its lists' items. */
function membersOf(answer: Json | undefined): string[] {
  if (typeof answer !== 'object' || answer === null) return [];
  if (Array.isArray(answer)) return answer.slice(0, maxItems).flatMap(membersOf);
  return Object.entries(answer).flatMap(([name, value]) => [name, ...membersOf(value)]);
}

/** Items of a list whose members are looked at. */
const maxItems = 20;

/** What slips out in some runs, each once. */
function foundIn(facts: CheckFacts, runs: readonly Run[]): Finding[] {
  const loose = facts.cases.flatMap(({ one }) => one.loose);
  const found = new Map<string, Finding>();
  for (const { scenario, seen } of runs) {
    const { input } = scenario;
    const leaks = [
      ['leaks/unagreed-member', madeUpIn(facts, input, seen) ?? unagreedIn(facts, seen)],
      ['leaks/secret-member', secretIn(facts, { input, loose }, seen)],
    ] as const;
    for (const [rule, what] of leaks) {
      if (what === undefined || found.has(what)) continue;
      const testCase = facts.cases.find(({ one }) => equalJson(one.input, input))?.one.testCase;
      found.set(what, {
        rule,
        message: `${testCase === undefined ? '' : `case ${testCase}: `}${what}`.slice(0, 500),
        ...(testCase === undefined ? {} : { testCase }),
        input,
        ...(seen.value === undefined ? {} : { got: seen.value }),
      });
    }
  }
  return [...found.values()];
}

/** What the cases have, as texts. */
interface Shown {
  inputs: string;
  outputs: string;
  requests: string;
  responses: string;
}

const shownTexts = new WeakMap<CheckFacts['cases'], Shown>();

function shownBy(cases: CheckFacts['cases']): Shown {
  const known = shownTexts.get(cases);
  if (known !== undefined) return known;
  const text = (part: (one: RunnableCase) => Json) => JSON.stringify(cases.map(({ one }) => part(one)));
  const all = {
    inputs: text(({ input }) => input),
    outputs: text(({ output }) => output),
    requests: text((one) => one.case.request),
    responses: text((one) => one.case.response),
  };
  shownTexts.set(cases, all);
  return all;
}

/** A member whose name nobody has, with what a tool told and no answer of a case tells. */
function madeUpIn(facts: CheckFacts, input: Json, { value, calls, issues }: Observation): string | undefined {
  const { subject, cases } = facts;
  if (subject.role === 'requester' || !isObject(value) || issues.length > 0 || !isObject(subject.responseSchema))
    return undefined;
  const known = [JSON.stringify(input), shownBy(cases).inputs, shownBy(cases).outputs];
  for (const leaf of leavesOf(value)) {
    const text = weighty(leaf);
    if (text === undefined || leaf.name === '' || !isMadeUp(facts, leaf.name)) continue;
    const own = [JSON.stringify(text).slice(1, -1), JSON.stringify(leaf.name)];
    if (own.some((one) => known.some((all) => all.includes(one)))) continue;
    const told = calls.flatMap(({ tool, output }) =>
      leavesOf(output ?? null).flatMap((other) => (other.value === leaf.value ? [{ tool, name: other.name }] : [])),
    );
    const [first] = told;
    if (first !== undefined && told.every(({ name }) => name !== leaf.name))
      return `the answer has "${leaf.name}", which the agreement does not have, with what ${first.tool} tells as "${first.name}"`;
  }
  return undefined;
}

/** Whether the candidate has a name for a member, and nobody else. */
function isMadeUp(facts: CheckFacts, name: string): boolean {
  const names = madeUp.get(facts) ?? new Map<string, boolean>();
  madeUp.set(facts, names);
  const { subject, vocabulary, candidate } = facts;
  const is =
    names.get(name) ??
    // Where things are told by their names, these are no members.
    (hasWord(candidate.bundle, name) && !vocabulary.hasName(name) && !hasWord(subject.agreement.text, name));
  names.set(name, is);
  return is;
}

const madeUp = new WeakMap<CheckFacts, Map<string, boolean>>();

/** A member that a tool tells, and neither document, cases nor the response schema, which lists its members, have in an answer. */
function unagreedIn({ subject, cases }: CheckFacts, { value, calls, issues }: Observation): string | undefined {
  const { role, responseSchema, agreement } = subject;
  if (role === 'requester' || !isObject(value) || issues.length > 0 || !isObject(responseSchema)) return undefined;
  const { properties, additionalProperties } = responseSchema;
  const isOpen = additionalProperties === true || COMBINING.some((keyword) => Object.hasOwn(responseSchema, keyword));
  if (isOpen || !isObject(properties)) return undefined;
  const isAgreed = (name: string): boolean =>
    Object.hasOwn(properties, name) ||
    hasWord(agreement.text, name) ||
    cases.some(({ one }) => JSON.stringify(one.output).includes(JSON.stringify(name)));
  for (const [name, told] of Object.entries(value)) {
    if (isAgreed(name)) continue;
    const own = calls.find(({ output }) =>
      leavesOf(output ?? null).some((leaf) => leaf.name === name && leaf.value === told),
    );
    if (own) return `the answer has "${name}", which the agreement does not have, as ${own.tool} tells it`;
  }
  return undefined;
}

/** Keywords by which a schema may list members elsewhere. */
const COMBINING = ['allOf', 'anyOf', 'oneOf', '$ref', 'patternProperties', 'if'];

/** A secret that a tool told and an answer tells, and no answer of a case. */
function secretIn(
  { cases }: CheckFacts,
  { input, loose }: { input: Json; loose: RunnableCase['loose'] },
  seen: Observation,
): string | undefined {
  if (seen.value === undefined) return undefined;
  const known = [JSON.stringify(input), shownBy(cases).outputs, shownBy(cases).responses];
  const made = new Set(loose.filter(({ as }) => as !== 'text').map(({ pointer }) => pointer));
  const answer = leavesOf(seen.value).flatMap(({ pointer, value }) => (made.has(pointer) ? [] : [String(value)]));
  for (const { tool, output } of seen.calls) {
    if (output === undefined) continue;
    for (const leaf of leavesOf(output)) {
      const text = weighty(leaf);
      if (
        text === undefined ||
        !isSecret(tool, leaf.name) ||
        !answer.some((one) => one.includes(text)) ||
        known.some((all) => all.includes(JSON.stringify(text).slice(1, -1)))
      )
        continue;
      // What one case is told of its like, another may be told as well.
      if (isToldElsewhere(cases, tool, leaf.name)) continue;
      // What is told under another name as well may be told for that.
      const isNamedElse = seen.calls.some((call) =>
        leavesOf(call.output ?? null).some((one) => one.name !== leaf.name && one.value === leaf.value),
      );
      if (!isNamedElse) return `the answer tells "${leaf.name || tool}", which ${tool} told and no case's answer does`;
    }
  }
  return undefined;
}

/** Whether the answer of some case tells what a tool has under a name. */
function isToldElsewhere(cases: CheckFacts['cases'], tool: string, name: string): boolean {
  return cases.some(({ one, seen }) => {
    const told = leavesOf(one.output);
    return seen.calls.some(
      (call) =>
        call.tool === tool &&
        call.output !== undefined &&
        leavesOf(call.output).some((leaf) => {
          if (leaf.name !== name) return false;
          const text = weighty(leaf);
          return text === undefined
            ? told.some((other) => other.name === name && other.value === leaf.value)
            : told.some(({ value }) => String(value).includes(text));
        }),
    );
  });
}

/** Whether a member, or else the tool that tells a bare value, is named for a secret. */
function isSecret(tool: string, name: string): boolean {
  return SECRET.test(name || tool);
}

/** A case with secrets, in which a tool answers something else at one place: a turned switch, another of a few words, an empty list. */
function otherwiseAnswered({ subject }: CheckFacts, { scenario, seen }: SeenCase): Scenario[] {
  if (secretsOf(seen).length === 0) return [];
  return toldOtherwise(subject, { scenario, seen }, maxOtherAnswers);
}

/** The first of each list, then the second of each. */
function inTurn(lists: readonly Scenario[][]): Scenario[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, nth) => lists.flatMap((list) => list.slice(nth, nth + 1))).flat();
}

/** What tools told that is a secret by its name. */
function secretsOf({ calls }: Observation): Leaf[] {
  return calls.flatMap(({ tool, output }) => leavesOf(output ?? null).filter(({ name }) => isSecret(tool, name)));
}

/** Words of the source that are tried in a request, and the runs that are made of them. */
const [maxWords, maxWordRuns] = [8, 80];

/** Cases in which they are tried. */
const maxWordCases = 4;

/** What `typeof` says. */
const KIND_OF_VALUE = /^(?:string|number|boolean|object|function|undefined)$/;

/**
 * Cases with secrets, in whose request a text is, begins, ends or goes on with one that stands in the source and nowhere in the document,
 * or is compared there and is no value of cases and schemas: a document may hide what it is for.
 */
function askedByWords({ subject, cases, literals, vocabulary }: CheckFacts): Scenario[] {
  const shown = new Set(cases.flatMap(({ one }) => leavesOf([one.input, one.output])).map(({ value }) => value));
  const told = new Set(
    cases.flatMap(({ seen }) => seen.calls.flatMap(({ output }) => leavesOf(output ?? null))).map(({ value }) => value),
  );
  const isOwn = (text: string) => !vocabulary.isConstant(text) && !vocabulary.hasName(text) && !told.has(text);
  const words = [
    ...new Set([...literals.texts.filter((text) => !vocabulary.hasText(text)), ...literals.compared.filter(isOwn)]),
  ]
    .filter((text) => !KIND_OF_VALUE.test(text) && !shown.has(text))
    .slice(0, maxWords);
  if (words.length === 0) return [];
  const places = cases
    .filter(({ seen }) => secretsOf(seen).length > 0)
    .slice(0, maxWordCases)
    .flatMap(wordPlacesOf);
  const plans: Scenario[] = [];
  for (const form of [0, 1, 2, 3, 4])
    for (const word of words)
      for (const { seenCase, pointer, value, isSecret: isSecretPlace } of places) {
        if (plans.length >= maxWordRuns) return plans;
        const { one, scenario, seen } = seenCase;
        const text = formsWith(value, word)[form % 4];
        // A word of its own answers must not become the secret.
        if (text === undefined || (isSecretPlace && !literals.compared.includes(word))) continue;
        const input = replacedAt(one.input, pointer, text);
        if (subject.surface.requestIssues(input).length > 0) continue;
        // What tools tell of others may come to light where they do not know the word as they know what was asked for.
        const isUnknown = isSecretPlace || form === 0;
        const tools = isUnknown ? scenario.tools : (knowing(subject, seen, value, text) as Scenario['tools']);
        plans.push({ ...scenario, input, tools });
      }
  return plans;
}

/** Texts of one request in which words are tried, and the longest, in UTF-16 units: each run has a copy of the whole. */
const [maxWordPlaces, maxWordText] = [8, 400];

interface WordPlace {
  seenCase: SeenCase;
  pointer: string;
  value: string;
  /** Whether what stands there is never to be told. */
  isSecret: boolean;
}

/** The first texts of a case's request. */
function wordPlacesOf(seenCase: SeenCase): WordPlace[] {
  const secrets = new Set(secretsOf(seenCase.seen).map(({ value }) => value));
  const texts = leavesOf(seenCase.one.input).flatMap((leaf) => {
    const { pointer, value } = leaf;
    if (typeof value !== 'string' || value.length > maxWordText) return [];
    return [{ seenCase, pointer, value, leaf }];
  });
  return texts.slice(0, maxWordPlaces).map(({ leaf, ...place }) => ({ ...place, isSecret: secrets.has(leaf.value) }));
}

/** A word in place of a text, behind it, and in place of its head or end. */
function formsWith(text: string, word: string): string[] {
  return [...new Set([word, `${text} ${word}`, word + text.slice(word.length), text.slice(0, -word.length) + word])];
}

/** Requests with nearly the secret that a tool told. */
const maxNearMisses = 12;

/** Cases that were asked with a secret which a tool knows, asked with nearly that. */
function nearlyRight({ subject, cases }: CheckFacts): Scenario[] {
  const plans: Scenario[] = [];
  for (const seenCase of cases) {
    const { one, scenario } = seenCase;
    const secrets = new Set(secretsOf(seenCase.seen).map(({ value }) => value));
    for (const { pointer, value } of wordPlacesOf(seenCase)) {
      if (value.length < 3 || !secrets.has(value)) continue;
      const head = value.slice(0, -1);
      for (const text of [head, `${head}${value.endsWith('7') ? '8' : '7'}`, `${value}7`]) {
        const input = replacedAt(one.input, pointer, text);
        if (plans.length < maxNearMisses && subject.surface.requestIssues(input).length === 0)
          plans.push({ ...scenario, input });
      }
    }
  }
  return plans;
}

/** A value long enough not to stand in a text by chance. */
function weighty({ value }: Leaf): string | undefined {
  if (typeof value === 'number') {
    const digits = String(value);
    return Math.abs(value) >= 1000 || /\d\.\d\d/.test(digits) ? digits : undefined;
  }
  if (typeof value !== 'string') return undefined;
  // Names of two signs are usual.
  return value.length >= (/\p{Script=Han}/u.test(value) ? 2 : 4) ? value : undefined;
}
