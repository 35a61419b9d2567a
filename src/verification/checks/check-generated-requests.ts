import type { Tool } from '../../contract/job.ts';
import type { Observation, Scenario, SchemaIssue } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { FAILS } from '../../lexicon/failing.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { CORRELATION_NAME } from '../member-names.ts';
import { documentedAnswersOf, emptiedText, excerpt, holdsConstant, sentencesOf } from '../prose/documented-answers.ts';
import { failureRulesOf, OWN_FAILURES } from '../prose/failure-rules.ts';
import { hasWord } from '../scalar-kinds.ts';
import { defaultTrialNowMs, type Subject } from '../subject.ts';
import { type GeneratedInput, generateInputs } from '../worlds/generated-inputs.ts';
import { failuresAreAnswerable, hasFailingCase } from './check-failing-tools.ts';
import { unaskedAnswer } from './unasked-answers.ts';
import { fieldsWithSigns, unescapedIn } from './unescaped-fields.ts';

const counts = { plausible: 16, sampled: 18, invalid: 18 };

/** Sends requests that no case has: of the cases' shape, from the schema alone, and broken ones. */
export const generatedRequests: Check = {
  name: 'generated-requests',
  reason: 'Peers send more than the cases; whatever comes in, an answer must come out that the schema allows.',
  certain:
    "The run hangs or dies, be the request broken or not; a request of the cases' shape, or where the document says how failures are answered any valid one, makes it throw or gives an answer that breaks its schema; so does a broken request where the document says how those are answered, or none of many, or not the empty one, gets the answer that it names; a request without a member it must have is not answered as the document has it for just that; an answer is empty, or a text in it says that it is no number; a failure is blamed where a case's request lost or gained a member, every sentence with the failure's name tells of such a failure, and every tool answered just as in a case; an id that nobody can tell comes back for requests that have nothing in common with its own; all texts, be they of forms that cases answer otherwise, have one answer that the document names and no broken check explains; a text with signs of the form, as a comma in CSV or `<` in XML, is written as it stands though the document has them quoted or escaped; where there are no cases, nothing is answered as its schema has it, or the only tool is never called though the document has it used.",
  uncertain:
    "A fault that a tool's failure or looser schema, or the echo of a broken value, explains; broken requests of which the document says nothing.",
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const { subject, cases } = facts;
    const isProvider = subject.role === 'provider';
    const schema = isProvider ? subject.requestSchema : (subject.task?.inputSchema ?? null);
    const known = cases.map(({ one }) => one.input);
    // What the task hands over is our own agent's affair: it keeps to its schema.
    const wanted = isProvider ? counts : { ...counts, invalid: 0 };
    const isValid = isProvider
      ? (value: Json) => subject.surface.requestIssues(value).length === 0
      : (value: Json) => typeof value === typeof (known[0] ?? value);
    const generated = generateInputs(schema, known, isValid, `requests-${subject.agreement.text.length}`, wanted);
    const inputs = [...generated.filter(({ kind }) => isProvider || kind === 'plausible'), ...unreadable(subject)];
    if (inputs.length === 0)
      return { failures: [], warnings: [], skipped: 'there is neither a schema nor a case to make requests from' };
    const tools = withSomeAnswer(subject.tools);
    const peer = cases[0]?.scenario.peer;
    const fields = fieldsWithSigns(facts);
    const all = yield [
      ...inputs.map(({ input, reshaped }, index) => ({
        input,
        tools: (reshaped || index % 2 === 0 ? tools : subject.tools) as Scenario['tools'],
        ...(peer ? { peer } : {}),
        seed: `generated-${index}`,
        nowMs: subject.nowMs ?? defaultTrialNowMs,
      })),
      ...fields.map(({ scenario }) => scenario),
    ];
    const seen = all.slice(0, inputs.length);
    const findings: CheckFindings = { failures: [], warnings: [] };
    for (const [index, field] of fields.entries()) {
      const written = unescapedIn(facts, field, all[inputs.length + index] as Observation);
      if (written === undefined) continue;
      findings.failures.push({
        code: 'CANDIDATE_BREAKS_ON_REQUEST',
        message: `case ${field.one.one.testCase} with ${JSON.stringify(field.bare)}: this is written as it stands, though "${excerpt(field.sentence)}"`,
        testCase: field.one.one.testCase,
        input: field.scenario.input,
        got: written,
      });
      break;
    }
    const answerable = isProvider && failuresAreAnswerable(facts);
    for (const [index, generated] of inputs.entries()) {
      const observation = seen[index] as Observation;
      const found = [faultOf(facts, generated, observation, answerable), misnamed(facts, generated, observation)];
      const fault = found.find((one) => one?.certain) ?? found.find((one) => one !== undefined);
      if (!fault) continue;
      const fact: Omit<CheckFact, 'check'> = {
        code: 'CANDIDATE_BREAKS_ON_REQUEST',
        message:
          `a request ${generated.kind === 'invalid' ? 'broken on purpose' : 'that the schema allows'} (${generated.change}): ${fault.message}`.slice(
            0,
            500,
          ),
        input: generated.input,
        ...(observation.value === undefined ? {} : { got: observation.value }),
      };
      const way = `): ${fault.message.split(/[:"]/)[0]}`;
      const isNew = !findings.warnings.some(({ message }) => message.includes(way));
      if (fault.certain ? findings.failures.length < 5 : isNew)
        (fault.certain ? findings.failures : findings.warnings).push(fact);
    }
    const unasked = unaskedAnswer(facts, inputs, seen);
    if (unasked) {
      findings.failures.push({
        code: unasked.isByHeart ? 'CANDIDATE_HARD_CODED' : 'CANDIDATE_BREAKS_ON_REQUEST',
        message: unasked.message.slice(0, 500),
        input: unasked.run.input,
        ...(unasked.run.seen.value === undefined ? {} : { got: unasked.run.seen.value }),
      });
      if (unasked.isByHeart) findings.memorised = true;
    }
    const unheard = unheardConstants(facts, inputs, seen);
    if (unheard.length > 0) {
      findings.failures.push({
        code: 'CANDIDATE_BREAKS_ON_REQUEST',
        message: `no broken request is answered with ${unheard.join(' or ')}, as the document has it`,
      });
    }
    return findings;
  },
};

/** A text that is no message of a protocol whose messages all begin alike. */
const noMessage = '?!?!';

/** What cannot be read at all, for protocols whose messages are texts of one form. */
function unreadable({ role, payload, cases }: Subject): GeneratedInput[] {
  if (role === 'requester' || payload !== 'text') return [];
  const heads = cases.map(({ request }) => /^\s*(?:\p{L}+|\P{L})/u.exec(String(request))?.[0]);
  if (heads.length < 2 || heads.some((head) => head !== heads[0])) return [];
  const garbled = cases.slice(0, 2).map(({ request }): GeneratedInput => {
    const input = String(request).replace(/(?<![\p{L}\p{N}])\d+(?![\p{L}\p{N}])/gu, 'x?');
    return { kind: 'invalid', input, change: 'with words for numbers', deep: true };
  });
  return [{ kind: 'invalid', input: noMessage, change: 'no message at all' }, ...garbled];
}

/** What slips into a text where a number, time or object was not what it seemed. */
const SLIPPED = /(?<![\p{L}\p{N}])(?:NaN|Invalid Date|\[object Object\])(?![\p{L}\p{N}])/u;

/** Whether the request, what was told, the document or an answer of a case says so itself. */
function maySay(slip: string, { agreement, cases }: Subject, input: Json, { calls }: Observation): boolean {
  const told = [
    input,
    cases.map(({ response }) => response),
    calls.map(({ output, error }) => [output, error?.message]),
  ];
  return `${agreement.text}${JSON.stringify(told)}`.includes(slip);
}

/** An answer that is empty, or has none of the names that the document gives to answers of its kind. */
function misnamed(
  { subject, cases }: CheckFacts,
  { kind, input, missing, reshaped, emptied }: GeneratedInput,
  seen: Observation,
): { message: string; certain: boolean } | undefined {
  const { value } = seen;
  if (subject.role === 'requester' || value === undefined) return undefined;
  const { ownFailures, invalidRequests, missingMembers, incomplete } = documentedAnswersOf(subject);
  const isInvalid = kind === 'invalid';
  if (isEmpty(value) && !cases.some(({ one }) => isEmpty(one.output)))
    return { message: 'the answer is empty', certain: !isInvalid || invalidRequests.length > 0 };
  const slip = SLIPPED.exec(JSON.stringify(value))?.[0];
  if (slip !== undefined && !maySay(slip, subject, input, seen))
    return {
      message: `the answer says ${slip}`,
      certain: !isInvalid || (typeof input === 'string' && invalidRequests.length > 0),
    };
  const wanted =
    isInvalid && (isEmpty(input) || input === noMessage) && requires(subject)
      ? invalidRequests
      : isInvalid && missing !== undefined && isOwed(subject, missing)
        ? missingMembers
        : [];
  if (wanted.length > 0 && !holdsConstant(value, [...wanted, ...incomplete])) {
    // What nobody looks at nobody misses.
    const unused = missing !== undefined && cases.some(({ seen: before }) => equalJson(before.value ?? null, value));
    // A text that cannot be read at all may have another fault first.
    const isOther = input === noMessage && reportsFailure(value) === true;
    return {
      message: `the answer has none of ${wanted.join(', ')}, by which the document names it`,
      certain: !unused && !isOther,
    };
  }
  const shown = cases.some(({ one }) => holdsConstant(one.output, ownFailures));
  if (
    reshaped &&
    !isInvalid &&
    !shown &&
    holdsConstant(value, ownFailures) &&
    // Something that is asked for may be unavailable, which is no failure of ours.
    meansOwnFailures(subject, emptied ? FAILS : OWN_FAILURES) &&
    areCallsOfACase(cases, seen)
  )
    return { message: 'every tool answered as in a case, and the answer blames a failure of ours', certain: true };
  return undefined;
}

/** Whether every sentence that has a name of our own failures says such a failure in other words too. */
function meansOwnFailures(subject: Subject, failing: RegExp): boolean {
  const { ownFailures } = documentedAnswersOf(subject);
  const rest = (sentence: string): string => ownFailures.reduce((text, name) => text.replaceAll(name, ' '), sentence);
  return sentencesOf(subject.agreement).every(
    (sentence) => !ownFailures.some((name) => hasWord(sentence, name)) || failing.test(rest(sentence)),
  );
}

/** Whether there were calls, and one case has each of them with what it gave. */
function areCallsOfACase(cases: CheckFacts['cases'], { calls }: Observation): boolean {
  return (
    calls.length > 0 &&
    cases.some(({ seen }) =>
      calls.every(({ tool, input, output }) =>
        seen.calls.some(
          (call) =>
            call.tool === tool &&
            output !== undefined &&
            call.output !== undefined &&
            equalJson(call.input, input) &&
            equalJson(call.output, output),
        ),
      ),
    )
  );
}

function isEmpty(value: Json): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** Whether an empty request breaks the agreement. */
function requires({ payload, requestSchema }: Subject): boolean {
  return (
    payload === 'text' ||
    (isObject(requestSchema) && Array.isArray(requestSchema.required) && requestSchema.required.length > 0)
  );
}

/** Whether a member must be there for more than to be sent back. */
function isOwed({ requestSchema, cases }: Subject, name: string): boolean {
  const required = isObject(requestSchema) && Array.isArray(requestSchema.required) ? requestSchema.required : [];
  const isEcho = cases.every(
    ({ request, response }) =>
      isObject(request) && isObject(response) && equalJson(request[name] ?? null, response[name] ?? null),
  );
  return required.includes(name) && !isEcho && !CORRELATION_NAME.test(name);
}

/** Fewer broken requests than this do not show that a handler never minds. */
const leastBroken = 4;

/** The names that the document has for the answer to a broken request, where not one of many such requests was answered with any of them. */
function unheardConstants(
  { subject }: CheckFacts,
  inputs: readonly GeneratedInput[],
  seen: readonly Observation[],
): string[] {
  if (subject.role === 'requester') return [];
  const { invalidRequests } = documentedAnswersOf(subject);
  const answers = inputs.flatMap(({ kind, deep }, index) =>
    kind === 'invalid' && deep !== true ? [seen[index]?.value ?? null] : [],
  );
  const heard = answers.some((answer) => holdsConstant(answer, invalidRequests));
  return invalidRequests.length === 0 || answers.length < leastBroken || heard ? [] : invalidRequests;
}

function faultOf(
  facts: CheckFacts,
  { kind, input, deep }: GeneratedInput,
  seen: Observation,
  answerable: boolean,
): { message: string; certain: boolean } | undefined {
  const { subject } = facts;
  const rules = failureRulesOf(subject.agreement.text);
  const owed = kind === 'plausible' || (rules.invalidRequests && deep !== true) || (kind === 'sampled' && answerable);
  if (seen.end === 'timed-out' || seen.end === 'out-of-memory' || seen.end === 'killed')
    return { message: `the run ended as "${seen.end}"`, certain: true };
  if (subject.role === 'requester') return undefined;
  if (seen.end !== 'returned' || seen.value === undefined) {
    const passedThrough = seen.calls.some(
      ({ error }) => error !== undefined && seen.message?.includes(error.message.slice(0, 80)),
    );
    if (passedThrough && !answerable) return undefined;
    return {
      message: `it throws${seen.message ? `: ${seen.message}` : ''}`,
      certain:
        !passedThrough &&
        (owed ||
          (kind === 'sampled' &&
            /^(?:Uncaught )?(?:TypeError|ReferenceError)\b/.test(seen.message ?? '') &&
            hasFailingCase(subject))),
    };
  }
  const [issue] = seen.issues;
  if (!issue) {
    // An empty text of the request may come back.
    const emptied = JSON.stringify(input).includes('""') ? undefined : emptiedText(subject, seen.value);
    if (emptied !== undefined) return { message: `the answer has an empty text at ${emptied}`, certain: true };
    return undefined;
  }
  const value = issue.pointer === '' ? undefined : valueAt(seen.value, issue.pointer);
  const fromRequest = kind === 'invalid' && (value === undefined || holds(input, value));
  // What comes in broken and goes out again as it came is the peer's own; the document would have to say more.
  if (fromRequest) return undefined;
  const fromTool = seen.calls.some(
    ({ output }) =>
      output !== undefined && (value === undefined ? mayBeHandedOn(subject, issue) : holds(output, value)),
  );
  return {
    message: `the answer breaks its schema at "${issue.pointer}": ${issue.message}`,
    certain: owed && !fromTool,
  };
}

/** Whether what is wrong with an answer as a whole may be how a tool or the request had it: not where a member is missing that neither of them knows. */
function mayBeHandedOn({ tools, requestSchema }: Subject, { keyword, expected }: SchemaIssue): boolean {
  if (keyword !== 'required' || typeof expected !== 'string') return true;
  const told = tools.map(({ outputSchema, examples, otherwise }) => ({ outputSchema, examples, otherwise }));
  return JSON.stringify([told, requestSchema]).includes(`${JSON.stringify(expected)}:`);
}

/** Whether a value stands somewhere in another. */
function holds(whole: Json, part: Json): boolean {
  if (equalJson(whole, part)) return true;
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.values(whole).some((item) => holds(item, part));
}

/** Tools of which each has an answer to any input: its own, or the first that its examples show. */
function withSomeAnswer(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) => {
    const shown = tool.examples?.find((example) => 'output' in example && example.output !== null);
    return tool.otherwise || !shown || !('output' in shown) ? tool : { ...tool, otherwise: { output: shown.output } };
  });
}
