import { NO_TENANT } from '../../../queues/index.ts';
import { counted, span } from '../shell/print.ts';
import { type Concern, named, ranked, rounded, worrying } from './concern.ts';
import type { Situation } from './situation.ts';
import { sumOf } from './situation-parts.ts';

/** Age of an unread outcome above which its reader is behind, in seconds. */
const behindAfterSeconds = 30;

/** What is wrong with jobs and their deadlines. */
export function ofJobs({ queue, backlog, recent, invalid, workers }: Situation): Concern[] {
  const found: Concern[] = [];
  const overdue = queue?.deadlines.overdue ?? 0;
  if (overdue > 0)
    found.push({
      code: 'jobs-overdue',
      cause: `${counted(overdue, 'job')} past their deadline without an outcome`,
      cost: 'their peers wait in vain: no worker runs, or the first one has just started',
      remedy: 'start a worker: `protosmith worker`',
    });
  const { open, willMiss, ratePerSecond } = backlog;
  const isHeard = workers.some(({ life }) => life === 'alive') || queue?.workers === 0;
  if ((willMiss ?? 0) > 0 && isHeard) {
    const age = queue?.oldestWaitingAgeSeconds ?? null;
    const rate = ratePerSecond === 0 ? 'no job ends' : `${rounded(ratePerSecond ?? 0)} jobs end per second`;
    found.push({
      code: 'jobs-late',
      cause: `${willMiss} of ${counted(open, 'open job')} will miss the deadline at the current rate: ${rate}${age === null ? '' : `, the oldest has waited ${span(age)}`}`,
      cost: 'they end with error at their deadline',
      remedy:
        ratePerSecond === 0
          ? 'mend what holds the workers, or start some: `protosmith worker`'
          : 'start more workers, or raise PROTOSMITH_CONCURRENCY while the model server keeps up',
    });
  }
  const ended = sumOf(recent.verdicts);
  const errors = recent.verdicts.error ?? 0;
  if (errors >= worrying.least && errors > worrying.share * ended)
    found.push({
      code: 'many-errors',
      cause: `${errors} of ${counted(ended, 'job')} of the last five minutes ended with error: ${ranked(recent.codes)}`,
      cost: 'their negotiators get no verdict',
      remedy: 'docs/errors.md says for each code who has to act; `protosmith inspect <job>` shows one job',
    });
  const groups = Map.groupBy(invalid, ({ code, tenant, replyTo }) => JSON.stringify([code, tenant, replyTo]));
  for (const jobs of [...groups.values()].slice(0, 5)) {
    const [{ code, tenant, replyTo, jobId }] = jobs as [(typeof jobs)[number]];
    found.push({
      code: 'invalid-jobs',
      cause: `${counted(jobs.length, 'job')} of tenant ${tenant ?? 'unknown'}, with answers to ${replyTo}, ended with ${code}: the last one is ${named(jobs.at(-1)?.jobId ?? jobId)}`,
      cost: 'each ends with error at once, and its negotiator has no handler',
      remedy: `\`protosmith inspect ${named(jobs.at(-1)?.jobId ?? jobId)}\` shows what is wrong; tell its producer`,
    });
  }
  return found;
}

/** The tenant that has most of the waiting jobs, if other tenants are there. */
export function ofTenants({ tenants, workers }: Situation): Concern[] {
  const waiting = tenants.reduce((sum, one) => sum + one.waiting, 0);
  const slots = workers.reduce((sum, { life, concurrency }) => sum + (life === 'alive' ? concurrency : 0), 0);
  const [most] = tenants.toSorted((one, other) => other.waiting - one.waiting);
  const others = tenants.length - 1;
  if (most === undefined || others < 1 || waiting < Math.max(20, 2 * slots) || most.waiting * 2 <= waiting) return [];
  // Jobs without a readable tenant cannot be limited alone.
  const limit = most.tenant === NO_TENANT ? 'tenant-waiting' : `tenant-waiting:${most.tenant}`;
  return [
    {
      code: 'tenant-flood',
      cause: `tenant ${most.tenant} has about ${most.waiting} of ${waiting} waiting jobs; ${counted(others, 'other tenant')} ${others === 1 ? 'is' : 'are'} active`,
      cost: 'tenants take turns, and jobs of the others wait up to twice as long',
      remedy: `ask its negotiators to slow down, start more workers, or \`protosmith limits set ${limit} <most>\``,
    },
  ];
}

/** The readers that are behind. */
export function ofReaders({ readers }: Situation): Concern[] {
  return readers
    .filter(({ behindSeconds }) => (behindSeconds ?? 0) > behindAfterSeconds)
    .slice(0, 10)
    .map(({ replyTo, group, unread, pending, behindSeconds }) => ({
      code: 'reader-behind',
      cause: `group ${group} is behind on outcomes of ${replyTo}: ${unread ?? 'some'} not read, ${pending} not acknowledged, the oldest for ${span(behindSeconds ?? 0)}`,
      cost: 'its negotiators wait for outcomes that are ready, and that are deleted when the retention ends',
      remedy: 'restart the reader, or let another one of its group take its entries over with XAUTOCLAIM',
    }));
}

/** What is kept for an operator: quarantine and dead letters. */
export function ofLeftovers({ queue, quarantine }: Situation): Concern[] {
  const found: Concern[] = [];
  const unseen = quarantine.filter(({ acknowledged }) => !acknowledged);
  const [last] = unseen;
  if (last !== undefined)
    found.push({
      code: 'quarantine',
      cause: `${counted(unseen.length, 'bundle')} that killed a sandbox ${unseen.length === 1 ? 'is' : 'are'} in quarantine, the last one ${last.digest.slice(0, 12)}${last.jobId === null ? '' : `, run for job ${named(last.jobId)} of tenant ${last.tenant ?? 'unknown'}`}`,
      cost: 'no worker runs them; jobs that need such a handler get another',
      remedy: '`protosmith quarantine list` explains them; `quarantine acknowledge --all` ends this warning',
    });
  const failed = queue?.counts.failed ?? 0;
  if (failed > 0)
    found.push({
      code: 'dead-letters',
      cause: counted(failed, 'dead letter'),
      cost: 'their negotiators got an error; the jobs are kept until you decide',
      remedy: '`protosmith dead-letters list` shows them, `requeue` or `discard` ends them',
    });
  return found;
}
