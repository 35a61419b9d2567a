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
import { endless, noAnswer, probesOf, quotedOf, type Reproduced } from './reproduce-probes.ts';

/** What came of trying to see the fault that a peer complains about. */
export interface Reproduction {
  faults: Reproduced[];
  /** Empty where a run without end kept the cases from being judged. */
  cases: CaseReport[];
  /** The message that the handler sent where the complaint quotes one, else in a case; `null` where it sent none. */
  sent: Json | null;
  /** How the message that the complaint quotes as ours stands to the agreement, where our own keeps it; `null` where it quotes none. */
  quoted: 'keeps' | 'breaks' | null;
}

/** Time for what lies beyond the cases, in milliseconds, however little is left. */
const leastProbeMs = 1_000;

/**
 * Runs a handler over the cases, over what the complaint quotes, and over generated inputs. Looks for messages that
 * break the agreement where the complaint says so. Everywhere, that is the schema. In what is quoted, it is also the
 * cases, the ids that must come back and the failures that are listed. In the derived cases of its proof, it is those.
 * What the complaint claims counts for nothing, only what the handler is seen to do. A run without end ends the search.
 * What lies beyond the cases may take half of the time that is left.
 */
export async function reproduce(
  record: Pick<HandlerRecord, 'role' | 'bundle' | 'tools'> & Partial<Pick<HandlerRecord, 'proof'>>,
  held: Requirements,
  complaint: Complaint,
  services: Services,
  ledger: Ledger,
  deadline: Deadline,
  signal: AbortSignal,
): Promise<Reproduction> {
  const { subject, schemas } = held;
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
      if (endless(one)) return { faults: [noAnswer(scenario.input, one)], cases: [], sent: null, quoted: null };
    }
    const cases = judgeCases(subject, seen);
    const isSpokenOf = ({ pointer }: Reproduced) => pointer === '' || concerns(complaint, pointer);
    const derived = record.proof && (await derivedFaults(record.proof, subject, trier, signal));
    const faults = [...caseFaults(subject, cases), ...(derived ?? [])].filter(isSpokenOf);
    const fromQuoted: Json[] = [];
    const untilMs = Date.now() + Math.max(leastProbeMs, deadline.leftMs() / 2);
    for (const probe of probesOf(held, complaint)) {
      if (Date.now() > untilMs) break;
      const one = await run(probe.scenario);
      const found = probe.faultsIn(one);
      // Words may be names of members by chance; what is quoted is meant.
      faults.push(...(probe.quoted && complaint.pointers.length === 0 ? found : found.filter(isSpokenOf)));
      if (probe.quoted) fromQuoted.push(...messagesOf(subject, one));
      if (endless(one) && found.length > 0) break;
    }
    return {
      faults,
      cases,
      sent: [...fromQuoted, ...seen.flatMap((one) => messagesOf(subject, one))][0] ?? null,
      quoted: quotedOf(held, complaint),
    };
  } finally {
    await handler.close();
  }
}

/** What a handler gets wrong in the cases, as far as a peer can see it: a requester's output is nobody else's. */
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

/** What a handler gets wrong in the derived cases that were borne out, as far as a peer can see it. */
async function derivedFaults(
  proof: HandlerRecord['proof'],
  subject: Subject,
  trier: Trier,
  signal: AbortSignal,
): Promise<Reproduced[]> {
  const { held } = await retryLost(() => judgeKept(proof, subject, trier, signal), signal);
  const visible = subject.role === 'provider' ? 'answer' : 'sends';
  return held.flatMap(({ entry, world, breaches }) =>
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

/** The messages that a run put on the wire. */
function messagesOf({ role }: Subject, { value, sends }: Observation): Json[] {
  if (role === 'requester') return sends.map(({ request }) => request);
  return value === undefined ? [] : [value];
}
