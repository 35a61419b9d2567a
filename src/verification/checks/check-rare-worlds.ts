import type { Observation, ObservedCall, Scenario } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { answersLineByLine, reportsFailure } from '../failure-answer.ts';
import { looseDifferences } from '../loose-places.ts';
import { comesWith, sentenceOnce } from '../prose/documented-acts.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly } from '../subject.ts';
import { listsOf } from '../worlds/lists.ts';
import { peerWorldsOf, type RareWorld, rareWorldsOf, swapped } from '../worlds/rare-worlds.ts';
import { declines, mayMatter, mayServeRefusals } from './check-side-effects.ts';
import { takesBack } from './owed-undoing.ts';
import { unheededMembers } from './unheeded-members.ts';

const maxRuns = 160;

/** Looks at cases in which a tool or the peer tells, or the request asks, something that no case has: for acts that are wrong whatever the right answer is, and for what never matters. */
export const rareWorlds: Check = {
  name: 'rare-worlds',
  reason: 'What is done twice is often so on a path that no case takes.',
  certain:
    'A tool acts more than once, though the document has it act once and the cases, with lists as long, do; or is asked the very same twice, though it had answered as in a case; or it acts, and the answer is one that a case gives without it, and tells nothing of what all answers with that act tell of it; or it acts as in a case that succeeds, and what it refuses for was known before that; or the source holds numbers that a tool tells in the cases, and nothing that it tells there changes anything.',
  uncertain: 'What a tool or the peer tells, and the document decides or reckons by, changes nothing in any case.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const { subject } = facts;
    const findings: CheckFindings = { failures: [], warnings: [] };
    const worlds = subject.role === 'requester' ? peerWorldsOf(facts, maxRuns) : rareWorldsOf(facts, maxRuns);
    if (worlds.length === 0) return { ...findings, skipped: 'no case is told anything' };
    const seen = yield worlds.map(({ scenario }) => scenario);
    const unheeded = unheededMembers(facts, worlds, seen);
    const byHeart = unheeded.find(({ isByHeart }) => isByHeart);
    if (byHeart) return { ...findings, failures: [byHeart.fact], memorised: true };
    // The rule may hold under a condition that no case meets.
    for (const { fact } of unheeded.slice(0, 1)) findings.warnings.push(fact);
    if (subject.role === 'requester') return findings;
    const acting = subject.tools
      .filter(({ name }) => !isReadOnly(subject, name))
      .map(({ name }) => actOf(facts, name))
      // What is written down in refusals as well is nothing that the answer is about.
      .filter(({ tool, calling }) => !mayServeRefusals(subject, tool) || calling.some(isTold));
    for (const [index, world] of worlds.entries()) {
      const found = acted(facts, acting, world, seen[index] as Observation);
      if (found !== undefined) return { ...findings, failures: [found] };
    }
    return findings;
  },
};

function factOf(world: RareWorld, message: string, seen: Observation): Omit<CheckFact, 'check'> {
  const { testCase } = world.seenCase.one;
  return {
    code: 'CANDIDATE_SIDE_EFFECT',
    message: `case ${testCase}, with ${world.change}: ${message}`.slice(0, 500),
    testCase,
    input: world.scenario.input,
    ...(seen.value === undefined ? {} : { got: seen.value }),
  };
}

/** What document and cases have of a tool with side effects. */
interface Act {
  tool: string;
  /** The sentence by which it acts once. */
  once: string | undefined;
  /** The cases that call it with success. */
  calling: { one: SeenCase; calls: ObservedCall[] }[];
  /** The most items of a list with which a case calls it one time alone. */
  listed: number;
}

function actOf({ subject, cases }: CheckFacts, tool: string): Act {
  const calling = cases.flatMap((one) => {
    const calls = one.seen.calls.filter((call) => call.tool === tool && call.error === undefined);
    return calls.length === 0 ? [] : [{ one, calls }];
  });
  const isSingle = calling.every(({ calls }) => calls.length === 1);
  const lengths = calling.flatMap(({ one, calls }) =>
    calls.some((call) => isForSome(one.one.input, call.input)) ? [] : [longestList(one.one.input, one.seen)],
  );
  return { tool, once: sentenceOnce(subject, tool), calling, listed: isSingle ? Math.max(-1, ...lengths) : -1 };
}

/** Whether the answer of a case tells what a call told. */
function isTold({ one, calls }: Act['calling'][number]): boolean {
  return calls.some((call) => tells(one.one.output, call));
}

/** Whether an answer has a text that a call told. */
function tells(answer: Json, { output = null }: ObservedCall): boolean {
  const told = leavesOf(output).filter(({ value }) => typeof value === 'string' && value.length > 2);
  return leavesOf(answer).some(({ value }) =>
    told.some((leaf) => typeof value === 'string' && hasWord(value, String(leaf.value))),
  );
}

/** Whether a call is for some of what a list of the request holds, and not for all: the others may have had no need of it. */
function isForSome(input: Json, asked: Json): boolean {
  const told = new Set(leavesOf(asked).map(({ value }) => value));
  return listsOf(input).some(({ items }) => {
    const meant = items.filter((item) => leavesOf(item).some(({ value }) => told.has(value)));
    return meant.length > 0 && meant.length < items.length;
  });
}

/** Lines of a request that is a text: each may be a thing of its own. */
function linesOf(input: Json): number {
  return typeof input === 'string' ? input.split('\n').filter((line) => line.trim() !== '').length : 0;
}

function longestList(input: Json, { calls }: Observation): number {
  return Math.max(
    linesOf(input),
    ...[input, ...calls.map(({ output }) => output ?? null)]
      .flatMap((value) => listsOf(value))
      .map(({ items }) => items.length),
  );
}

function acted(
  facts: CheckFacts,
  acting: readonly Act[],
  world: RareWorld,
  seen: Observation,
): Omit<CheckFact, 'check'> | undefined {
  const input = world.scenario.input;
  for (const act of acting) {
    const calls = seen.calls.filter(({ tool, error }) => tool === act.tool && error === undefined);
    const [first, second] = calls;
    if (isTooEarly(facts, act, world, seen))
      return factOf(
        world,
        `it is refused for what was known before ${act.tool} acts, and that acts all the same`,
        seen,
      );
    if (first === undefined || act.calling.length === 0 || act.listed < 0) continue;
    if (second !== undefined && !isCounted(act, calls.length, input, seen)) {
      // Where cases have but one item, each may have its own act.
      const isOneForAll = (act.listed > 1 && linesOf(input) <= 1) || longestList(input, seen) <= 1;
      if (act.once !== undefined && isOneForAll)
        return factOf(world, `${act.tool} acts ${calls.length} times, though "${act.once}"`, seen);
      const isForItems = linesOf(input) > 1 || listsOf(input).some(({ items }) => items.length > 1) || isOfTwins(world);
      if (isOneForAll && !isForItems && equalJson(first.input, second.input) && isUsual(act, first))
        return factOf(world, `${act.tool} is asked the same twice`, seen);
    }
    if (isInVain(facts, act, first, world, seen))
      return factOf(world, `${act.tool} acts, and it is answered as without that`, seen);
  }
  return undefined;
}

/**
 * Whether it was done what the case does, and at most undone again, though the answer is a refusal, what is other than in the case was told or
 * asked before that, and no case acts so where it refuses.
 */
function isTooEarly(facts: CheckFacts, act: Act, world: RareWorld, seen: Observation): boolean {
  const { subject } = facts;
  const { seenCase, told, asked } = world;
  const { calls, value = null, issues } = seen;
  if (answersLineByLine(world.scenario.input, value)) return false;
  const usual = act.calling.find(({ one }) => one === seenCase);
  if (usual === undefined || issues.length > 0 || !isPlain(world, subject.agreement.text)) return false;
  if (reportsFailure(seenCase.one.output) === true) return false;
  // With the answer of the case it acts as that does.
  if (looseDifferences(seenCase.one.output, value, seenCase.one.loose).length === 0) return false;
  if (
    reportsFailure(value) !== true &&
    !isSaidWithoutActs(facts, world, seen) &&
    !(mayMatter(subject, act.tool) && tellsElse(act, world, seen))
  )
    return false;
  // What is told may be what it is to act on.
  const changed = asked ?? (told?.from !== null && typeof told?.from !== 'object' ? told : undefined);
  const isSame = (call: ObservedCall) =>
    call.tool === act.tool &&
    usual.calls.some(
      ({ input }) =>
        equalJson(input, call.input) || (changed && equalJson(swapped(input, changed.from, changed.value), call.input)),
    );
  const at = calls.findIndex(
    (call) => isSame(call) && isUsual(act, call) && !declines(call.output ?? {}) && !tells(value, call),
  );
  // Of several things, one may be refused and another done.
  if (at < 0 || isForSome(world.scenario.input, calls[at]?.input ?? null)) return false;
  if (told && !calls.slice(0, at).some(({ tool }) => tool === told.tool)) return false;
  const isUndone = ({ tool, error }: ObservedCall) =>
    error === undefined && !isReadOnly(subject, tool) && (tool === act.tool || takesBack(subject, tool));
  const endsSo = (list: readonly ObservedCall[], first: number) => list.slice(first + 1).every(isUndone);
  const mayRefuse = act.calling.some(
    ({ one, calls: [own] }) =>
      // What declined has not acted.
      !declines(own?.output ?? {}) &&
      reportsFailure(one.one.output) === true &&
      endsSo(one.seen.calls, one.seen.calls.indexOf(own as ObservedCall)),
  );
  return !mayRefuse && endsSo(calls, at) && !comesWith(subject, value, act.tool);
}

/**
 * Whether an answer tells nothing of an act of which every case with it tells, and has another word than the case, that nobody told, in the place
 * of its outcome.
 */
function tellsElse(
  { tool, calling }: Act,
  { seenCase, told, scenario }: RareWorld,
  { calls, value = null }: Observation,
) {
  const own = calls.find((call) => call.tool === tool && call.error === undefined);
  if (told === undefined || typeof told.value === 'boolean' || own === undefined || !calling.every(isTold))
    return false;
  const known = JSON.stringify([scenario.input, calls.map(({ output = null }) => output)]);
  const usual = new Map<string, Json>(leavesOf(seenCase.one.output).map((leaf) => [leaf.pointer, leaf.value]));
  return (
    !tells(value, own) &&
    leavesOf(value).some((leaf) => {
      const before = usual.get(leaf.pointer);
      const isWord = (one: Json | undefined) => typeof one === 'string' && WORD.test(one);
      return isWord(before) && isWord(leaf.value) && leaf.value !== before && !known.includes(String(leaf.value));
    })
  );
}

/**
 * Whether an answer is one of those that cases have without any act, and never with one: by a word that the run was neither asked nor told, or by
 * what it says anything of.
 */
function isSaidWithoutActs(
  { subject, cases }: CheckFacts,
  { scenario }: RareWorld,
  { calls, value = null }: Observation,
) {
  const known = JSON.stringify([scenario.input, calls.map(({ output = null }) => output)]);
  const isActing = ({ seen }: SeenCase) => seen.calls.some(({ tool }) => !isReadOnly(subject, tool));
  const isOfOthers = (has: (answer: Json) => boolean) => {
    const alike = cases.filter(({ one }) => has(one.output));
    return alike.length > 0 && !alike.some(isActing);
  };
  return (
    wordsOf(value).some((word) => !hasWord(known, word) && isOfOthers((answer) => wordsOf(answer).includes(word))) ||
    (isObject(value) && isOfOthers((answer) => equalJson(saidIn(answer), saidIn(value))))
  );
}

/** The members of an answer that say anything. */
function saidIn(answer: Json): string[] {
  return isObject(answer)
    ? Object.entries(answer)
        .flatMap(([name, value]) => (value === null || value === '' ? [] : [name]))
        .sort()
    : [];
}

/** The members of a message that are one word, or the words of a message that is a text. */
function wordsOf(message: Json): string[] {
  return typeof message === 'string'
    ? (message.match(/[\p{L}_-]{3,}/gu) ?? [])
    : leavesOf(message).flatMap(({ value }) => (typeof value === 'string' && WORD.test(value) ? [value] : []));
}

const WORD = /^[\p{L}_-]{2,40}$/u;

/** Whether what is other than in the case may well be told or asked: no number below zero of which the document says nothing, and no text but a date, a plain word or some digits. */
function isPlain({ told, asked }: RareWorld, document: string): boolean {
  const value = told?.value ?? asked?.value ?? null;
  return typeof value === 'number'
    ? value >= 0 || BELOW_ZERO.test(document)
    : typeof value !== 'string' || /^(?:\d{4}-\d\d-\d\d|[A-Za-z]\w{1,39}$|\d{3,12}$)/.test(value);
}

const BELOW_ZERO =
  /\b(?:below|under|less than|smaller than) (?:zero|0)\b|\bnegative\b|\boverdrawn\b|(?<!\p{L})(?:unter null|negativ\p{L}*|überzogen)(?!\p{L})|负数|小于(?:零|0)/iu;

/** Whether what is other in a world is a list with the same item twice: each may have its own act. */
function isOfTwins({ told }: RareWorld): boolean {
  const items = Array.isArray(told?.value) ? told.value.map((item) => JSON.stringify(item)) : [];
  return new Set(items).size < items.length;
}

/** Whether a number says how often something is done, where it says so in no case that does it one time. */
function isCounted({ calling }: Act, times: number, input: Json, seen: Observation): boolean {
  const has = (asked: Json, { calls }: Observation) =>
    leavesOf([asked, calls.map(({ output }) => output ?? null)]).some(({ value }) => value === times);
  return has(input, seen) && !calling.some(({ one }) => has(one.one.input, one.seen));
}

/** Whether a tool answered as in a case. */
function isUsual({ calling }: Act, { output = null }: ObservedCall): boolean {
  return calling.some(({ calls }) => calls.some((call) => equalJson(call.output ?? null, output)));
}

/** Whether a tool acted as in a case, and the answer is one without that act. */
function isInVain(
  { subject, cases }: CheckFacts,
  act: Act,
  call: ObservedCall,
  { scenario }: RareWorld,
  seen: Observation,
): boolean {
  const { value } = seen;
  if (!isObject(value ?? null) || seen.issues.length > 0 || !isUsual(act, call)) return false;
  // What a later act puts right, or fails at, is no act in vain.
  const later = seen.calls.slice(seen.calls.indexOf(call) + 1);
  if (later.some(({ tool, error }) => error !== undefined || (!isReadOnly(subject, tool) && tool !== act.tool)))
    return false;
  const usual = act.calling.filter(({ calls }) =>
    calls.some((one) => equalJson(one.output ?? null, call.output ?? null)),
  );
  if (tells(value as Json, call) || tells(scenario.input, call)) return false;
  if (!usual.every(({ one }) => tells(one.one.output, call))) return false;
  const isCalling = (one: SeenCase) => act.calling.some((other) => other.one === one);
  const refused = cases.filter(
    (one) => !isCalling(one) && !one.seen.calls.some(({ tool }) => !isReadOnly(subject, tool)),
  );
  // A verdict, as far as it is one of few: a truth value or a word that the cases have there with and without the act, never both ways.
  return Object.entries(value as { [name: string]: Json }).some(([name, verdict]) => {
    if (typeof verdict !== 'boolean' && !(typeof verdict === 'string' && /^[\p{L}_-]{2,30}$/u.test(verdict)))
      return false;
    const hasIt = ({ one }: SeenCase) => isObject(one.output) && one.output[name] === verdict;
    return refused.some(hasIt) && !act.calling.some(({ one }) => hasIt(one));
  });
}
