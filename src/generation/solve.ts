import { startReading } from '../deriving/read.ts';
import { handlerKey } from '../handlers/handler-key.ts';
import { type Budget, openBudget } from '../job/budget.ts';
import type { Solved } from '../job/conclusion.ts';
import type { Ledger } from '../job/ledger.ts';
import type { Received } from '../job/received.ts';
import type { Requirements } from '../job/requirements.ts';
import type { Services } from '../job/services.ts';
import { Deadline } from '../kernel/deadline.ts';
import { CodedError } from '../kernel/errors.ts';
import { assignmentFor } from './assignment.ts';
import { findHandler } from './find-handler.ts';
import { finishReading } from './finish-reading.ts';
import { type Generation, generate } from './generate.ts';
import { store } from './store.ts';

/**
 * Returns a verified handler: a stored one that passes this job's cases, else a new one. Jobs that need the
 * same handler at the same time generate it once. Rejects with `PLATFORM_DEADLINE` if the job that generates it
 * takes too long.
 */
export async function solve(
  requirements: Requirements,
  { peerDeadline, workDeadline }: Received,
  services: Services,
  ledger: Ledger,
): Promise<Solved & { budget: Budget }> {
  const { tenant } = requirements.cleared.job;
  const key = handlerKey(requirements.cleared);
  const context = { services, ledger, budget: await openBudget(services, ledger.jobId, tenant) };
  const solved = await services.handlers.once<Solved>(tenant, key, {
    untilMs: workDeadline.atMs,
    signal: workDeadline.signal,
    found: () => findHandler(requirements, key, context, workDeadline, peerDeadline),
    work: async (signal) => {
      const bounded = new Deadline(workDeadline.atMs, signal);
      // The reading runs while the candidate is written, so it costs little time.
      const reading = startReading(requirements, context, workDeadline);
      const assignment = await ledger.stage('prompt', () => assignmentFor(requirements, services));
      const generation: Generation = { ...context, assignment, reading, deadline: bounded, peerDeadline };
      const tested = await generate(generation);
      const handler = await ledger.stage('store', () => store(tested, assignment, key, ledger, services, reading));
      const hasNoDerived = reading.isSettled && reading.current().reading.derived.length === 0;
      if (tested.isWholeReading || hasNoDerived || reading.mode !== 'late') return { handler };
      const later = () => finishReading(handler, tested, { ...generation, deadline: workDeadline }, key);
      return { handler, later };
    },
  });
  if (solved === null)
    throw new CodedError(
      'PLATFORM_DEADLINE',
      'Cannot finish job: another worker is still generating the same handler, wanted it in time',
    );
  return { ...solved, budget: context.budget };
}
