import { judgeRedis, keysOf, type QueueSnapshot } from '../../queues/index.ts';
import { type Config, readConfig, redactUrl } from '../config.ts';
import { type Command, exitCodes, readArguments } from './command.ts';
import { onQueue } from './on-queue.ts';
import { print, rows, size, span } from './print.ts';
import { settingsHelp } from './settings-help.ts';

const settingsRead = ['redisUrl', 'prefix', 'durable'] as const;

/** Shows the state of the queue and what needs attention. */
export const status: Command = {
  summary: 'shows the state of the queue: jobs, ages, workers, readers, Redis',
  help: `Usage: protosmith status [--json]

Shows how many jobs wait and run, the age of the oldest, the connected workers, the backlog of outcome readers, and the
state of Redis. Lines that begin with ! need attention.

  --json    as JSON: the snapshot, and what needs attention

${settingsHelp(settingsRead)}
Exit code: 0 shown, 64 usage, 69 Redis unreachable, 78 wrong settings, or a job has the name of a key of the queue.
`,
  async run(args) {
    const { values } = readArguments(
      args,
      { json: { type: 'boolean' }, 'redis-url': { type: 'string' } },
      { least: 0, most: 0, wanted: 'none' },
    );
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    const snapshot = await onQueue(config, (operator) => operator.snapshot());
    const attention = attentionTo(snapshot, config);
    print(values.json, { ...snapshot, attention }, () => [
      ...rows(tell(snapshot, config)),
      ...attention.map((each) => `! ${each}`),
    ]);
    return exitCodes.ok;
  },
};

/** What needs an operator's attention, one sentence each. */
export function attentionTo(snapshot: QueueSnapshot, { durable }: Pick<Config, 'durable'>): string[] {
  const { counts, deadlines, intake, outcomes, paused, quarantined, redis, workers } = snapshot;
  const waiting = counts.waiting + counts.prioritized + intake.length;
  const unread = outcomes.flatMap(({ replyTo, groups }) =>
    groups.filter(({ pending }) => pending > 1_000).map(({ name, pending }) => ({ replyTo, name, pending })),
  );
  return [
    ...(paused ? ['the queue is paused for all workers; `protosmith drain --resume` resumes it'] : []),
    ...(workers === 0
      ? [
          `no worker is connected${waiting > 0 ? `, and ${waiting} ${waiting === 1 ? 'job waits' : 'jobs wait'}; nothing enforces their deadlines` : ''}`,
        ]
      : []),
    ...(deadlines.overdue > 0
      ? [
          `${deadlines.overdue} jobs are past their deadline without an outcome: no worker enforces deadlines, or one has only just started to`,
        ]
      : []),
    ...(counts.failed > 0 ? [`${counts.failed} dead letters; \`protosmith dead-letters list\` shows them`] : []),
    ...snapshot.failing.map((endpoint) => `model endpoint ${endpoint} keeps failing; it is probed from time to time`),
    ...(quarantined > 0 ? [`${quarantined} bundles killed their sandbox and are in quarantine`] : []),
    ...unread.map(({ replyTo, name, pending }) => `group ${name} has not acknowledged ${pending} of ${replyTo}`),
    ...judgeRedis(redis, { durable }).map(({ code, message }) => `${code}: ${message}`),
  ];
}

function tell(snapshot: QueueSnapshot, config: Pick<Config, 'redisUrl' | 'prefix'>): [string, string][] {
  const { counts, deadlines, intake, outcomes, redis } = snapshot;
  const { oldestWaitingAgeSeconds: waitingAge, oldestFailedAgeSeconds: failedAge } = snapshot;
  const old = (seconds: number | null) => (seconds === null ? '' : `, the oldest for ${span(seconds)}`);
  const limit = redis.maxmemoryBytes ? `of ${size(redis.maxmemoryBytes)}` : 'without limit';
  return [
    ['queue', `${keysOf(config.prefix).queue} at ${redactUrl(config.redisUrl)}`],
    ['oldest waiting', waitingAge === null ? 'none' : span(waitingAge)],
    ['waiting', String(counts.waiting + counts.prioritized)],
    ['running', String(counts.active)],
    ['put back', String(counts.delayed)],
    ['dead letters', `${counts.failed}${old(failedAge)}`],
    ['workers', snapshot.workers === null ? 'unknown' : String(snapshot.workers)],
    ['fetching', snapshot.paused ? 'paused for all workers' : 'yes'],
    ['deadlines', `${deadlines.open} known to workers, ${deadlines.overdue} of them passed without an outcome`],
    ['intake stream', `${intake.length} entries, ${intake.pending} not acknowledged`],
    ...outcomes.map(({ replyTo, length, groups }): [string, string] => [
      `outcomes ${replyTo}`,
      [
        `${length} entries`,
        ...groups.map(
          ({ name, pending, lag }) => `group ${name}: ${pending} not acknowledged, ${lag ?? 'unknown'} not read`,
        ),
      ].join('; '),
    ]),
    ['quarantine', `${snapshot.quarantined} bundles`],
    ...snapshot.resting.map(({ endpoint, leftMs }): [string, string] => [
      'model paused',
      `${endpoint}, for another ${span(leftMs / 1_000)}`,
    ]),
    ['redis', `${redis.server} ${redis.version ?? ''}, ${size(redis.usedMemoryBytes ?? 0)} used ${limit}`],
  ];
}
