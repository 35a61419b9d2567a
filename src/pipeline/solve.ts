import type { HandlerRecord } from '../contract/handler.ts';
import { Deadline } from '../kernel/deadline.ts';
import { CodedError } from '../kernel/errors.ts';
import { brief } from './brief.ts';
import { generate } from './generate.ts';
import { handlerKey } from './handler-key.ts';
import type { Received } from './intake.ts';
import type { Ledger } from './ledger.ts';
import { lookup } from './lookup.ts';
import type { Measure } from './measure.ts';
import { store } from './store.ts';
import type { Workshop } from './workshop.ts';

/**
 * Comes by a verified handler: a stored one that passes this job's cases, else a new one, generated once however many jobs ask for it at the same
 * moment. Rejects with `PLATFORM_DEADLINE` where another's generation took too long.
 */
export async function solve(
  measure: Measure,
  { deadline, work }: Received,
  shop: Workshop,
  ledger: Ledger,
): Promise<HandlerRecord> {
  const { tenant } = measure.cleared.job;
  const key = handlerKey(measure.cleared);
  const record = await shop.handlers.once(tenant, key, {
    untilMs: work.atMs,
    signal: work.signal,
    found: () => lookup(measure, key, shop, ledger, work.signal),
    work: async (signal) => {
      const order = await ledger.stage('prompt', () => brief(measure));
      const tested = await generate(order, shop, ledger, new Deadline(work.atMs, signal), deadline);
      return ledger.stage('store', () => store(tested, order, key, ledger, shop));
    },
  });
  if (record === null)
    throw new CodedError(
      'PLATFORM_DEADLINE',
      'Cannot finish job: another worker is still generating the same handler, wanted it in time',
    );
  return record;
}
