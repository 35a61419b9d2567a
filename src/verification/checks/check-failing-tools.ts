import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { NEVER_TOLD } from '../../lexicon/acting.ts';
import {
  FAILS,
  FAILURE,
  FAILURE_TEXT,
  GOES_ON,
  KEEPS_FAILURE_IN,
  NAMES_THE_TOOL,
  NO_MATTER,
  PART_OF_MESSAGE,
  TIMES_OUT,
  WHICHEVER_FAILS,
} from '../../lexicon/failing.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { answersLineByLine, reportsFailure } from '../failure-answer.ts';
import { isConditional } from '../prose/denied-members.ts';
import { deniesAct, deniesAllElse, forbiddenAfter, forbiddenBy, speaksOf } from '../prose/documented-acts.ts';
import {
  answerIfBothFail,
  codeOf,
  documentedAnswersOf,
  emptiedText,
  excerpt,
  holdsConstant,
  sentencesOf,
  spaced,
} from '../prose/documented-answers.ts';
import {
  answerNamesIn,
  IT,
  isSaidOf,
  missingNamesOf,
  saysKept,
  saysOtherwise,
  saysOwed,
  sentencesOnFailureOf,
  staysTheSame,
  toolsNamed,
} from '../prose/failure-names.ts';
import { failureRulesOf } from '../prose/failure-rules.ts';
import { isOwedName, lacksOwnName, missingNamesOfAny, nameOfAnother, tellingNames } from '../prose/owed-names.ts';
import { tellsUnshownName } from '../prose/unshown-names.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly } from '../subject.ts';
import { answeringSomehow } from '../worlds/variations.ts';
import { declinedActsOf, faultOfDeclined } from './declined-acts.ts';
import { faultOfFailedUndoing, undoingOwed } from './owed-undoing.ts';

/** What the failing tool says; no answer has a reason to repeat it. */
export const faultMessage = 'temporarily out of order (k7q-canary-x2)';

/** Side effects that nobody waits for. */
const BEST_EFFORT =
  /log|audit|notif|track|metric|record|telemetry|analytic|mail|sms|push|merken|protokoll|benachricht|anotar|avisar/i;

/** Calls of one tool in one case that are made to fail, each in a run of its own. */
const maxFailingCalls = 3;

/** Lets each call of a tool fail once. */
export const failingTools: Check = {
  name: 'failing-tools',
  reason: 'Back ends fail; a peer is owed the answer that the document promises for it, not a broken handler.',
  certain:
    'Where the document says how failures are answered and a case or the schema shows such an answer: the failure escapes, the answer breaks its schema or has none of the names that the document has for it, or the success of a case, known for one by its words, is claimed although the only tool with side effects failed; what the document forbids after this failure is done, or what it has undone is not; a member has another value than it has then, or says by its name that the act was done; an act that is declined is answered otherwise than the document has it; or a tool that fails at once is answered by a name of failures and one that times out is not, or the other way round, where the document speaks of no time. Everywhere: the run hangs or dies.',
  uncertain:
    'Where the document is silent, or has the answer stay as it is although a tool fails, or all that an answer can say is said of another outcome; where another tool has side effects as well, and where an answer repeats what the tool said.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const { subject } = facts;
    const plans = facts.cases.flatMap((seenCase) => {
      const answered = seenCase.seen.calls.filter(({ error }) => error === undefined).map(({ tool }) => tool);
      return [...new Set(answered)].flatMap((tool) => {
        // Who copes with the first failure may still take a later one for the end of a list.
        const times = Math.min(maxFailingCalls, answered.filter((other) => other === tool).length);
        return Array.from({ length: times }, (_, index) => ({
          seenCase,
          tool,
          scenario: {
            ...seenCase.scenario,
            // Who goes on with what a failing tool did not tell must not be stopped by another that knows nothing of it.
            tools: subjectTools(facts, seenCase, tool),
            faults: [{ tool, nth: index + 1, error: { code: 'FAILED' as const, message: faultMessage } }],
          },
        }));
      });
    });
    if (plans.length === 0) return { failures: [], warnings: [], skipped: 'no case calls a tool that answers' };
    const bothFailing = bothFail(facts);
    const declined = declinedActsOf(facts);
    const timingOut = tellsTimeouts(subject)
      ? []
      : plans.filter(({ seenCase, tool }) => callsOf(seenCase.seen, tool) === 1);
    const all = yield [
      ...[...plans, ...bothFailing, ...declined].map(({ scenario }) => scenario),
      ...timingOut.map(({ scenario, tool }) => ({ ...scenario, faults: [{ tool, error: timeout }] })),
    ];
    const seen = all.slice(0, plans.length);
    const certain = failuresAreAnswerable(facts);
    const findings: CheckFindings = { failures: [], warnings: [] };
    // Who tries again may still let the second failure escape.
    const retried = plans
      .filter(({ seenCase, tool }, index) => callsOf(seen[index] as Observation, tool) > callsOf(seenCase.seen, tool))
      .slice(0, maxFailingCalls)
      .map((plan) => ({
        ...plan,
        scenario: {
          ...plan.scenario,
          faults: [{ tool: plan.tool, error: { code: 'FAILED' as const, message: faultMessage } }],
        },
      }));
    // What is called only because another tool failed may fail as well.
    const afterwards = plans
      .flatMap((plan, index) => {
        const single = seen[index] as Observation;
        const next = calledThen(plan.seenCase.seen, single);
        if (next === undefined) return [];
        const fault = { ...next, error: { code: 'FAILED' as const, message: faultMessage } };
        return [{ ...plan, single, next, scenario: { ...plan.scenario, faults: [...plan.scenario.faults, fault] } }];
      })
      .slice(0, maxFailingCalls);
    const again = [...retried, ...afterwards];
    const inVain = again.length > 0 ? yield again.map(({ scenario }) => scenario) : [];
    const runs = [
      ...plans.map((plan, index) => ({ ...plan, observation: seen[index] as Observation, isOnce: true })),
      ...again.map((plan, index) => ({ ...plan, observation: inVain[index] as Observation, isOnce: false })),
    ];
    for (const { seenCase, tool, observation, isOnce } of runs) {
      // What is answered when every try has failed may be a rule of its own.
      if (!isOnce && observation.value !== undefined && observation.issues.length === 0) continue;
      const fault = faultOf(facts, seenCase, tool, observation, certain);
      if (!fault) continue;
      const fact: Omit<CheckFact, 'check'> = {
        code: 'CANDIDATE_TOOL_FAILURE',
        message: `case ${seenCase.one.testCase}, where ${tool} fails: ${fault.message}`.slice(0, 500),
        testCase: seenCase.one.testCase,
        input: seenCase.one.input,
        ...(observation.value === undefined ? {} : { got: observation.value }),
      };
      (fault.certain ? findings.failures : findings.warnings).push(fact);
    }
    for (const [index, plan] of timingOut.entries()) {
      const { seenCase, tool } = plan;
      const late = all[all.length - timingOut.length + index] as Observation;
      const fault = faultOfTimeout(facts, seenCase, tool, seen[plans.indexOf(plan)] as Observation, late);
      if (fault === undefined) continue;
      findings.failures.push({
        code: 'CANDIDATE_TOOL_FAILURE',
        message: `case ${seenCase.one.testCase}, where ${tool} times out: ${fault}`.slice(0, 500),
        testCase: seenCase.one.testCase,
        input: seenCase.one.input,
        ...(late.value === undefined ? {} : { got: late.value }),
      });
    }
    for (const [index, { seenCase, tool, single, next }] of afterwards.entries()) {
      const both = inVain[retried.length + index] as Observation;
      const fault = faultOfFailedUndoing(subject, seenCase, next.tool, single, both);
      if (fault === undefined) continue;
      findings.failures.push({
        code: 'CANDIDATE_TOOL_FAILURE',
        message: `case ${seenCase.one.testCase}, where ${tool} fails and then ${next.tool}: ${fault}`.slice(0, 500),
        testCase: seenCase.one.testCase,
        input: seenCase.one.input,
        ...(both.value === undefined ? {} : { got: both.value }),
      });
    }
    for (const [index, { seenCase, name }] of bothFailing.entries()) {
      const { calls, value } = all[plans.length + index] as Observation;
      const failed = new Set(calls.flatMap(({ tool, error }) => (error === undefined ? [] : [tool])));
      if (failed.size < 2 || value === undefined || holdsConstant(value, [name])) continue;
      findings.failures.push({
        code: 'CANDIDATE_TOOL_FAILURE',
        message: `case ${seenCase.one.testCase}, where both tools fail: the answer has not ${name}, though the document names it for that`,
        testCase: seenCase.one.testCase,
        input: seenCase.one.input,
        got: value,
      });
    }
    for (const [index, act] of declined.entries()) {
      const own = all[plans.length + bothFailing.length + index] as Observation;
      const failing = plans.findIndex(
        ({ seenCase, tool, scenario }) =>
          seenCase === act.seenCase && tool === act.tool && scenario.faults[0]?.nth === act.nth,
      );
      const fault = faultOfDeclined(facts, act, own, seen[failing]);
      if (fault === undefined) continue;
      const { one } = act.seenCase;
      findings.failures.push({
        code: 'CANDIDATE_TOOL_FAILURE',
        message: `case ${one.testCase}, where ${act.change}: ${fault}`.slice(0, 500),
        testCase: one.testCase,
        input: one.input,
        ...(own.value === undefined ? {} : { got: own.value }),
      });
    }
    return findings;
  },
};

const timeout = { code: 'TIMEOUT' as const, message: faultMessage };

/** Whether document or task speak of what does not answer in time: then that may be another matter than what fails at once. */
function tellsTimeouts({ agreement, task }: CheckFacts['subject']): boolean {
  return TIMES_OUT.test(agreement.text) || TIMES_OUT.test(task?.description ?? '');
}

/** How one of the two ways to fail is answered unlike the other, where the document knows one alone and has names for it. */
function faultOfTimeout(
  facts: CheckFacts,
  { seen: before }: SeenCase,
  tool: string,
  failed: Observation,
  late: Observation,
): string | undefined {
  if (failed.end !== 'returned' || callsOf(failed, tool) !== callsOf(before, tool)) return undefined;
  const names = tellingNames(facts).filter((name) => !holdsConstant(before.value ?? null, [name]));
  const told = names.filter((name) => holdsConstant(failed.value ?? null, [name]));
  if (late.end === 'threw') return told.length > 0 ? `it throws${late.message ? `: ${late.message}` : ''}` : undefined;
  if (late.end !== 'returned' || late.value === undefined) return undefined;
  const toldLate = names.filter((name) => holdsConstant(late.value ?? null, [name]));
  if (told.length > 0 === toldLate.length > 0) return undefined;
  return told.length > 0
    ? `the answer has none of ${told.join(', ')}, as where ${tool} fails otherwise`
    : `the answer has ${toldLate.join(', ')}, and not where ${tool} fails otherwise`;
}

/** The first call that is made only because another one failed, be it a further one of a tool that the case calls as well. */
function calledThen(before: Observation, { calls }: Observation): { tool: string; nth: number } | undefined {
  const counts = new Map<string, number>();
  for (const { tool } of calls) {
    const nth = (counts.get(tool) ?? 0) + 1;
    counts.set(tool, nth);
    const failed = calls.some((call) => call.tool === tool && call.error?.message === faultMessage);
    if (!failed && nth > callsOf(before, tool)) return { tool, nth };
  }
  return undefined;
}

/** The tools of a case, of which those with side effects answer as they did there, or as ever, whatever they are asked, where another one fails. */
function subjectTools({ subject }: CheckFacts, { scenario, seen }: SeenCase, failing: string): Scenario['tools'] {
  const acts = (name: string) => !isReadOnly(subject, name);
  const alike = new Map(answeringSomehow(subject.tools, seen, acts).map((tool) => [tool.name, tool]));
  return scenario.tools.map((tool) =>
    tool.name === failing || isReadOnly(subject, tool.name) ? tool : ((alike.get(tool.name) ?? tool) as typeof tool),
  );
}

/** Cases in which both tools are made to fail. */
const maxBothFailing = 3;

/** Cases in which both of the two tools fail, where the document has a name for the answer. */
function bothFail({ subject, cases }: CheckFacts): { seenCase: SeenCase; name: string; scenario: Scenario }[] {
  const { tools } = subject;
  const name =
    subject.role === 'provider' && tools.length === 2 && tools.every((tool) => isReadOnly(subject, tool.name))
      ? answerIfBothFail(subject)
      : undefined;
  if (name === undefined) return [];
  const faults = tools.map((tool) => ({
    tool: tool.name,
    error: { code: 'FAILED' as const, message: faultMessage },
  }));
  return cases
    .filter(({ seen }) => seen.calls.length > 0 && seen.calls.some(({ error }) => error === undefined))
    .slice(0, maxBothFailing)
    .map((seenCase) => ({ seenCase, name, scenario: { ...seenCase.scenario, faults } }));
}

function faultOf(
  facts: CheckFacts,
  seenCase: SeenCase,
  tool: string,
  seen: Observation,
  certain: boolean,
): { message: string; certain: boolean } | undefined {
  const { subject } = facts;
  const { one, seen: before } = seenCase;
  if (seen.end === 'timed-out' || seen.end === 'out-of-memory' || seen.end === 'killed')
    return { message: `the run ended as "${seen.end}"`, certain: true };
  if (seen.end !== 'returned' || seen.value === undefined) {
    // What the tool said may pass through where nothing is promised; an error of the handler's own may not.
    const passedThrough = seen.message?.includes(faultMessage) === true;
    return {
      message: `it throws${seen.message ? `: ${seen.message}` : ''}`,
      certain:
        certain ||
        (!passedThrough && subject.role === 'provider' && /TypeError|ReferenceError/.test(seen.message ?? '')),
    };
  }
  const [issue] = seen.issues;
  if (issue) return { message: `the answer breaks its schema at "${issue.pointer}": ${issue.message}`, certain };
  const act = actAfter(subject, one.input, tool, seen);
  if (act) return { message: `${act.tool} is called all the same, though "${act.sentence}"`, certain: true };
  const undoing = calledAgain(before, seen, tool)
    ? undefined
    : undoingOwed(subject, tool, seen, sentencesOnFailureOf(subject, tool));
  if (undoing)
    return { message: `${undoing.tool} is not called${undoing.times}, though "${undoing.sentence}"`, certain: true };
  const emptied = emptiedText(subject, seen.value);
  if (emptied !== undefined && subject.role === 'provider')
    return { message: `the answer has an empty text at ${emptied}`, certain: true };
  const ownFailures = tellingNames(facts);
  // An output of a requester is one name, which other cases may have as well.
  const nameable = subject.role === 'requester' ? documentedAnswersOf(subject).ownFailures : ownFailures;
  // An answer with another name of the document's may be the one that its sentences mean; so may a refusal, by what was told before.
  const mayBeMeant =
    isAnotherFailing(before, seen, tool) ||
    tellsUnshownName(facts, seenCase, seen.value) ||
    (reportsFailure(seen.value) === true &&
      // What was refused anyway stays so; what was told before may be a reason of its own.
      (isAnsweredBefore(seen, tool) || (reportsFailure(one.output) === true && !hasMoved(before, seen))));
  const harmless = staysTheSame(subject, tool);
  const letsPass =
    harmless !== undefined ||
    sentencesOnFailureOf(subject, tool).some((sentence) => GOES_ON.test(sentence)) ||
    sentencesOf(subject.agreement).some((sentence, at, all) =>
      letsFailurePass(subject, IT.test(sentence) ? `${all[at - 1] ?? ''} ${sentence}` : sentence, tool),
    );
  // Who asked again and was answered has no failure to tell of; whether it may is for another check to say.
  const recovered = calledAgain(before, seen, tool);
  if (certain && !letsPass && !recovered && lacksOwnName(facts, tool, seen.value)) {
    return {
      message: `the answer has none of ${ownFailures.join(', ')}, though the document names it for ${tool}`,
      certain: !mayBeMeant,
    };
  }
  // What a sentence says of this very tool, a requester can tell its own caller whatever else is said.
  const isSaid = certain || subject.role === 'requester';
  if (harmless !== undefined) {
    const turned = ownFailures.find(
      (name) =>
        holdsConstant(seen.value ?? null, [name]) &&
        !holdsConstant(before.value ?? null, [name]) &&
        // A member with its value stands in a sentence in many forms.
        !name.split(': ').every((part) => hasWord(harmless, part)),
    );
    const fails = reportsFailure(seen.value) === true && reportsFailure(before.value ?? null) !== true;
    // Only a warning, whatever else is said: of one thing that a tool does it may matter whether it fails, and of another not.
    if (turned !== undefined || fails)
      return {
        message: `the answer ${turned ? `has ${turned}` : 'is a failure'}, though "${excerpt(harmless)}"`,
        certain: false,
      };
  }
  const untrue =
    saysOtherwise(subject, tool, before.value ?? null, seen.value) ??
    saysKept(subject, tool, before.value ?? null, seen.value);
  if (untrue !== undefined && !recovered && callsOf(before, tool) === 1) {
    const what = equalJson(seen.value, before.value ?? null)
      ? 'it answers as if nothing had failed'
      : 'it is answered otherwise';
    return { message: `${what}, though "${excerpt(untrue)}"`, certain: isSaid };
  }
  const owed =
    recovered || callsOf(before, tool) > 1 ? undefined : saysOwed(subject, tool, before.value ?? null, seen.value);
  if (owed !== undefined && !mayBeMeant && (hasMoved(before, seen) || reportsFailure(one.output) !== true))
    return {
      message: `the answer has none of ${owed.names.join(', ')}, though "${excerpt(owed.sentence)}"`,
      certain: true,
    };
  const claimed = recovered ? undefined : claimOf(subject, tool, before, seen);
  if (claimed !== undefined)
    return { message: `the answer has ${claimed} true, as where ${tool} does what it is called for`, certain };
  const missing = letsPass || recovered ? [] : missingNamesOf(facts, tool, seen.value);
  if (
    missing.length > 0 &&
    (hasMoved(before, seen) ||
      goesOnActing(subject, tool, seen) ||
      (!isReadOnly(subject, tool) && !BEST_EFFORT.test(tool) && reportsFailure(one.output) !== true))
  )
    return {
      message: `the answer has none of ${missing.join(', ')}, as the document has it where ${tool} fails`,
      certain: !isAnotherFailing(before, seen, tool),
    };
  const general =
    subject.role !== 'provider' ||
    letsPass ||
    recovered ||
    before.calls.some(({ error }) => error !== undefined) ||
    (!isReadOnly(subject, tool) && BEST_EFFORT.test(tool) && !isToldOf(before, tool))
      ? []
      : missingNamesOfAny(facts, tool, seen.value);
  if (general.length > 0 && !isSaidOf(subject, tool, general, seen.value))
    return {
      message: `the answer has none of ${general.join(', ')}, as the document has it where a tool fails`,
      certain: true,
    };
  const told = recovered || letsPass ? undefined : toldByName(subject, tool, before, seen.value);
  if (told !== undefined) return { message: `the answer does not name ${tool}, though "${excerpt(told)}"`, certain };
  const isSole = isSoleActor(subject, before, tool);
  if (
    ownFailures.length > 0 &&
    !recovered &&
    !equalJson(seen.value, before.value ?? null) &&
    !holdsConstant(seen.value, nameable) &&
    isOwedName(facts, tool, seen.value) &&
    !isSaidOf(subject, tool, ownFailures, seen.value)
  ) {
    const isCertain =
      certain &&
      !mayBeMeant &&
      // Of the lines of a request, one may go without.
      !answersLineByLine(one.input, seen.value) &&
      // Who tries another act then may be answered as that has it.
      (isReadOnly(subject, tool) || !triesElse(before, seen)) &&
      // Where this failure leaves the answer as it is, a refusal stays the one that it was.
      harmless === undefined &&
      (reportsFailure(seen.value) === true ||
        new Set(before.calls.map((call) => call.tool)).size === 1 ||
        (isSole && reportsFailure(seen.value) === false) ||
        (!letsPass &&
          (nameOfAnother(facts, before.value ?? null, seen.value) !== undefined ||
            (isSole &&
              (keepsVerdict(subject, ownFailures, before.value ?? null, seen.value) ||
                beginsAlike(seen.value, before.value ?? null))))));
    // A success without the part that failed may be what the document wants of this tool.
    if (isCertain || !letsPass)
      return {
        message: `the answer has none of ${ownFailures.join(', ')}, by which the document names such a failure`,
        certain: isCertain,
      };
  }
  const isIgnored =
    // Whether it may try again is for another check to say.
    !recovered &&
    !letsPass &&
    !isReadOnly(subject, tool) &&
    (isSole || !BEST_EFFORT.test(tool)) &&
    equalJson(seen.value, before.value ?? null) &&
    reportsFailure(one.output) !== true &&
    // A case in which something failed, or that is answered as failures are, has the answer already.
    !before.calls.some(({ error }) => error !== undefined) &&
    !holdsConstant(one.output, ownFailures) &&
    // What did nothing in the case either has taken nothing away.
    !before.calls.some((call) => call.tool === tool && saysNo(call));
  // What a sentence says of this failure, and names no answer for, may be that it does not matter.
  const isNamed = () =>
    sentencesOnFailureOf(subject, tool).every(
      (sentence) =>
        answerNamesIn(subject, sentence).length > 0 ||
        documentedAnswersOf(subject).ownFailureSentences.some((own) => own.sentence.includes(sentence.trim())),
    );
  if (isIgnored)
    return {
      message: 'it answers as if nothing had failed',
      // A refusal that is not known for one has its answer whatever is written down of it.
      certain: certain && isSole && isNamed() && reportsFailure(one.output) === false,
    };
  if (!JSON.stringify(seen.value).includes(faultMessage)) return undefined;
  const denied = sentencesOf(subject.agreement).find(
    (one) => KEEPS_FAILURE_IN.test(one) || (FAILURE_TEXT.test(one) && NEVER_TOLD.test(one) && !BUT.test(one)),
  );
  return {
    message: `the answer repeats what the tool said${denied === undefined ? '' : `, though "${excerpt(denied)}"`}`,
    certain: denied !== undefined,
  };
}

/** Whether a tool fails beside the one that is made to, and did not in the case: the answer may be the one for that. */
function isAnotherFailing(before: Observation, seen: Observation, tool: string): boolean {
  const failing = ({ calls }: Observation) => calls.filter(({ error }) => error !== undefined).map((call) => call.tool);
  const known = failing(before);
  return failing(seen).some((other) => other !== tool && !known.includes(other));
}

/** The sentence by which a failing tool, whichever it is, is told by its own name, where an answer has not that name. */
function toldByName(
  { agreement, role }: CheckFacts['subject'],
  tool: string,
  before: Observation,
  answer: Json,
): string | undefined {
  if (role !== 'provider' || before.calls.some(({ error }) => error !== undefined)) return undefined;
  if (leavesOf(answer).some(({ value }) => hasWord(String(value), tool))) return undefined;
  return sentencesOf(agreement).find(
    (sentence) => WHICHEVER_FAILS.test(sentence) && NAMES_THE_TOOL.test(sentence) && !NEVER_TOLD.test(sentence),
  );
}

/** Words by which something is told to some, or somewhere, after all. */
const BUT =
  /\b(?:only|unless|except|but)\b|(?<!\p{L})(?:nur|außer|sondern|seulement|sauf|solo|sólo|salvo)(?!\p{L})|除非|仅|只/iu;

/** Whether a sentence has it not matter that a tool fails, rather than another one, or how a part of a message is. */
function letsFailurePass({ tools }: CheckFacts['subject'], sentence: string, tool: string): boolean {
  if (!NO_MATTER.test(sentence) || (PART_OF_MESSAGE.test(sentence) && !FAILURE.test(sentence))) return false;
  // What is ignored where nothing fails is some thing or part of what is told.
  if (IGNORED.test(sentence) && !FAILURE.test(sentence) && !FAILS.test(sentence)) return false;
  const named = toolsNamed(tools, sentence);
  return named.length === 0 || named.some(({ name }) => name === tool);
}

/** That something is passed over, be it a failure or one of many things. */
const IGNORED = /\bignor(?:e[sd]?|ing)\b|忽略/i;

/** Whether an answer has what the one to compare has, in the member that lists a name of failures among its values. */
function keepsVerdict(
  { responseSchema }: CheckFacts['subject'],
  names: readonly string[],
  before: Json,
  answer: Json,
): boolean {
  const code = codeOf(answer);
  if (code !== undefined && code === codeOf(before) && names.every((name) => /^\d{3,}$/.test(name))) return true;
  if (!isObject(responseSchema) || !isObject(responseSchema.properties) || !isObject(before) || !isObject(answer))
    return false;
  return Object.entries(responseSchema.properties).some(([member, schema]) => {
    const listed = isObject(schema) && Array.isArray(schema.enum) ? schema.enum : [];
    return (
      listed.some((value) => names.includes(String(value)) || names.includes(`${member}: ${String(value)}`)) &&
      answer[member] !== undefined &&
      equalJson(answer[member], before[member] ?? null)
    );
  });
}

/** Whether two texts begin with the same word, by which messages of texts are told apart. */
function beginsAlike(one: Json, other: Json): boolean {
  const [head, same] = [one, other].map((text) =>
    typeof text === 'string' ? /^\s*(\p{L}{2,})/u.exec(text)?.[1] : undefined,
  );
  return head !== undefined && head === same;
}

/** Whether an answer has a text that a tool told. */
function isToldOf({ calls, value }: Observation, name: string): boolean {
  const answer = leavesOf(value ?? null).map((leaf) => leaf.value);
  return calls.some(
    ({ tool, output }) =>
      tool === name &&
      leavesOf(output ?? null).some(
        (leaf) => typeof leaf.value === 'string' && leaf.value.length > 2 && answer.includes(leaf.value),
      ),
  );
}

function hasMoved(before: Observation, seen: Observation): boolean {
  return !equalJson(seen.value ?? null, before.value ?? null);
}

/** A member that is true as where nothing failed, and is named after what the failing tool does, and no other: `paged` after `pageWard`. */
function claimOf(
  subject: CheckFacts['subject'],
  tool: string,
  before: Observation,
  seen: Observation,
): string | undefined {
  if (isReadOnly(subject, tool) || callsOf(before, tool) !== 1) return undefined;
  const was = leavesOf(before.value ?? null);
  return leavesOf(seen.value ?? null).find(({ pointer, name, value }) => {
    // An item of a list has its own.
    if (
      value !== true ||
      /\/\d+\//.test(pointer) ||
      !was.some((leaf) => leaf.pointer === pointer && leaf.value === true)
    )
      return false;
    const named = subject.tools.filter((one) => speaksOf(spaced(name), one.name));
    return named.length === 1 && named[0]?.name === tool;
  })?.name;
}

/** Whether a tool told something before it failed. */
function isAnsweredBefore({ calls }: Observation, name: string): boolean {
  const own = calls.filter(({ tool }) => tool === name);
  return own[0]?.error === undefined && own.some(({ error }) => error !== undefined);
}

/** Whether a run calls a tool more often than that without a failure, or another one. */
function triesElse(before: Observation, { calls }: Observation): boolean {
  return calls.some(({ tool }) => callsOf({ calls }, tool) > callsOf(before, tool));
}

/** Whether something is done after a tool has failed. */
function goesOnActing(subject: CheckFacts['subject'], failed: string, { calls }: Observation): boolean {
  const at = calls.findLastIndex(({ tool }) => tool === failed);
  return calls.slice(at + 1).some(({ tool, error }) => error === undefined && !isReadOnly(subject, tool));
}

/** An act after a tool has failed for good, which the document forbids then. */
function actAfter(
  subject: CheckFacts['subject'],
  input: Json,
  failed: string,
  { calls, value }: Observation,
): { tool: string; sentence: string } | undefined {
  const at = calls.findLastIndex(({ tool, error }) => tool === failed && error !== undefined);
  const later = calls.slice(at + 1);
  if (at < 0 || later.some((call) => call.tool === failed && equalJson(call.input, calls[at]?.input ?? null)))
    return undefined;
  for (const { tool } of later) {
    if (tool === failed || isReadOnly(subject, tool)) continue;
    const sentence =
      forbiddenAfter(subject, failed, tool) ??
      deniedWith(subject, { input, output: value ?? null }, tool) ??
      sentencesOnFailureOf(subject, failed).find((one) => deniesAct(one, tool) || deniesAllElse(one, tool));
    if (sentence !== undefined) return { tool, sentence: excerpt(sentence) };
  }
  return undefined;
}

/** The sentence by which this very tool is not called where this is the answer, without a condition of its own. */
function deniedWith(subject: CheckFacts['subject'], answered: { input: Json; output: Json }, tool: string) {
  const denial = forbiddenBy(subject, answered, tool);
  return denial?.isGeneral === false && !isConditional(denial.sentence) ? denial.sentence : undefined;
}

/** Whether a tool answered that nothing was done. */
function saysNo({ output }: Observation['calls'][number]): boolean {
  return leavesOf(output ?? null).some(({ value }) => value === false);
}

function callsOf({ calls }: Pick<Observation, 'calls'>, tool: string): number {
  return calls.filter((call) => call.tool === tool).length;
}

/** Whether a tool that failed answered all the same as often as where it did not. */
function calledAgain(before: Observation, seen: Observation, tool: string): boolean {
  const answers = ({ calls }: Observation) =>
    calls.filter((call) => call.tool === tool && call.output !== undefined).length;
  // A call that nobody waits for is answered in neither.
  return answers(seen) >= Math.max(1, answers(before));
}

/** Whether a tool is the only one with side effects that a run called, and its effect is what the run was for. */
function isSoleActor(subject: CheckFacts['subject'], before: Observation, tool: string): boolean {
  const acting = new Set(
    before.calls
      .map((call) => call.tool)
      .filter((name) => !isReadOnly(subject, name) && (name === tool || staysTheSame(subject, name) === undefined)),
  );
  return (
    acting.size === 1 &&
    acting.has(tool) &&
    (!BEST_EFFORT.test(tool) || isToldOf(before, tool) || isMissed(subject, before, tool))
  );
}

/** Whether the document names the answer where this very tool fails, by what a run without a failure does not answer. */
function isMissed(subject: CheckFacts['subject'], { value }: Observation, tool: string): boolean {
  const { ownFailures, ownFailureSentences } = documentedAnswersOf(subject);
  return ownFailureSentences.some(({ sentence, constants }) => {
    const names = constants.filter((constant) => ownFailures.includes(constant));
    return speaksOf(sentence, tool) && names.length > 0 && !holdsConstant(value ?? null, names);
  });
}

/** Whether the document says how failures are answered, and there is an answer that its schema allows. */
export function failuresAreAnswerable(facts: CheckFacts): boolean {
  const { subject } = facts;
  if (subject.role === 'requester')
    return documentedAnswersOf(subject).ownFailureSentences.some(({ sentence }) => !GIVES_UP.test(sentence));
  const rules = failureRulesOf(subject.agreement.text);
  if (rules.ownFailures || documentedAnswersOf(subject).ownFailureSentences.length > 0) return true;
  if (!rules.failures || isSpokenFor(facts)) return false;
  // A text has no member for what no line of the document is for.
  if (subject.payload === 'text') return rules.inWords;
  return hasFailingCase(subject) || hasErrorMember(subject.responseSchema, 0);
}

/**
 * Whether all that an answer can say of how it went is said where nothing failed: a list of which the cases show each value so, and no member that is
 * open. Whatever a handler says then of a failing tool is another outcome's.
 */
function isSpokenFor({ subject, cases }: CheckFacts): boolean {
  const { responseSchema: schema } = subject;
  if (!isObject(schema) || !isObject(schema.properties) || schema.additionalProperties === true) return false;
  const answers = cases
    .filter(({ seen }) => seen.calls.every(({ error }) => error === undefined))
    .map(({ one }) => one.output);
  const telling = Object.entries(schema.properties).filter(([name]) => TELLS_OUTCOME.test(name));
  return (
    telling.length > 0 &&
    telling.every(([name, member]) => {
      const listed = isObject(member) && Array.isArray(member.enum) ? member.enum : undefined;
      return listed?.every((value) => answers.some((answer) => isObject(answer) && answer[name] === value)) === true;
    })
  );
}

/** Names of members that may tell a failure, by a code, a word or a text. */
const TELLS_OUTCOME =
  /err|fail|fault|code|status|state|result|outcome|reason|cause|message(?!_?id)|detail|note|info|^ok$|success|accepted|código|codigo|estado|motivo|resultado|fehler|grund|ergebnis|meldung|错误|状态|原因|结果|信息|消息(?!编号|标识|id)/i;

/** Words by which a task has a failure end all. */
const GIVES_UP = /\b(?:throws?|raise|rejects?|give up|abort|error)\b|[,;:] *(?:then )?fail\b|抛出|报错/iu;

/** Whether a case shows a failure answered as the schema allows. */
export function hasFailingCase(subject: CheckFacts['subject']): boolean {
  return subject.cases.some(
    ({ response }) => reportsFailure(response) === true && subject.surface.responseIssues(response).length === 0,
  );
}

function hasErrorMember(schema: Json, depth: number): boolean {
  if (depth > 4 || !isObject(schema)) return false;
  const { properties } = schema;
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (
    isObject(properties) &&
    Object.keys(properties).some((name) => /^errors?|^status$|code$|^ok$|^success$|^outcome$|^result$/i.test(name)) &&
    required.length <= 4
  )
    return true;
  return ['oneOf', 'anyOf', 'allOf'].some(
    (keyword) =>
      Array.isArray(schema[keyword]) && (schema[keyword] as Json[]).some((item) => hasErrorMember(item, depth + 1)),
  );
}
