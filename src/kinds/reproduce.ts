import { exportNameOf, type HandlerRecord } from '../contract/handler.ts';
import type { CaseReport } from '../contract/outcome.ts';
import type { Observation, Scenario, Trier } from '../contract/trial.ts';
import { judgeKept } from '../deriving/judge-kept.ts';
import { type Complaint, concerns } from '../documents/read-complaint.ts';
import { storedSurface } from '../hosting/surface.ts';
import { createTrier } from '../hosting/trier.ts';
import type { Ledger } from '../job/ledger.ts';
import type { Requirements } from '../job/requirements.ts';
import { retryLost } from '../job/retry-lost.ts';
import type { Services } from '../job/services.ts';
import type { Deadline } from '../kernel/deadline.ts';
import type { Json } from '../kernel/json.ts';
import { caseScenarios } from '../verification/case-scenarios.ts';
import { judgeCases } from '../verification/judge-cases.ts';
import { runnableCases } from '../verification/runnable-cases.ts';
import type { Subject } from '../verification/subject.ts';
import { isEndedByLimit, noAnswerFault, probesOf, quotedOf, type Reproduced } from './reproduce-probes.ts';

/** The result of trying to reproduce the fault that a peer complains about. */
export interface Reproduction {
  faults: Reproduced[];
  /** Empty if a run that hit a limit kept the cases from being judged. */
  cases: CaseReport[];
  /**
   * The message that the handler sent in a run that replays the complaint, else in a case; `null` if it sent
   * none.
   */
  sent: Json | null;
  /**
   * Whether the message that the complaint quotes as ours satisfies the agreement; `null` if it quotes none.
   */
  quoted: 'keeps' | 'breaks' | null;
}

/** Least time for the runs beyond the cases, in milliseconds, however little is left. */
const leastProbeMs = 1_000;

/**
 * Runs a handler on the cases, on what the complaint quotes, and on generated inputs, and looks for messages that break
 * the agreement where the complaint says so. All messages are checked against the schema. Runs of quoted requests are
 * also checked against the cases, the ids to echo and the listed failures. The derived cases of its proof are checked
 * as well. Only what the handler does in a run counts, never what the complaint claims. A run that hits a limit ends
 * the search. The runs beyond the cases may take half of the time that is left.
 */
export async function reproduce(
  record: Pick<HandlerRecord, 'role' | 'bundle' | 'tools'> & Partial<Pick<HandlerRecord, 'proof'>>,
  requirements: Requirements,
  complaint: Complaint,
  services: Services,
  ledger: Ledger,
  deadline: Deadline,
  signal: AbortSignal,
): Promise<Reproduction> {
  const { subject, schemas } = requirements;
  const handler = await services.sandbox.load(record.bundle, exportNameOf(record.role));
  try {
    const trier = createTrier(handler, storedSurface(record, schemas), () => undefined, subject.trialSeed);
    const run = (scenario: Scenario) =>
      ledger.stage('trial', () =>
        retryLost(async () => (await trier.try([scenario], signal))[0] as Observation, signal),
      );
    const seen: Observation[] = [];
    for (const scenario of caseScenarios(subject)) {
      const one = await run(scenario);
      seen.push(one);
      if (isEndedByLimit(one))
        return { faults: [noAnswerFault(scenario.input, one)], cases: [], sent: null, quoted: null };
    }
    const cases = judgeCases(subject, seen);
    const isConcerned = ({ pointer }: Reproduced) => pointer === '' || concerns(complaint, pointer);
    const derived = record.proof && (await derivedFaults(record.proof, subject, trier, signal));
    const faults = [...caseFaults(subject, cases), ...(derived ?? [])].filter(isConcerned);
    const fromQuoted: Json[] = [];
    const untilMs = Date.now() + Math.max(leastProbeMs, deadline.leftMs() / 2);
    for (const probe of probesOf(requirements, complaint)) {
      if (Date.now() > untilMs) break;
      const one = await run(probe.scenario);
      const found = probe.faultsIn(one);
      // If the complaint gives no pointer, its words may match member names by chance, so they do not filter
      // the faults of a quoted run.
      faults.push(...(probe.quoted && complaint.pointers.length === 0 ? found : found.filter(isConcerned)));
      if (probe.quoted) fromQuoted.push(...messagesOf(subject, one));
      if (isEndedByLimit(one) && found.length > 0) break;
    }
    return {
      faults,
      cases,
      sent: [...fromQuoted, ...seen.flatMap((one) => messagesOf(subject, one))][0] ?? null,
      quoted: quotedOf(requirements, complaint),
    };
  } finally {
    await handler.close();
  }
}

/** The faults in the cases that a peer can see: a requester's output is internal. */
function caseFaults(subject: Subject, cases: readonly CaseReport[]): Reproduced[] {
  const runnable = runnableCases(subject);
  return cases.flatMap(({ testCase, differences }) =>
    differences
      .filter((one) => one.in !== 'output')
      .map(({ path, message, got }) => ({
        input: runnable.find((one) => one.testCase === testCase)?.input ?? null,
        pointer: path,
        testCase,
        message: message ?? 'it answers otherwise than the case',
        ...(got === undefined ? {} : { got }),
      })),
  );
}

/** The faults in the confirmed derived cases that a peer can see. */
async function derivedFaults(
  proof: HandlerRecord['proof'],
  subject: Subject,
  trier: Trier,
  signal: AbortSignal,
): Promise<Reproduced[]> {
  const { confirmed } = await retryLost(() => judgeKept(proof, subject, trier, signal), signal);
  const visible = subject.role === 'provider' ? 'answer' : 'sends';
  return confirmed.flatMap(({ entry, world, breaches }) =>
    breaches
      .filter(({ place, of }) => place === visible && of !== 'count')
      .map(({ at = '', message, got }) => ({
        input: world.scenario.input,
        pointer: at,
        message: `${entry.claim}: ${message}`,
        ...(got === undefined ? {} : { got }),
      })),
  );
}

/** The messages that a run sent to the peer. */
function messagesOf({ role }: Subject, { value, sends }: Observation): Json[] {
  if (role === 'requester') return sends.map(({ request }) => request);
  return value === undefined ? [] : [value];
}
