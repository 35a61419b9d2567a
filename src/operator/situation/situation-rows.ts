import { keysOf } from '../../../queues/index.ts';
import { type Config, redactUrl } from '../../config.ts';
import { size, span } from '../shell/print.ts';
import { byCount } from './concern.ts';
import type { EndpointView, Situation, WorkerView } from './situation.ts';

type Row = [name: string, value: string];

/** Most workers, and most tenants, that have a row of their own. */
const maxRows = 20;

/** A situation as rows for a person. Texts of jobs in it are not escaped. */
export function rowsOf(situation: Situation, config: Pick<Config, 'redisUrl' | 'prefix'>): Row[] {
  const place: Row = ['queue', `${keysOf(config.prefix).queue} at ${redactUrl(config.redisUrl)}`];
  if (situation.unreachable !== null) return [place];
  return [
    place,
    ...queueRows(situation),
    ...recentRows(situation),
    ...situation.workers.slice(0, maxRows).map(workerRow),
    ...more('workers', situation.workers.length),
    ...situation.endpoints.map(endpointRow),
    ...tenantRows(situation),
    ...readerRows(situation),
    ...storeRows(situation),
  ];
}

function queueRows({ queue, backlog }: Situation): Row[] {
  if (queue === null) return [];
  const { counts, deadlines, intake, oldestWaitingAgeSeconds: waitingAge, oldestFailedAgeSeconds: failedAge } = queue;
  const { nextDeadlineSeconds: next, willMiss } = backlog;
  const nextDeadline =
    next === null ? '' : next < 0 ? `, the next one ${span(-next)} ago` : `, the next one in ${span(next)}`;
  return [
    ['oldest waiting', waitingAge === null ? 'none' : span(waitingAge)],
    ['waiting', String(counts.waiting + counts.prioritized)],
    ['running', String(counts.active)],
    ['put back', String(counts.delayed)],
    ['dead letters', `${counts.failed}${failedAge === null ? '' : `, the oldest for ${span(failedAge)}`}`],
    ['workers', queue.workers === null ? 'unknown' : String(queue.workers)],
    ['fetching', queue.paused ? 'paused for all workers' : 'yes'],
    [
      'deadlines',
      `${deadlines.open} known to workers, ${deadlines.overdue} of them passed without an outcome${nextDeadline}${willMiss ? `, ${willMiss} will be missed` : ''}`,
    ],
    ['intake stream', `${intake.length} entries, ${intake.pending} not acknowledged`],
  ];
}

function recentRows({ recent }: Situation): Row[] {
  return [
    ['outcomes, 5 min', counts(recent.verdicts)],
    ['errors, 5 min', counts(recent.codes)],
  ];
}

function workerRow(worker: WorkerView): Row {
  const { life, version, running, concurrency, cells, paused, sinceEndMs, ageSeconds, upMs, fault } = worker;
  const name = `worker ${worker.worker}`;
  if (life === 'failed') return [name, `could not start ${span(ageSeconds)} ago: ${fault?.code ?? 'unknown'}`];
  if (life === 'stopped') return [name, `${version}, stopped ${span(ageSeconds)} ago`];
  const progress = sinceEndMs == null ? 'no job ended yet' : `last end of a job ${span(sinceEndMs / 1_000)} ago`;
  const about = `${version}, up ${span(upMs / 1_000)}, ${running} of ${concurrency} jobs, ${cells.all} cells, ${progress}`;
  if (life === 'gone') return [name, `gone for ${span(ageSeconds)}; ${about}`];
  return [name, `${about}${paused.length > 0 ? `; paused: ${paused.join('; ')}` : ''}`];
}

/** The state of a model endpoint in the words of people. */
export const endpointStates: Readonly<Record<EndpointView['state'], string>> = {
  well: 'healthy',
  resting: 'rate limited',
  failing: 'failing',
  refused: 'refused',
};

function endpointRow({ endpoint, state, tries, failed, codes, restMs, sinceMs, silent }: EndpointView): Row {
  const share =
    tries === 0
      ? 'no calls'
      : `${Math.round(tries / 5)} calls a minute, ${Math.round((100 * failed) / tries)} % failed`;
  const why = failed > 0 ? `: ${counts(codes)}` : '';
  const since = sinceMs === null ? '' : ` since ${new Date(sinceMs).toISOString()}`;
  const rest = restMs === null ? '' : `; called again in ${span(restMs / 1_000)}`;
  const silence = silent === null ? '' : `; ${silent.calls} silent for up to ${span(silent.longestMs / 1_000)}`;
  return [`model ${endpoint}`, `${endpointStates[state]}${since}; ${share}${why}${rest}${silence}`];
}

function tenantRows({ tenants }: Situation): Row[] {
  return [
    ...tenants
      .slice(0, maxRows)
      .map(
        ({ tenant, waiting, running, ended }): Row => [
          `tenant ${tenant}`,
          `${waiting} wait, ${running} run, ${ended} ended in 5 min`,
        ],
      ),
    ...more('tenants', tenants.length),
  ];
}

function readerRows({ queue, readers }: Situation): Row[] {
  return (queue?.outcomes ?? []).map(({ replyTo, length }): Row => {
    const groups = readers.filter((reader) => reader.replyTo === replyTo);
    const told = groups.map(
      ({ group, pending, unread, behindSeconds }) =>
        `group ${group}: ${pending} not acknowledged, ${unread ?? 'unknown'} not read${behindSeconds === null ? '' : `, the oldest for ${span(behindSeconds)}`}`,
    );
    return [`outcomes ${replyTo}`, [`${length} entries`, ...told].join('; ')];
  });
}

function storeRows({ queue, quarantine }: Situation): Row[] {
  if (queue === null) return [];
  const { redis } = queue;
  const limit = redis.maxmemoryBytes ? `of ${size(redis.maxmemoryBytes)}` : 'without limit';
  const acknowledged = quarantine.filter((entry) => entry.acknowledged).length;
  return [
    ['quarantine', `${queue.quarantined} bundles${acknowledged > 0 ? `, ${acknowledged} of them acknowledged` : ''}`],
    ['redis', `${redis.server} ${redis.version ?? ''}, ${size(redis.usedMemoryBytes ?? 0)} used ${limit}`],
  ];
}

function more(what: string, count: number): Row[] {
  return count > maxRows ? [[`more ${what}`, String(count - maxRows)]] : [];
}

/** Counts by name, the highest first. */
function counts(given: Readonly<Record<string, number>>): string {
  const sorted = byCount(given).map(([name, count]) => `${name} ${count}`);
  return sorted.length === 0 ? 'none' : sorted.join(', ');
}
