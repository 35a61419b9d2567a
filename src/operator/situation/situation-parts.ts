import type { Deadlines, FailingEndpoint, RestingEndpoint, TenantLoad } from '../../../queues/index.ts';
import type { Tally } from '../../telemetry/heartbeat.ts';
import type { BacklogView, EndpointView, TenantView, WorkerView } from './situation.ts';

/**
 * The rate of the last minute counts once jobs have waited this long, in seconds: until then slots may have been free.
 */
const saturatedSeconds = 60;

/** The sums of the counts of several workers. A name may be any text, even `__proto__`. */
export function totalOf(tallies: readonly Tally[]): Tally {
  const tries = new Map<string, Readonly<Record<string, number>>[]>();
  for (const tally of tallies)
    for (const [endpoint, counts] of Object.entries(tally.tries))
      tries.set(endpoint, [...(tries.get(endpoint) ?? []), counts]);
  return {
    verdicts: added(tallies.map(({ verdicts }) => verdicts)),
    codes: added(tallies.map(({ codes }) => codes)),
    tenants: added(tallies.map(({ tenants }) => tenants)),
    tries: Object.fromEntries([...tries].map(([endpoint, counts]) => [endpoint, added(counts)])),
    // Workers of earlier versions do not count these.
    latency: added(tallies.map(({ latency = {} }) => latency)),
    work: added(tallies.map(({ work = {} }) => work)),
  };
}

function added(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [name, count] of all.flatMap((one) => Object.entries(one))) sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries(sums);
}

/** The sum of counts. */
export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, one) => sum + one, 0);
}

/** How many jobs are open, when their next deadline is, and how many miss theirs at the current rate of the workers. */
export function backlogOf(
  { open, leftMs }: Deadlines,
  workers: readonly WorkerView[],
  waitedSeconds: number | null,
): BacklogView {
  const [next] = leftMs;
  const ratePerSecond = rateOf(workers, waitedSeconds);
  return {
    open,
    nextDeadlineSeconds: next === undefined ? null : next / 1_000,
    ratePerSecond,
    willMiss: ratePerSecond === null ? null : missesAt(ratePerSecond, leftMs, open),
  };
}

/**
 * Outcomes per second: what the workers' slots allow at the mean time of a job; once jobs have waited for a minute, the
 * outcomes of that minute.
 */
function rateOf(workers: readonly WorkerView[], waitedSeconds: number | null): number | null {
  const working = workers.filter(({ life, paused }) => life === 'alive' && paused.length === 0);
  if (working.length === 0) return 0;
  if ((waitedSeconds ?? 0) >= saturatedSeconds)
    return working.reduce((sum, { endedLastMinute }) => sum + endedLastMinute, 0) / 60;
  const known = working.filter(({ meanRunMs }) => typeof meanRunMs === 'number' && meanRunMs > 0);
  if (known.length === 0) return null;
  const slots = working.reduce((sum, { concurrency }) => sum + concurrency, 0);
  const meanMs = known.reduce((sum, { meanRunMs }) => sum + (meanRunMs ?? 0), 0) / known.length;
  return (slots * 1_000) / meanMs;
}

/** How many open jobs miss their deadline if they end at this rate, in the order of their deadlines. */
function missesAt(ratePerSecond: number, leftMs: readonly number[], open: number): number {
  if (ratePerSecond === 0) return open;
  const missed = leftMs.filter((left, index) => ((index + 1) * 1_000) / ratePerSecond > left).length;
  // Later deadlines than those that were read are missed at the same share.
  return leftMs.length === 0 ? 0 : Math.round((missed / leftMs.length) * open);
}

/** Every endpoint that was called in the last minutes, or that gets no calls. */
export function endpointsOf(
  { tries }: Tally,
  failing: readonly FailingEndpoint[],
  resting: readonly RestingEndpoint[],
  workers: readonly WorkerView[],
): EndpointView[] {
  const alive = workers.filter(({ life }) => life === 'alive');
  const silent = alive.flatMap((worker) => worker.silent);
  const names = new Set([
    ...Object.keys(tries),
    ...failing.map(({ endpoint }) => endpoint),
    ...resting.map(({ endpoint }) => endpoint),
    ...silent.map(({ endpoint }) => endpoint),
  ]);
  return [...names].map((endpoint) => {
    const { answered = 0, ...codes } = tries[endpoint] ?? {};
    const circuit = failing.find((one) => one.endpoint === endpoint);
    const rest = resting.find((one) => one.endpoint === endpoint);
    const calls = silent.filter((one) => one.endpoint === endpoint);
    const heard = alive.map((worker) => worker.heard?.[endpoint]).filter((ms) => typeof ms === 'number');
    return {
      endpoint,
      state: circuit ? (circuit.fault?.refused ? 'refused' : 'failing') : rest ? 'resting' : 'well',
      fault: circuit?.fault ? { code: circuit.fault.code, message: circuit.fault.message } : null,
      sinceMs: circuit?.fault?.sinceMs ?? null,
      restMs: rest?.leftMs ?? null,
      tries: answered + sumOf(codes),
      failed: sumOf(codes),
      codes,
      silent:
        calls.length === 0
          ? null
          : {
              calls: calls.reduce((sum, one) => sum + one.calls, 0),
              longestMs: Math.max(...calls.map(({ longestMs }) => longestMs)),
            },
      quietMs: heard.length === 0 ? null : Math.min(...heard),
    };
  });
}

/** Every tenant that has jobs, or had outcomes in the last minutes. */
export function tenantsOf(loads: readonly TenantLoad[], { tenants }: Tally): TenantView[] {
  const names = new Set([
    ...loads.map(({ tenant }) => tenant),
    ...Object.keys(tenants).filter((one) => one !== 'others'),
  ]);
  return [...names].map((tenant) => {
    const { waiting = 0, running = 0 } = loads.find((one) => one.tenant === tenant) ?? {};
    return { tenant, waiting, running, ended: Object.hasOwn(tenants, tenant) ? (tenants[tenant] ?? 0) : 0 };
  });
}
