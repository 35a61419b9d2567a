import { startReading } from '../deriving/read.ts';
import { handlerKey } from '../handlers/handler-key.ts';
import { type Budget, openBudget } from '../job/budget.ts';
import type { Solved } from '../job/leave.ts';
import type { Ledger } from '../job/ledger.ts';
import type { Measure } from '../job/measure.ts';
import type { Received } from '../job/received.ts';
import type { Workshop } from '../job/workshop.ts';
import { Deadline } from '../kernel/deadline.ts';
import { CodedError } from '../kernel/errors.ts';
import { brief } from './brief.ts';
import { finishReading } from './finish-reading.ts';
import { type Generation, generate } from './generate.ts';
import { lookup } from './lookup.ts';
import { store } from './store.ts';

/**
 * Comes by a verified handler: a stored one that passes this job's cases, else a new one, generated once however many jobs ask for it at the same
 * moment. Rejects with `PLATFORM_DEADLINE` where another's generation took too long.
 */
export async function solve(
  measure: Measure,
  { deadline, work }: Received,
  shop: Workshop,
  ledger: Ledger,
): Promise<Solved & { budget: Budget }> {
  const { tenant } = measure.cleared.job;
  const key = handlerKey(measure.cleared);
  const asker = { shop, ledger, budget: await openBudget(shop, ledger.jobId, tenant) };
  const solved = await shop.handlers.once<Solved>(tenant, key, {
    untilMs: work.atMs,
    signal: work.signal,
    found: () => lookup(measure, key, asker, work, deadline),
    work: async (signal) => {
      const bounded = new Deadline(work.atMs, signal);
      // It is read while the candidate is written, so that it costs little time.
      const reading = startReading(measure, asker, work);
      const order = await ledger.stage('prompt', () => brief(measure));
      const generation: Generation = { ...asker, brief: order, reading, deadline: bounded, patience: deadline };
      const tested = await generate(generation);
      const handler = await ledger.stage('store', () => store(tested, order, key, ledger, shop, reading));
      const hasNothing = reading.isSettled && reading.current().reading.derived.length === 0;
      if (tested.isWholeReading || hasNothing || reading.mode !== 'late') return { handler };
      const later = () => finishReading(handler, tested, { ...generation, deadline: work }, key);
      return { handler, later };
    },
  });
  if (solved === null)
    throw new CodedError(
      'PLATFORM_DEADLINE',
      'Cannot finish job: another worker is still generating the same handler, wanted it in time',
    );
  return { ...solved, budget: asker.budget };
}
