import { counted, span } from '../shell/print.ts';
import { tellDeed } from '../shell/tell-deed.ts';
import { type Concern, listed, named, namedForSeconds, waitOf } from './concern.ts';
import type { Situation, WorkerView } from './situation.ts';

/** What is wrong with the workers. */
export function ofWorkers(situation: Situation): Concern[] {
  const { queue, workers, unwritable, redisRestartedSeconds, backlog, pausedBy } = situation;
  const found: Concern[] = [];
  const alive = workers.filter(({ life }) => life === 'alive');
  const failed = workers.filter(({ life, ageSeconds }) => life === 'failed' && ageSeconds < namedForSeconds);
  if (queue?.paused)
    found.push({
      code: 'queue-paused',
      cause: `the queue is paused for all workers${pausedBy === null ? '' : `, ${tellDeed(pausedBy)}`}`,
      cost: `no job is taken; ${counted(waitingIn(queue), 'job')} ${waitOf(waitingIn(queue))}`,
      remedy: '`protosmith resume`',
    });
  // A full Redis takes no heartbeats, and after a restart none has come yet.
  const areHeartbeatsMissing = unwritable !== null || (redisRestartedSeconds ?? 60) < 15;
  const isNone =
    queue !== null && (queue.workers === 0 || (queue.workers === null && alive.length === 0 && !areHeartbeatsMissing));
  if (isNone) {
    const waiting = Math.max(waitingIn(queue), backlog.open);
    found.push({
      code: 'no-worker',
      cause: `no worker is connected${waiting > 0 ? `, and ${counted(waiting, 'job')} ${waitOf(waiting)}` : ''}`,
      cost: 'no job is taken, and nothing enforces deadlines',
      remedy: 'start one: `protosmith worker`',
    });
  }
  for (const { worker, fault, ageSeconds } of failed.slice(0, 3))
    found.push({
      code: 'worker-failed',
      cause: `worker ${worker} could not start ${span(ageSeconds)} ago: ${fault?.code}: ${fault?.message}`,
      cost: 'its slots are missing',
      remedy: 'correct that and start it again; `protosmith doctor` with its settings checks them',
    });
  const gone = workers.filter(({ life, ageSeconds }) => life === 'gone' && ageSeconds < namedForSeconds);
  if (!areHeartbeatsMissing) found.push(...gone.slice(0, 5).map((one) => goneConcern(one, alive.length)));
  const stuck = alive.filter(
    ({ paused, running, concurrency, sinceFetchMs }) =>
      paused.length === 0 && running < concurrency && sinceFetchMs > 30_000 && !queue?.paused,
  );
  for (const { worker, sinceFetchMs } of stuck.slice(0, 3))
    found.push({
      code: 'worker-stuck',
      cause: `worker ${worker} has fetched no job for ${span(sinceFetchMs / 1_000)}, though nothing holds it`,
      cost: 'its slots are missing',
      remedy: 'restart it, and report its log',
    });
  return found;
}

function goneConcern({ worker, version, ageSeconds, running, jobs }: WorkerView, alive: number): Concern {
  const jobNames = jobs.length > 0 ? ` (${listed(jobs.map(named), 3)})` : '';
  return {
    code: 'worker-gone',
    cause: `worker ${worker}, version ${version}, has not been heard of for ${span(ageSeconds)}; it ran ${counted(running, 'job')}${jobNames}`,
    cost:
      alive > 0 ? 'other workers take its jobs over within 20 s; its slots are missing' : 'nobody takes its jobs over',
    remedy:
      'see why it ended or hangs (memory, its host, its network to Redis), and start another: `protosmith worker`',
  };
}

function waitingIn({ counts, intake }: NonNullable<Situation['queue']>): number {
  return counts.waiting + counts.prioritized + intake.length;
}
