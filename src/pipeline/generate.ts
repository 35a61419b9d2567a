import { Deadline } from '../kernel/deadline.ts';
import { runnableCases } from '../verification/case-scenarios.ts';
import { appealOfAll } from './appeal.ts';
import { blame } from './blame.ts';
import type { Brief } from './brief.ts';
import { Budget } from './budget.ts';
import type { Tested } from './lane-candidate.ts';
import { raceLanes } from './lane-race.ts';
import type { Work } from './lane-work.ts';
import type { Ledger } from './ledger.ts';
import type { Workshop } from './workshop.ts';

/**
 * Has a handler written and proves it. Leaves with `error` where no candidate could be verified, or with `disputed` where independent voices say that
 * it is the agreement's fault. `deadline` bounds the work, `patience` is the peer's deadline.
 */
export async function generate(
  brief: Brief,
  shop: Workshop,
  ledger: Ledger,
  deadline: Deadline,
  patience: Deadline = deadline,
): Promise<Tested> {
  ledger.generator = { kind: shop.completer.generator, model: shop.model };
  ledger.verification = runnableCases(brief.subject).length > 0 ? 'negotiated' : 'schema-only';
  const { jobId } = ledger;
  const spent = await shop.spending.of(jobId);
  const { tenant } = brief.cleared.job;
  const purse = { take: (tokens: number) => shop.purse.take(tokens, tenant) };
  const budget = new Budget(shop.limits, purse, spent, (more) => shop.spending.note(jobId, more));
  const work: Work = {
    brief,
    shop,
    ledger,
    budget,
    tried: [],
    appeals: new Map(),
    modules: new Map(),
    running: new Set(),
  };
  const wanted = new Deadline(deadline.atMs, deadline.signal, Date.now, patience.atMs);
  const verified = (await raceLanes(work, wanted, patience)) ?? (await appealOfAll(work, wanted));
  const last = verified ?? work.tried.flatMap(({ attempted }) => testedOf(attempted)).at(-1);
  ledger.cases = last?.cases ?? [];
  ledger.checks = last?.checks ?? [];
  if (verified !== null) {
    ledger.generator = { ...ledger.generator, model: verified.model };
    return verified;
  }
  throw await blame(work, patience);
}

function testedOf(attempted: Work['tried'][number]['attempted']): Tested[] {
  return attempted.kind === 'failed' && attempted.tested !== null ? [attempted.tested] : [];
}
