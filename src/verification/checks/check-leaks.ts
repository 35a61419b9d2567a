import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { NEVER_SENT } from '../../lexicon/acting.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { RunnableCase } from '../case-scenarios.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings, Run, SeenCase } from '../check.ts';
import { notAsClosed } from '../prose/closed-answers.ts';
import { denialOf, denialsOf, descriptionsOf, isDenied } from '../prose/denied-members.ts';
import { excerpt } from '../prose/documented-answers.ts';
import { keptFromLogs, leftOutOfLogs } from '../prose/kept-from-logs.ts';
import { breaksEmptiness, breaksReserve, emptyMembersOf, reservedMembersOf } from '../prose/reserved-members.ts';
import { hasWord, type Leaf, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { toldInFull, toldOtherwise } from '../worlds/other-outputs.ts';
import { knowing, replacedAt } from '../worlds/variations.ts';
import { hiddenRecords } from './hidden-records.ts';
import { toldApart } from './told-apart.ts';
import { passedOn, withWordsUnshown } from './withheld-items.ts';

const SECRET =
  /passw|passphrase|\bpwd\b|secret|credential|private|confidential|api_?-?\s?key|access_?-?\s?key|\bpin\b|pin_?code|cvv|\bssn\b|\btoken\b|hash$/i;

/** What only members are called, or said to be: a tool of the house may well be called internal. */
const SECRET_MEMBER =
  /(?<![a-z])internal|[a-z]Internal|staff[_ -]?only|not (?:public|to be (?:told|shown|shared))|never (?:told|shown|shared)|机密|保密|隐私|密码|密钥|身份证|内部|仅供/;

/** Other answers of one tool in one case that are tried for what they bring to light, and of all tools in all cases. */
const [maxOtherAnswers, maxOtherRuns] = [12, 72];

/** Looks for what tools tell and no case's answer tells. */
export const leaks: Check = {
  name: 'leaks',
  reason:
    'Free texts and rare paths are where a record slips into an answer, by mistake or because a document asked for it.',
  certain:
    'An answer holds a value that a tool told, whose name, description or tool speaks of a secret, and that neither the request nor any answer of a case holds; or what the document says is never told, or not with this outcome, or a log line what it says is never logged, or anything else that no answer has where it says what alone is; or a member that the agreement has nowhere, with what a tool told; or items of a kind that the cases and a sentence leave out; or somebody can tell the record of another, or one that a switch hides, from none, though the document has the two answered alike; or an answer has what does not come with its outcome, or another text than the document has for it word for word; or a requester sends what goes to no peer.',
  uncertain: 'Nothing.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const { subject, cases } = facts;
    if (subject.tools.length === 0) return { failures: [], warnings: [], skipped: 'there are no tools' };
    const failing = cases.flatMap(({ scenario, seen }) =>
      [...new Set(seen.calls.map(({ tool }) => tool))].map((tool) => ({
        ...scenario,
        faults: [{ ...outOfOrder(tool), nth: 2 }, ...othersFail(seen, tool)],
      })),
    );
    const alone = cases.flatMap(({ scenario, seen }) =>
      [...new Set(seen.calls.map(({ tool }) => tool))]
        .slice(1)
        .map((tool) => ({ ...scenario, faults: [outOfOrder(tool)] })),
    );
    const plans = [
      ...failing,
      ...alone,
      ...inTurn(cases.map((seenCase) => otherwiseAnswered(facts, seenCase))).slice(0, maxOtherRuns),
      ...askedByWords(facts),
      ...nearlyRight(facts),
      ...withWordsUnshown(facts),
      ...cases.flatMap((seenCase) => toldInFull(subject, seenCase, isKept(subject)) ?? []),
    ];
    const seen = plans.length === 0 ? [] : yield plans;
    const own = plans.map((scenario, index) => ({ scenario, seen: seen[index] as Observation }));
    const found = foundIn(facts, [...cases, ...own], () => true);
    const apart = found.length > 0 ? found : yield* toldApart(facts);
    return { failures: apart.length > 0 ? apart : yield* hiddenRecords(facts), warnings: [] };
  },
  review(facts, runs) {
    // Under other names, or asked for something else, it may be told what no case is.
    return foundIn(facts, runs, (input) => facts.cases.some(({ one }) => equalJson(one.input, input)));
  },
};

/** What slips out in some runs, each once; for some inputs, whatever a tool of secrets tells is one. */
function foundIn(
  facts: CheckFacts,
  runs: readonly Run[],
  isAnyKept: (input: Json) => boolean,
): Omit<CheckFact, 'check'>[] {
  const loose = facts.cases.flatMap(({ one }) => one.loose);
  const found = new Map<string, Omit<CheckFact, 'check'>>();
  for (const { scenario, seen } of runs) {
    if (cleared.has(seen)) continue;
    const { input } = scenario;
    const isAny = isAnyKept(input);
    const rule = brokenReserve(facts, seen);
    const leaks = [
      loggedIn(facts, input, seen),
      rule,
      passedOn(facts, seen),
      madeUpIn(facts, input, seen),
      unagreedIn(facts, seen),
      deniedIn(facts, input, seen, seen.value, ({ output }) => output) ??
        seen.sends
          .map(({ request }) => deniedIn(facts, input, seen, request, ({ case: { request: shown } }) => shown))
          .find(Boolean) ??
        secretIn(facts, { input, loose, isAnyKept: isAny }, seen),
    ];
    if (isAny && leaks.every((what) => what === undefined)) cleared.add(seen);
    for (const what of leaks) {
      if (what === undefined || found.has(what)) continue;
      const testCase = facts.cases.find(({ one }) => equalJson(one.input, input))?.one.testCase;
      found.set(what, {
        code: what === rule ? 'CANDIDATE_RULE_BROKEN' : 'CANDIDATE_LEAK',
        message: `${testCase === undefined ? '' : `case ${testCase}: `}${what}`.slice(0, 500),
        ...(testCase === undefined ? {} : { testCase }),
        input,
        ...(seen.value === undefined ? {} : { got: seen.value }),
      });
    }
  }
  return [...found.values()];
}

/** Observations in which nothing slips out, whatever counts as kept: they need not be looked at again. */
const cleared = new WeakSet<Observation>();

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

/** A member in an answer whose outcome it never comes with, or a text that is not the one for it; what a requester makes of an answer is none. */
function brokenReserve({ subject }: CheckFacts, { value, issues }: Observation): string | undefined {
  if (subject.role === 'requester' || value === undefined || issues.length > 0) return undefined;
  const rule = reservedMembersOf(subject).find((one) => breaksReserve(one, value));
  if (rule) return `the answer has "${rule.member}", though "${rule.sentence}"`;
  const empty = emptyMembersOf(subject).find((one) => breaksEmptiness(one, value));
  return empty
    ? `the answer has "${empty.member}" other than null, though "${empty.sentence}"`
    : notAsClosed(subject, value);
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

/** A log line with the value of a member of which the document says that it is never logged. */
function loggedIn({ subject }: CheckFacts, input: Json, seen: Observation): string | undefined {
  if (seen.logs.length === 0) return undefined;
  const lines = seen.logs.join('\n');
  const answer = JSON.stringify(seen.value ?? null);
  const told: (Leaf & { tool?: string })[] = [
    ...leavesOf(input),
    ...seen.calls.flatMap(({ tool, output }) => leavesOf(output ?? null).map((leaf) => ({ ...leaf, tool }))),
    ...seen.sends.flatMap(({ response }) => leavesOf(response ?? null)),
  ];
  const names = [...new Set(told.map(({ name }) => name))];
  for (const leaf of told) {
    const text = weighty(leaf);
    if (text === undefined || !hasWord(lines, text)) continue;
    // What is told under another name as well may be logged for that.
    if (told.some((other) => other.name !== leaf.name && String(other.value).includes(text))) continue;
    const sentence = keptFromLogs(subject, leaf, names);
    if (sentence !== undefined) return `"${leaf.name}" is logged, though "${excerpt(sentence)}"`;
    // What is told to the peer may go by another word in what is said of the log.
    const list = answer.includes(text) ? undefined : leftOutOfLogs(subject, leaf.name);
    if (list !== undefined) return `"${leaf.name}" is logged, though "${excerpt(list)}"`;
  }
  return undefined;
}

/** An answer that holds what a member of the request or of a tool's answer has, or the end of it, and of which the document says that no answer has it. */
function deniedIn(
  { subject, cases }: CheckFacts,
  input: Json,
  seen: Observation,
  said: Json | undefined,
  shownIn: (one: RunnableCase) => Json,
): string | undefined {
  if (said === undefined || denialsOf(subject).length === 0) return undefined;
  const loose = new Set(subject.loose.flatMap(({ pointer, as }) => (as === 'text' ? [pointer] : [])));
  const isText = ({ pointer, value }: Leaf) => loose.has(pointer) || (typeof value === 'string' && /\s/.test(value));
  // What one case is told of its like, another may be told as well.
  const mayBeTold = (name: string, isOfTexts: boolean) =>
    cases.some(({ one, seen: before }) => {
      const shown = shownIn(one);
      const leaves = leavesOf(shown).filter((leaf) => !isOfTexts || isText(leaf));
      const isTold = (leaf: Leaf) =>
        leaf.name === name &&
        leaves.some(({ value }) =>
          isOfTexts || typeof shown === 'string' ? hasWord(String(value), weighty(leaf) ?? '') : value === leaf.value,
        );
      return (
        leavesOf(one.input).some((leaf) => typeof leaf.value === 'number' && isTold(leaf)) ||
        [one.input, ...before.calls.map((call) => call.output ?? null)]
          .flatMap(leavesOf)
          .some((leaf) => weighty(leaf) !== undefined && isTold(leaf))
      );
    });
  const told = [input, ...seen.calls.map((call) => call.output ?? null)].flatMap(leavesOf);
  const { outputs, requests } = shownBy(cases);
  const before = said === seen.value ? outputs : requests;
  const answer = leavesOf(said);
  const whole = answer.map(({ value }) => String(value)).join('\n');
  for (const leaf of told) {
    const text = weighty(leaf);
    if (text === undefined) continue;
    const piece = whole.includes(text) ? text : lastDigits(text);
    if (piece === undefined || !whole.includes(piece) || before.includes(JSON.stringify(piece).slice(1, -1))) continue;
    const tellsIt = ({ value }: Leaf) =>
      piece === text ? hasWord(String(value), piece) : String(value).includes(piece);
    const telling = answer.filter(tellsIt);
    if (telling.length === 0) continue;
    if (told.some((other) => other.name !== leaf.name && String(other.value).includes(piece))) continue;
    // What no answer has may well be asked with.
    const isMeant = ({ isOfTexts, sentence }: { isOfTexts: boolean; sentence: string }) =>
      (said === seen.value || NEVER_SENT.test(sentence)) && (!isOfTexts || telling.some(isText));
    const denial = denialOf(subject, leaf.name, isMeant);
    if (denial !== undefined && !mayBeTold(leaf.name, denial.isOfTexts))
      return `the ${said === seen.value ? 'answer' : 'request'} tells ${piece === text ? '' : 'the end of '}"${leaf.name}", though "${excerpt(denial.sentence)}"`;
  }
  return undefined;
}

/** The last digits of a long number that is a text: by them it is known as well. */
function lastDigits(text: string): string | undefined {
  return text.length >= 10 ? /\d{6}$/.exec(text)?.[0] : undefined;
}

/** Lets the tools called after one fail, so that the paths behind it come to light. */
function othersFail(seen: Observation, tool: string): NonNullable<Scenario['faults']> {
  const names = [...new Set(seen.calls.map((call) => call.tool))].filter((name) => name !== tool);
  return names.map(outOfOrder);
}

function outOfOrder(tool: string) {
  return { tool, error: { code: 'FAILED' as const, message: 'temporarily out of order' } };
}

/** A secret that a tool told and an answer tells, and no answer of a case. */
function secretIn(
  { subject, cases }: CheckFacts,
  { input, loose, isAnyKept }: { input: Json; loose: RunnableCase['loose']; isAnyKept: boolean },
  seen: Observation,
): string | undefined {
  if (seen.value === undefined) return undefined;
  const known = [JSON.stringify(input), shownBy(cases).outputs, shownBy(cases).responses];
  const made = new Set(loose.filter(({ as }) => as !== 'text').map(({ pointer }) => pointer));
  const answer = leavesOf(seen.value).flatMap(({ pointer, value }) => (made.has(pointer) ? [] : [String(value)]));
  for (const { tool, output } of seen.calls) {
    if (output === undefined) continue;
    const description = subject.tools.find(({ name }) => name === tool)?.description ?? '';
    for (const leaf of leavesOf(output)) {
      const text = weighty(leaf);
      if (
        text === undefined ||
        !((isAnyKept && SECRET.test(description)) || isSecret(subject, tool, leaf.name)) ||
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

/** Whether the name of a member or what its schema says of it speaks of a secret. */
function isSecret({ tools }: CheckFacts['subject'], tool: string, name: string): boolean {
  if (SECRET.test(name) || SECRET_MEMBER.test(name)) return true;
  const said = descriptionsOf(tools.find((one) => one.name === tool)?.outputSchema ?? null, name, 0);
  return said.some((text) => SECRET.test(text) || SECRET_MEMBER.test(text));
}

/** Whether what a tool has under a name is a secret by that, or by the document. */
function isKept(subject: Subject): (tool: string, name: string) => boolean {
  return (tool, name) => isSecret(subject, tool, name) || denialOf(subject, name) !== undefined;
}

/** A case with secrets, in which a tool answers something else at one place: a turned switch, another of a few words, an empty list. */
function otherwiseAnswered({ subject }: CheckFacts, { one, scenario, seen }: SeenCase): Scenario[] {
  if (!hasSecrets(subject, one, seen)) return [];
  return toldOtherwise(subject, { scenario, seen }, maxOtherAnswers);
}

/** The first of each list, then the second of each. */
function inTurn(lists: readonly Scenario[][]): Scenario[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, nth) => lists.flatMap((list) => list.slice(nth, nth + 1))).flat();
}

function hasSecrets(subject: Subject, { input }: RunnableCase, seen: Observation): boolean {
  return leavesOf(input).some((leaf) => isDenied(subject, leaf)) || secretsOf(subject, seen).length > 0;
}

/** What tools told that is a secret by its name, or by the document. */
function secretsOf(subject: Subject, { calls }: Observation): Leaf[] {
  const isOne = isKept(subject);
  return calls.flatMap(({ tool, output }) => leavesOf(output ?? null).filter(({ name }) => isOne(tool, name)));
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
    .filter(({ one, seen }) => hasSecrets(subject, one, seen))
    .slice(0, maxWordCases)
    .flatMap((seenCase) => wordPlacesOf(subject, seenCase));
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
function wordPlacesOf(subject: Subject, seenCase: SeenCase): WordPlace[] {
  const secrets = new Set(secretsOf(subject, seenCase.seen).map(({ value }) => value));
  const texts = leavesOf(seenCase.one.input).flatMap((leaf) => {
    const { pointer, value } = leaf;
    if (typeof value !== 'string' || value.length > maxWordText) return [];
    return [{ seenCase, pointer, value, leaf }];
  });
  return texts
    .slice(0, maxWordPlaces)
    .map(({ leaf, ...place }) => ({ ...place, isSecret: secrets.has(leaf.value) || isDenied(subject, leaf) }));
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
    const secrets = new Set(secretsOf(subject, seenCase.seen).map(({ value }) => value));
    for (const { pointer, value } of wordPlacesOf(subject, seenCase)) {
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
