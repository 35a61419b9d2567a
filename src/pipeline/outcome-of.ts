import type { Reason } from '../../queues/index.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { Language, Statement } from '../contract/statement.ts';
import { families } from '../families/families.ts';
import type { Taken } from '../intake/intake.ts';
import { familyIn, protocolHashOf, readableOf } from '../intake/readable.ts';
import { type Conclusion, statementsOf } from '../job/conclusion.ts';
import { Ledger } from '../job/ledger.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';

/** The parts of a job that an outcome needs. Its data may be anything. */
type Job = Pick<Taken, 'jobId' | 'kind' | 'data' | 'dataDigest'>;

/** Builds the outcome of a job: what could be read of its data, how it ended, and the report. */
export function outcomeOf(taken: Job, ledger: Ledger, conclusion: Conclusion): Outcome {
  const { verdict, findings, proposals, handler, language } = conclusion;
  const { replyTo: _, ...readable } = readableOf(taken.kind, taken.data);
  ledger.tell({
    type: 'ended',
    verdict,
    codes: [...new Set(findings.filter(({ severity }) => severity === 'error').map(({ code }) => code))],
    durationMs: ledger.elapsedMs,
    modelMs: ledger.modelMs,
    ownMs: Math.max(0, ledger.elapsedMs - ledger.modelMs),
  });
  return {
    ...readable,
    jobId: taken.jobId,
    dataDigest: taken.dataDigest,
    verdict,
    messages: messagesOf(statementsOf(conclusion, readable.kind), taken.data, language),
    ...(proposals === undefined ? {} : { proposals: messagesOf(proposals, taken.data, language) }),
    protocolHash: protocolHashOf(taken.data),
    handler:
      handler === undefined
        ? null
        : {
            digest: handler.digest,
            role: handler.role,
            abi: handler.abi,
            tools: handler.tools,
            amendments: handler.amendments,
          },
    findings,
    report: ledger.report(),
  };
}

/** The `error` outcome of a job that no worker could finish, built from what can be read of its data. */
export function errorEnvelope(kind: string, data: unknown, { code, message, pointer }: Reason) {
  const { replyTo: _, ...readable } = readableOf(kind, data);
  const finding = {
    code,
    severity: 'error',
    in: 'job',
    message,
    ...(pointer === undefined ? {} : { pointer }),
  } as const;
  return {
    ...readable,
    verdict: 'error' as const,
    messages: messagesOf(statementsOf({ verdict: 'error', findings: [] }, readable.kind), data),
    protocolHash: protocolHashOf(data),
    handler: null,
    findings: [finding],
    report: new Ledger({ jobId: '', negotiationId: null }, () => undefined).report(),
  };
}

/** The messages to the peer, in the format of the job's family. */
export function messagesOf(statements: readonly Statement[], data: unknown, language: Language = 'en'): JsonObject[] {
  const family = familyIn(data) ?? families[0];
  const agreement = isObject(data) ? (data.agreement ?? null) : null;
  const supplied = isObject(data) ? data.supplied : undefined;
  const job = { agreement, ...(supplied === undefined ? {} : { supplied }) };
  return statements.flatMap((one) => family.say(one, job, language));
}
