import { protocolHashOf, readableOf } from '../../queues/index.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { Taken } from '../intake/intake.ts';
import type { Conclusion } from '../job/leave.ts';
import type { Ledger } from '../job/ledger.ts';

/** Puts the envelope together: what the job said of itself as far as it could be read, how it ended, and what was done for it. */
export function outcomeOf(taken: Taken, ledger: Ledger, conclusion: Conclusion): Outcome {
  const { verdict, messages, findings, proposals, handler } = conclusion;
  const { replyTo: _, ...readable } = readableOf(taken.kind, taken.data);
  ledger.tell({
    type: 'ended',
    verdict,
    codes: [...new Set(findings.filter(({ severity }) => severity === 'error').map(({ code }) => code))],
    durationMs: ledger.elapsedMs,
  });
  return {
    ...readable,
    jobId: taken.jobId,
    dataDigest: taken.dataDigest,
    verdict,
    messages,
    ...(proposals === undefined ? {} : { proposals }),
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
