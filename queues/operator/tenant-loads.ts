import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';

/** Tenants that are looked at, those with the latest deadlines first. */
const MOST_TENANTS = 1_000;

/** Running jobs that are looked at. */
const MOST_RUNNING = 10_000;

/** How many jobs a tenant has on the queue. */
export interface TenantLoad {
  /** `?` for jobs whose data do not say. */
  tenant: string;
  /** Jobs that no worker has taken yet. Jobs that were put back are not among them. */
  waiting: number;
  running: number;
}

/** The load of all tenants. */
export interface TenantLoads {
  /** Those with the most jobs first. */
  tenants: TenantLoad[];
  /** Tenants that were not looked at, because there are too many. */
  leftOut: number;
}

/**
 * Counts the waiting and running jobs of each tenant. Bounded work for Redis, however many jobs wait: one count for
 * each tenant and one read for each running job. A job by a BullMQ client counts within seconds, others at once.
 */
export async function tenantLoads(connection: Connection, keys: Keys): Promise<TenantLoads> {
  const [seconds] = await connection.time();
  const nowMs = Number(seconds) * 1_000;
  const names = await connection.zrevrangebyscore(keys.waitingTenants, '+inf', nowMs, 'LIMIT', 0, MOST_TENANTS);
  const known = await connection.zcount(keys.waitingTenants, nowMs, '+inf');
  const active = await connection.lrange(`${keys.queue}:active`, 0, MOST_RUNNING - 1);
  const asking = connection.pipeline();
  for (const tenant of names) asking.zcount(keys.waiting(tenant), nowMs, '+inf');
  for (const jobId of active) asking.hget(`${keys.queue}:${jobId}`, 'tenant');
  const answers = ((await asking.exec()) ?? []).map(([error, answer]) => (error === null ? answer : null));
  const loads = new Map(
    names.map((tenant, index) => [tenant, { tenant, waiting: Number(answers[index] ?? 0), running: 0 }]),
  );
  for (const tenant of answers.slice(names.length)) {
    if (typeof tenant !== 'string') continue;
    const load = loads.get(tenant) ?? { tenant, waiting: 0, running: 0 };
    loads.set(tenant, { ...load, running: load.running + 1 });
  }
  const tenants = [...loads.values()].filter(({ waiting, running }) => waiting + running > 0);
  tenants.sort((one, other) => other.waiting + other.running - one.waiting - one.running);
  return { tenants, leftOut: Math.max(0, known - names.length) };
}
