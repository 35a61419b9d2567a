import type { Observation, ObservedCall, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { PUTS_RIGHT } from '../../lexicon/acting.ts';
import { FAILS, NEVER_REPEATED, NO_MATTER, NOT_DONE_AGAIN, ONE_TRY, READING } from '../../lexicon/failing.ts';
import { KEPT_SECRET } from '../../lexicon/instructing.ts';
import { ONCE } from '../../lexicon/quantifying.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { answersLineByLine, reportsFailure } from '../failure-answer.ts';
import {
  comesWith,
  type Denial,
  forbiddenBy,
  isRefusalCode,
  onlyAfterChecks,
  speaksOf,
} from '../prose/documented-acts.ts';
import { excerpt, sentencesOf } from '../prose/documented-answers.ts';
import { isStepBefore } from '../prose/documented-steps.ts';
import { sentencesOnFailureOf } from '../prose/failure-names.ts';
import { failureRulesOf, hasFailureRepeated } from '../prose/failure-rules.ts';
import { stopsAfter } from '../prose/stops-after.ts';
import { hasWord, type Leaf, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly } from '../subject.ts';
import { replacedAt } from '../worlds/variations.ts';
import { faultMessage } from './check-failing-tools.ts';
import { takesBack, verbOfUndoing } from './owed-undoing.ts';

/** Looks at the tools with side effects: never in a refusal, never again after a failure. */
export const sideEffects: Check = {
  name: 'side-effects',
  reason: 'Who refuses a request must not have acted on it, and who acts must do so once.',
  certain:
    'A case is refused, yet a tool with side effects was called with success before a check that only reads, or with the same kind of answer as in a case that succeeds, and whatever else of that kind it answers changes nothing; or the answer is one with which the document has nothing of that kind done; or is called there and the answer is the same whether it succeeds or not; or a tool with side effects that fails or times out is called again although the document says nothing of trying again, or only of look-ups or of other tools, nor it or a case of going on with something else, or for whatever else although the document has all stop then; or what was done before another act failed is not undone, though the document has it undone and a tool has an example for this case.',
  uncertain: 'Nothing.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const { subject, cases } = facts;
    const findings: CheckFindings = { failures: [], warnings: [] };
    if (!cases.some(({ seen }) => actsOf(facts, seen).length > 0)) {
      return { ...findings, skipped: 'no case calls a tool with side effects' };
    }
    const needless: { one: SeenCase; fact: Omit<CheckFact, 'check'>; others: Scenario[] }[] = [];
    for (const one of cases) {
      if (answersLineByLine(one.one.input, one.one.output)) continue;
      const isRefused = refuses(subject, one) === true || saysWhy(one, cases);
      for (const act of actsOf(facts, one.seen)) {
        const isWanted =
          comesWith(subject, one.one.output, act.tool) ||
          belongsToRefusal(facts, one, act) ||
          isStepBefore(subject, act.tool, one.one.output);
        const sentence =
          (isAnsweredUnlike(facts, act) ? undefined : sentenceAgainst(facts, one, act.tool)) ??
          (isWanted ? undefined : keptBackAgainst(facts, one, act));
        if (sentence === undefined && (isWanted || !isRefused || mayServeRefusals(subject, act.tool))) continue;
        if (sentence === undefined && undoes(facts, one, act)) continue;
        if (!isNeedless(facts, one, act, sentence !== undefined)) continue;
        const what = sentence === undefined ? 'it is refused' : `the document has "${sentence}"`;
        const fact = sideEffectFact(
          one,
          `${what}, yet ${act.tool} was called with ${JSON.stringify(act.input).slice(0, 200)}`,
        );
        needless.push({ one, fact, others: answeredOtherwise(facts, one, act) });
      }
    }
    for (const one of cases) {
      const undoing = leftUndone(facts, one);
      if (undoing !== undefined)
        findings.failures.push(
          sideEffectFact(
            one,
            `it is refused after ${undoing.act}, and ${undoing.tool} is not called, though "${undoing.sentence}"`,
          ),
        );
    }
    // Undoing may be tried again; what a refusal undoes is no second act.
    const plans = cases
      .filter((one) => refuses(subject, one) !== true)
      .flatMap((one) =>
        [...new Set(actsOf(facts, one.seen).map(({ tool }) => tool))].flatMap((tool) =>
          (['FAILED', 'TIMEOUT'] as const).map((code) => ({
            one,
            tool,
            code,
            scenario: { ...one.scenario, faults: [{ tool, nth: 1, error: { code, message: faultMessage } }] },
          })),
        ),
      );
    const tried = cases.flatMap((one) => triedInVain(facts, one));
    const asked = needless.flatMap(({ others }) => others);
    const all = [...[...plans, ...tried].map(({ scenario }) => scenario), ...asked];
    const seen = all.length === 0 ? [] : yield all;
    let at = plans.length + tried.length;
    for (const { one, fact, others } of needless) {
      const own = seen.slice(at, at + others.length);
      at += others.length;
      // A call whose answer decides was asked for that answer, whatever else it does.
      if (own.every((after) => equalJson(effectOf(after), effectOf(one.seen)))) findings.failures.push(fact);
    }
    for (const [index, { one, tool, code }] of plans.entries()) {
      const observation = seen[index] as Observation;
      // Who tries again does so after either failure, or because this one may have done nothing.
      if (code === 'TIMEOUT' && findings.failures.some(({ testCase }) => testCase === one.one.testCase)) continue;
      const own = observation.calls.filter((call) => call.tool === tool);
      const stop = own.length > 1 && own[0]?.error !== undefined ? stopsAfter(subject, tool) : undefined;
      if (stop !== undefined) {
        findings.failures.push(
          sideEffectFact(one, `${tool} failed once and was called after that, though "${excerpt(stop)}"`),
        );
        continue;
      }
      const usual = one.seen.calls.filter((call) => call.tool === tool);
      if (own.length <= usual.length) continue;
      const mayGoOn =
        !repeats(observation, one.seen, tool) &&
        (PUTS_RIGHT.test(subject.agreement.text) || cases.some((other) => goesOn(other.seen, tool)));
      const mayRetry = mayBeRetried(subject, tool);
      // What is forbidden after one failure may be allowed after another.
      if (mayRetry && code === 'TIMEOUT') continue;
      // What may be done again of one tool may be forbidden of another.
      const isForbidden =
        sentencesOnFailureOf(subject, tool).some((sentence) => NEVER_REPEATED.test(sentence)) ||
        isToBeDoneOnce(subject, tool);
      if ((mayRetry && !isForbidden) || mayGoOn) continue;
      findings.failures.push(
        sideEffectFact(one, `${tool} failed once and was called ${own.length} times instead of ${usual.length}`),
      );
    }
    for (const [index, { one, tool }] of tried.entries()) {
      const observation = seen[plans.length + index] as Observation;
      const acts = actsOf(facts, observation);
      if (acts.length !== 1 || acts[0]?.tool !== tool || !equalJson(observation.value ?? null, one.seen.value ?? null))
        continue;
      const sentence = sentenceAgainst(facts, one, tool);
      const isRefused = refuses(subject, one) === true && !comesWith(subject, one.one.output, tool);
      // Behind an act that succeeded, something else may have gone wrong.
      const isLast = observation.calls.at(-1)?.tool === tool;
      const matters = () =>
        plans.some((plan) => plan.tool === tool) &&
        plans.every(
          (plan, at) => plan.tool !== tool || !equalJson(seen[at]?.value ?? null, plan.one.seen.value ?? null),
        );
      if (!isRefused && sentence === undefined && !(isLast && (isUntold(facts, one, tool) || matters()))) continue;
      const what =
        sentence !== undefined
          ? `the document has "${sentence}" and it is answered so`
          : isRefused
            ? 'it is refused'
            : 'the answer is the same';
      findings.failures.push(sideEffectFact(one, `${what} whether ${tool} succeeds or not, and calls it`));
    }
    return findings;
  },
  review(facts, runs) {
    for (const { scenario, seen } of runs) {
      const left = leftAsInCase(facts, scenario, seen);
      if (left !== undefined)
        return [
          {
            code: 'CANDIDATE_SIDE_EFFECT',
            message:
              `${left.act} acted and a later act failed, and ${left.tool} is not called, though case ${left.testCase} has it with this answer and "${left.sentence}"`.slice(
                0,
                500,
              ),
            input: scenario.input,
            ...(seen.value === undefined ? {} : { got: seen.value }),
          },
        ];
    }
    return [];
  },
};

/** Whether the document lets a tool that acts be tried again: some sentence does that speaks neither of reading alone nor of another tool alone. */
function mayBeRetried({ agreement, tools }: CheckFacts['subject'], tool: string): boolean {
  return failureRulesOf(agreement.text).retries.some((sentence) => {
    if (speaksOf(sentence, tool)) return true;
    if (OF_UNDOING.test(sentence) && !takesBack({ tools }, tool)) return false;
    return !READING.test(sentence) && !tools.some(({ name }) => name !== tool && speaksOf(sentence, name));
  });
}

/** Tools called by what they undo. */
const OF_UNDOING = /\b(?:undoing|compensating|releasing|cancelling|clean-?up) (?:tools?|calls?|steps?|acts?)\b/i;

/** Whether the sentences that name a tool, and no other, have it done once, and none of them, nor the ones behind, more often. */
function isToBeDoneOnce({ agreement, tools }: CheckFacts['subject'], tool: string): boolean {
  const sentences = sentencesOf(agreement);
  const isOfOthers = (sentence: string) => tools.some(({ name }) => name !== tool && speaksOf(sentence, name));
  const isOwn = (sentence: string) => hasWord(sentence, tool) && !isOfOthers(sentence);
  const goesOn = (at: number) => [sentences[at + 1] ?? ''].filter((next) => !isOfOthers(next));
  return (
    sentences.some(
      (one) =>
        (isOwn(one) && (NEVER_REPEATED.test(one) || ONCE.test(one))) ||
        (speaksOf(one, tool) && NOT_DONE_AGAIN.test(one)) ||
        (ONE_TRY.test(one) && !isOfOthers(one)),
    ) && !sentences.some((one, at) => speaksOf(one, tool) && [one, ...goesOn(at)].some(hasFailureRepeated))
  );
}

/** Whether a tool that failed was asked the same again, more often than where it did not fail. */
function repeats(after: Observation, before: Observation, tool: string): boolean {
  const failed = after.calls.find((call) => call.tool === tool && call.error !== undefined);
  const count = ({ calls }: Observation) =>
    calls.filter((call) => call.tool === tool && equalJson(call.input, failed?.input ?? null)).length;
  return failed !== undefined && count(after) > count(before);
}

/** Whether a case has a tool fail and then answer to something else. */
function goesOn({ calls }: Observation, tool: string): boolean {
  const own = calls.filter((call) => call.tool === tool);
  return own.some(
    ({ error, input }, index) =>
      error !== undefined &&
      own.slice(index + 1).some((later) => later.output !== undefined && !equalJson(later.input, input)),
  );
}

/** Whether a tool told nothing at all where it tells something in a case that succeeds: it declined, and that is what the answer is for. */
function isAnsweredUnlike({ subject, cases }: CheckFacts, { tool, output = null }: ObservedCall): boolean {
  const isNothing = (value: Json) => leavesOf(value).every((leaf) => leaf.value === null);
  const usual = cases.flatMap((one) =>
    refuses(subject, one) === true
      ? []
      : one.seen.calls.filter((call) => call.tool === tool && call.output !== undefined),
  );
  return isNothing(output) && usual.length > 0 && !usual.some((call) => isNothing(call.output ?? null));
}

/** The sentence of the document by which a tool must not be called in a case with this answer. */
function sentenceAgainst(facts: CheckFacts, { one }: SeenCase, tool: string): string | undefined {
  const denial = forbiddenBy(facts.subject, one, tool);
  return denial && isDenied(facts, denial, tool) ? denial.sentence : undefined;
}

/** The sentence by which a tool acts once all is checked, where one was asked behind it that only reads, and the answer has nothing in the place in which all others tell what the act told. */
function keptBackAgainst(facts: CheckFacts, one: SeenCase, act: ObservedCall): string | undefined {
  const { calls } = one.seen;
  const isLast = !calls.slice(calls.indexOf(act) + 1).some(({ tool }) => isReadOnly(facts.subject, tool));
  if (isLast || mayServeRefusals(facts.subject, act.tool) || !isUntold(facts, one, act.tool)) return undefined;
  return onlyAfterChecks(facts.subject, act.tool);
}

/** Whether a denial means a tool: one of any change means those alone that some case calls where it is not denied. */
function isDenied({ subject, cases }: CheckFacts, { isGeneral }: Denial, tool: string): boolean {
  if (!isGeneral) return true;
  return (
    !mayServeRefusals(subject, tool) &&
    cases.some(
      (other) =>
        refuses(subject, other) !== true &&
        forbiddenBy(subject, other.one, tool) === undefined &&
        other.seen.calls.some((call) => call.tool === tool && call.error === undefined),
    )
  );
}

/**
 * Whether an act may be one of the refusal itself, as a count of wrong tries is: an example of its tool tells the very same, more than what was
 * asked, and no success does; or it tells a name of the document that the refusal tells as well.
 */
function belongsToRefusal(
  { subject, cases }: CheckFacts,
  { one, seen }: SeenCase,
  { tool, input }: ObservedCall,
): boolean {
  const others = [one.input, ...seen.calls.map((call) => call.output ?? null)];
  const [asked, known] = [[one.input], others].map(
    (values) => new Set(values.flatMap((value) => leavesOf(value).map((leaf) => leaf.value))),
  ) as [Set<Leaf['value']>, Set<Leaf['value']>];
  const isSame = (other: { input: Json }) => equalJson(other.input, input);
  // What is made of the request alone may be an example of any call.
  const hasOwn = leavesOf(input).some(({ value }) => !asked.has(value));
  const isExample = subject.tools.some(({ name, examples = [] }) => name === tool && examples.some(isSame));
  const isOfSuccess = cases.some(
    (other) => refuses(subject, other) !== true && other.seen.calls.some((call) => call.tool === tool && isSame(call)),
  );
  if (hasOwn && isExample && !isOfSuccess) return true;
  // "The no is put on file (`archive`, decision "no")": no success has that.
  const own = leavesOf(input).flatMap(({ value }) => (typeof value === 'string' && !asked.has(value) ? [value] : []));
  const isOwnWord = (word: string) =>
    !cases.some(
      (other) =>
        refuses(subject, other) !== true &&
        other.seen.calls.some((call) => call.tool === tool && leavesOf(call.input).some(({ value }) => value === word)),
    ) &&
    sentencesOf(subject.agreement).some(
      (text) => hasWord(text, tool) && new RegExp(`["“\`]${RegExp.escape(word)}["”\`]`).test(text),
    );
  if (own.some(isOwnWord)) return true;
  const names = leavesOf(one.output).flatMap(({ value }) =>
    typeof value === 'string' && value.length > 2 && !known.has(value) && hasWord(subject.agreement.text, value)
      ? [value.toLowerCase()]
      : [],
  );
  const told = leavesOf(input).map(({ value }) => String(value).toLowerCase());
  return names.some((name) => told.includes(name));
}

/** Whether a call takes back what an earlier act of the same run told, or did to the same thing. */
function undoes({ subject }: CheckFacts, { seen }: SeenCase, { tool, input }: ObservedCall): boolean {
  if (!takesBack(subject, tool)) return false;
  const asked = leavesOf(input).map(({ value }) => value);
  const before = seen.calls.slice(
    0,
    seen.calls.findIndex((call) => call.tool === tool && equalJson(call.input, input)),
  );
  return before.some(
    (act) =>
      !isReadOnly(subject, act.tool) &&
      [act.input, act.output ?? null]
        .flatMap(leavesOf)
        .some(({ value }) => value !== null && typeof value !== 'boolean' && asked.includes(value)),
  );
}

/**
 * A tool that undoes, and is not called in a refusal although an act before it succeeded and a later one failed: an example of it asks for
 * what that act told in this very case, and the document has it done.
 */
function leftUndone(
  { subject }: CheckFacts,
  { one, seen }: SeenCase,
): { act: string; tool: string; sentence: string } | undefined {
  const failed = seen.calls.findIndex(({ tool, error }) => error !== undefined && !isReadOnly(subject, tool));
  const acts = seen.calls
    .slice(0, Math.max(0, failed))
    .filter(({ tool, output }) => output && !isReadOnly(subject, tool));
  for (const { name, examples = [] } of subject.tools) {
    const verb = verbOfUndoing(name);
    if (verb === undefined || seen.calls.some(({ tool }) => tool === name)) continue;
    const sentence = sentencesOf(subject.agreement).find((text) => new RegExp(`\\b${verb}`, 'i').test(text));
    const asked = JSON.stringify(one.input);
    const act = acts.find(({ output }) => {
      const told = leavesOf(output ?? null).flatMap(({ value }) =>
        typeof value === 'string' && value.length > 2 ? [value] : [],
      );
      return examples.some(({ input }) =>
        leavesOf(input).some(
          ({ value }) => told.some((text) => text === value) && !asked.includes(JSON.stringify(value)),
        ),
      );
    });
    if (act && sentence !== undefined) return { act: act.tool, tool: name, sentence: excerpt(sentence) };
  }
  return undefined;
}

/**
 * A tool that undoes, and is not called where an act after another one failed, though a case with the very same answer calls it with what
 * that other act told, and the document has it done where something fails.
 */
function leftAsInCase(
  { subject, cases }: CheckFacts,
  { input }: Scenario,
  { calls, value, issues }: Observation,
): { act: string; tool: string; testCase: number; sentence: string } | undefined {
  const failed = calls.findIndex(({ tool, error }) => error !== undefined && !isReadOnly(subject, tool));
  const done = calls.slice(0, Math.max(0, failed)).filter(({ tool, output }) => output && !isReadOnly(subject, tool));
  if (done.length === 0 || value === undefined || issues.length > 0) return undefined;
  const kind = (answer: Json, asked: Json) =>
    leavesOf(answer).filter((leaf) => !leavesOf(asked).some((other) => other.value === leaf.value));
  for (const { one, seen } of cases) {
    const undoing = seen.calls.find(({ tool, error }) => error === undefined && verbOfUndoing(tool) !== undefined);
    const verb = verbOfUndoing(undoing?.tool ?? '');
    if (undoing === undefined || verb === undefined || calls.some(({ tool }) => tool === undoing.tool)) continue;
    const undone = seen.calls.find(
      ({ tool, output }) =>
        done.some((act) => act.tool === tool) &&
        leavesOf(output ?? null).some(
          (leaf) =>
            typeof leaf.value === 'string' &&
            leaf.value.length > 2 &&
            leavesOf(undoing.input).some((asked) => asked.value === leaf.value),
        ),
    );
    if (undone === undefined || !equalJson(kind(one.output, one.input) as never, kind(value, input) as never)) continue;
    const sentence = sentencesOf(subject.agreement).find(
      (text) => new RegExp(`\\b${verb}`, 'i').test(text) && FAILS.test(text),
    );
    // It may be the very act that failed which the case has succeed.
    if (sentence !== undefined && undone.tool !== calls[failed]?.tool)
      return { act: undone.tool, tool: undoing.tool, testCase: one.testCase, sentence: excerpt(sentence) };
  }
  return undefined;
}

/** A refusal, or an answer with which the document denies it or that tells nothing of it, in which a tool with side effects was called and failed, with that tool answering as in a success. */
function triedInVain(facts: CheckFacts, one: SeenCase): { one: SeenCase; tool: string; scenario: Scenario }[] {
  const { subject, cases } = facts;
  const isRefused = refuses(subject, one) === true;
  const failed = one.seen.calls.filter(
    ({ tool, error, invalid }) =>
      error &&
      !invalid &&
      !isReadOnly(subject, tool) &&
      (isRefused || sentenceAgainst(facts, one, tool) !== undefined || mayMatter(subject, tool)),
  );
  return [...new Set(failed.map(({ tool }) => tool))].flatMap((tool) => {
    const output = cases
      .filter((other) => refuses(subject, other) !== true)
      .flatMap(({ seen }) => seen.calls)
      .find((call) => call.tool === tool && call.output !== undefined)?.output;
    if (output === undefined) return [];
    const tools = subject.tools.map((other) => (other.name === tool ? { ...other, otherwise: { output } } : other));
    return [{ one, tool, scenario: { ...one.scenario, tools } }];
  });
}

/** Whether it matters that a tool with side effects succeeds, as far as its name and the document tell. */
export function mayMatter(subject: CheckFacts['subject'], tool: string): boolean {
  return (
    !mayServeRefusals(subject, tool) &&
    verbOfUndoing(tool) === undefined &&
    !sentencesOf(subject.agreement).some((sentence) => NO_MATTER.test(sentence) && !KEPT_SECRET.test(sentence))
  );
}

/** Whether an answer has nothing in the place of what every other case that calls a tool with side effects tells of its answer. */
function isUntold({ cases }: CheckFacts, { one }: SeenCase, tool: string): boolean {
  const others = cases.flatMap(({ one: other, seen }) => {
    if (other === one) return [];
    const call = seen.calls.findLast((each) => each.tool === tool && each.output !== undefined);
    return call ? [{ answer: leavesOf(other.output), asked: leavesOf(other.input), told: call.output ?? null }] : [];
  });
  return (
    others.length > 0 &&
    others.every(({ answer, asked, told }) =>
      leavesOf(told).some(
        ({ value }) =>
          typeof value === 'string' &&
          value.length > 2 &&
          !asked.some((leaf) => leaf.value === value) &&
          answer.some((leaf) => leaf.value === value && (valueAt(one.output, leaf.pointer) ?? null) === null),
      ),
    )
  );
}

function actsOf({ subject }: CheckFacts, seen: Observation): ObservedCall[] {
  return seen.calls.filter(({ tool, error }) => !isReadOnly(subject, tool) && error === undefined);
}

function refuses(subject: CheckFacts['subject'], { one, seen }: SeenCase): boolean | 'unknown' {
  // Of several messages, another one may have been granted.
  const isGranted = ({ response }: Observation['sends'][number]) =>
    response !== undefined && reportsFailure(response) !== true && !isRefusalCode(subject, response);
  if (seen.sends.length > 1 && seen.sends.some(isGranted)) return 'unknown';
  return one.case.negative || reportsFailure(one.case.response) === true || isRefusalCode(subject, one.case.response);
}

/** Members that say why something is not done. */
const WHY = /^(?:reason|why|problem|fault|denial|refusal|原因)$/i;

/** Whether an answer says why in the place of something that all others with the same call tell. */
function saysWhy({ one, seen }: SeenCase, cases: readonly SeenCase[]): boolean {
  const answer = one.case.response;
  if (!isObject(answer) || !Object.entries(answer).some(([name, value]) => WHY.test(name) && value)) return false;
  const tools = new Set(seen.calls.map(({ tool }) => tool));
  const others = cases.flatMap(({ one: other, seen: own }) =>
    isObject(other.case.response) &&
    !Object.keys(other.case.response).some((name) => WHY.test(name)) &&
    [...tools].every((tool) => own.calls.some((call) => call.tool === tool))
      ? [Object.keys(other.case.response)]
      : [],
  );
  return others.length > 0 && others.every((names) => names.some((name) => !(name in answer)));
}

function effectOf({ end, value, calls }: Observation): Json {
  return [end, value ?? null, calls.map(({ tool }) => tool)];
}

/** Tools that write down what happens, refusals as well. */
const RECORD =
  /audit|(?:^|_)log(?=[A-Z_]|$)|Log(?=[A-Z_]|$)|\blog(?:s|ged)?\b|journal|metric|telemetry|analytic|statistic|[Pp]rotokoll|[Vv]ermerk|[Mm]erken|[Rr]egistra|[Aa]notar|[Cc]onsigner|[Ee]nregistre|记录|记下|日志|审计/;

/** Names of tools that read, whether or not they are declared to. */
const READS =
  /^(?:get|find|look_?[uU]p|read|fetch|search|query|describe|is|has|count|le[ei]r|consultar?|buscar?|obtener|lire|chercher|consulter|obtenir)(?=[A-Z_]|$)|(?:[Ll]esen|[Aa]bfragen|[Ss]uchen|[Hh]olen|[Pp]r(?:ü|ue)fen)$/;

/** Whether a refusal may well call a tool with side effects: one that writes down, or one that reads and does not say so. */
export function mayServeRefusals({ tools }: CheckFacts['subject'], name: string): boolean {
  return (
    READS.test(name) || RECORD.test(name) || RECORD.test(tools.find((tool) => tool.name === name)?.description ?? '')
  );
}

/** Other answers of one tool than a case has: few are needed. */
const maxOtherAnswers = 4;

/** A case in which a call is answered as others of its tool are, or with other numbers. */
function answeredOtherwise({ subject, cases }: CheckFacts, one: SeenCase, act: ObservedCall): Scenario[] {
  const { tool, input } = act;
  const output = act.output ?? null;
  const examples = subject.tools.find(({ name }) => name === tool)?.examples ?? [];
  const numbers = leavesOf(output).filter(({ value }) => typeof value === 'number');
  const others = [
    ...examples.flatMap((example) => ('output' in example ? [example.output] : [])),
    ...cases.flatMap(({ seen }) => seen.calls.flatMap((call) => (call.tool === tool ? [call.output ?? null] : []))),
    ...[0, 1_000_000].map((other) => numbers.reduce((all, { pointer }) => replacedAt(all, pointer, other), output)),
  ].filter((other, index, all) => {
    const isNew = !equalJson(other, output) && all.findIndex((same) => equalJson(same, other)) === index;
    return isNew && sameKind(other, output) && subject.surface.toolOutputIssues(tool, other).length === 0;
  });
  return others.slice(0, maxOtherAnswers).map((other) => ({
    ...one.scenario,
    tools: subject.tools.map((each) =>
      each.name === tool ? { ...each, examples: [{ input, output: other }, ...(each.examples ?? [])] } : each,
    ),
  }));
}

/** Whether a call in a refusal was needless: its own answer, or a later one that undoes it, is no reason for it. */
function isNeedless(facts: CheckFacts, one: SeenCase, act: ObservedCall, isForbidden: boolean): boolean {
  const { seen } = one;
  const output = act.output ?? null;
  // A tool that tells nothing at all says no by nothing.
  const isUsual = facts.cases.some(
    (other) =>
      refuses(facts.subject, other) !== true &&
      !saysWhy(other, facts.cases) &&
      !(isForbidden && sentenceAgainst(facts, other, act.tool) !== undefined) &&
      other.seen.calls.some((call) => call.tool === act.tool && equalJson(call.output ?? null, output)),
  );
  if (declines(output) && !isUsual) return false;
  const later = seen.calls.slice(seen.calls.indexOf(act) + 1);
  const undone = later.some(
    (call) => !isReadOnly(facts.subject, call.tool) && (call.error !== undefined || declines(call.output ?? null)),
  );
  if (undone) return false;
  if (isForbidden || later.some((call) => isReadOnly(facts.subject, call.tool))) return true;
  const successes = facts.cases.filter(
    (other) => refuses(facts.subject, other) === false || reportsFailure(other.one.case.response) === 'unknown',
  );
  return successes.some(({ seen: good }) =>
    good.calls.some((call) => call.tool === act.tool && sameKind(call.output ?? null, output)),
  );
}

/** Whether what a tool answered is itself a no. */
export function declines(output: Json): boolean {
  return (
    output === null ||
    output === false ||
    reportsFailure(output) === true ||
    leavesOf(output).some(({ value }) => value === false) ||
    (leavesOf(output).length > 0 && leavesOf(output).every(({ value }) => value === null))
  );
}

/** Whether two answers say the same but for texts and numbers that name other things. */
function sameKind(a: Json, b: Json): boolean {
  const shape = (value: Json): Json =>
    leavesOf(value).map(({ pointer, value: leaf }) => [pointer, typeof leaf === 'boolean' ? leaf : typeof leaf]);
  return equalJson(shape(a), shape(b));
}

/** What a case did that tools with side effects must not be asked for, or left undone, as a fact. */
export function sideEffectFact({ one, seen }: SeenCase, message: string): Omit<CheckFact, 'check'> {
  return {
    code: 'CANDIDATE_SIDE_EFFECT',
    message: `case ${one.testCase}: ${message}`.slice(0, 500),
    testCase: one.testCase,
    input: one.input,
    ...(seen.value === undefined ? {} : { got: seen.value }),
  };
}
