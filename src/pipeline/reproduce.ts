import { type Complaint, concerns, type QuotedExchange, quotedExchanges } from '../analysis/read-complaint.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { CaseReport } from '../contract/outcome.ts';
import type { Observation, Scenario } from '../contract/trial.ts';
import { Surface } from '../hosting/surface.ts';
import { createTrier } from '../hosting/trier.ts';
import type { Json } from '../kernel/json.ts';
import { caseScenarios, judgeCases } from '../verification/case-scenarios.ts';
import { generateInputs } from '../verification/generated-inputs.ts';
import { observeExchanges } from '../verification/observe-exchanges.ts';
import type { Ledger } from './ledger.ts';
import type { Measure } from './measure.ts';
import { retryLost } from './retry-lost.ts';
import type { Workshop } from './workshop.ts';

/** A fault that a handler was seen to have. */
export interface Reproduced {
  /** What it was given. */
  input: Json;
  /** JSON pointer into its answer; empty where there was none. */
  pointer: string;
  message: string;
  testCase?: number;
  got?: Json;
}

/** What came of trying to see the fault that a peer complains about. */
export interface Reproduction {
  faults: Reproduced[];
  cases: CaseReport[];
  /** The handler's answer to what the complaint quotes, else to a case; `null` where it gave none. */
  answer: Json | null;
  /** How the answer that the complaint quotes stands to the agreement, where our own keeps it; `null` where it quotes none. */
  quoted: 'keeps' | 'breaks' | null;
}

const counts = { plausible: 20, sampled: 20, invalid: 20 } as const;

/**
 * Runs a handler over the cases, the requests that the complaint quotes and generated ones, and looks for answers that break the agreement where the
 * complaint says so: its schema everywhere; in what is quoted also its cases, the ids that must come back and the failures that are listed. What the
 * complaint claims counts for nothing: only what the handler is seen to do.
 */
export async function reproduce(
  record: Pick<HandlerRecord, 'role' | 'bundle' | 'tools'>,
  { subject, schemas, cleared }: Measure,
  complaint: Complaint,
  shop: Workshop,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<Reproduction> {
  const surface = new Surface({
    role: record.role,
    ...schemas,
    toolSchemas: Object.fromEntries(
      Object.entries(schemas.toolSchemas).filter(([name]) => record.tools.includes(name)),
    ),
  });
  const handler = await shop.sandbox.load(record.bundle, record.role === 'provider' ? 'handle' : 'perform');
  try {
    const trier = createTrier(handler, surface, () => undefined);
    const caseRuns = caseScenarios(subject);
    const exchanges = record.role === 'provider' ? quotedExchanges(complaint, isRequestOf(subject)) : [];
    const further = record.role === 'provider' ? furtherInputs(subject, exchanges) : [];
    const [first] = caseRuns;
    const scenarios: Scenario[] = [
      ...caseRuns,
      ...further.map(
        (input, index): Scenario => ({
          ...(first ?? { nowMs: Date.UTC(2026, 0, 15) }),
          input,
          tools: [...subject.tools],
          seed: `complaint-${index}`,
        }),
      ),
    ];
    const observations = await ledger.stage('trial', () => retryLost(() => trier.try(scenarios, signal), signal));
    const cases = judgeCases(subject, observations.slice(0, caseRuns.length));
    const fromCases = cases
      .filter(({ passed }) => !passed)
      .flatMap(({ testCase, differences }): Reproduced[] =>
        differences.map(({ path, message, got }) => ({
          input: subject.cases.find((one) => one.testCase === testCase)?.request ?? null,
          pointer: path,
          testCase,
          message: message ?? 'it answers otherwise than the case',
          ...(got === undefined ? {} : { got }),
        })),
      );
    const fromRuns = observations
      .slice(caseRuns.length)
      .flatMap((seen, index): Reproduced[] =>
        faultsOf(seen, further[index] ?? null, isCertain(subject, further[index] ?? null)),
      );
    const answers = observations.slice(caseRuns.length).slice(0, exchanges.length);
    const fromQuoted = answers.flatMap((seen, index) => {
      const exchange = exchanges[index];
      if (exchange === undefined || seen.value === undefined || seen.issues.length > 0 || failedByTool(seen)) return [];
      return exchangeFaults(cleared, exchange.request, seen.value);
    });
    const [said] = exchanges.flatMap(({ request, response }) =>
      response === undefined ? [] : [{ request, response }],
    );
    return {
      faults: [...fromCases, ...fromQuoted, ...fromRuns].filter(
        ({ pointer }) => pointer === '' || concerns(complaint, pointer),
      ),
      cases,
      answer: [...answers, ...observations].find(({ value }) => value !== undefined)?.value ?? null,
      quoted:
        said === undefined
          ? null
          : exchangeFaults(cleared, said.request, said.response).length > 0
            ? 'breaks'
            : 'keeps',
    };
  } finally {
    await handler.close();
  }
}

/** What is wrong with an answer to a request, whoever gave it. */
function exchangeFaults({ job, agreement }: Measure['cleared'], request: Json, response: Json): Reproduced[] {
  const root = '/0/response';
  // Seen from the side that asks, so that the answer is what is judged.
  return observeExchanges({ job: { ...job, role: 'requester', exchanges: [{ request, response }] }, agreement })
    .filter(({ severity, pointer = '' }) => severity === 'error' && pointer.startsWith(root))
    .map(({ message, pointer = '', testCase, actual }) => ({
      input: request,
      pointer: pointer.slice(root.length),
      message,
      ...(testCase === undefined ? {} : { testCase }),
      ...(actual === undefined ? {} : { got: actual }),
    }));
}

function isRequestOf(subject: Measure['subject']): (value: Json) => boolean {
  return (value) => subject.surface.requestIssues(value).length === 0;
}

/** The requests that a complaint quotes come first, then generated ones. */
function furtherInputs(subject: Measure['subject'], exchanges: readonly QuotedExchange[]): Json[] {
  const isRequest = isRequestOf(subject);
  const known = subject.cases.map(({ request }) => request);
  const generated =
    subject.requestSchema === null ? [] : generateInputs(subject.requestSchema, known, isRequest, 'complaint', counts);
  return [...exchanges.map(({ request }) => request), ...generated.map(({ input }) => input)];
}

/** Whether the agreement certainly wants an answer to a request: there is a schema, and it is valid. How invalid ones are answered, not every protocol says. */
function isCertain(subject: Measure['subject'], input: Json): boolean {
  return subject.requestSchema !== null && subject.surface.requestIssues(input).length === 0;
}

function faultsOf(seen: Observation, input: Json, certain: boolean): Reproduced[] {
  if (seen.end !== 'returned')
    return certain && !failedByTool(seen)
      ? [{ input, pointer: '', message: `it gives no answer: ${seen.message ?? seen.end}` }]
      : [];
  return seen.issues.map(({ pointer, message, actual }) => ({
    input,
    pointer,
    message: `its answer breaks the schema: ${message}`,
    ...(actual === undefined ? {} : { got: actual }),
  }));
}

/** A tool that has no example for a made-up request says nothing about the handler. */
function failedByTool({ calls }: Observation): boolean {
  return calls.some(({ error }) => error !== undefined);
}
