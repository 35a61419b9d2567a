import type { OutcomeEntry, QueueOperator } from '../../../queues/index.ts';
import { readConfig } from '../../config.ts';
import { actOf, type Command, exitCodes, limitOf, readArguments, UsageError } from '../shell/command.ts';
import { confirm } from '../shell/confirm.ts';
import { onQueue } from '../shell/on-queue.ts';
import { complain, moment, print } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';
import { timeOption } from '../shell/time-option.ts';

const settingsRead = ['redisUrl', 'prefix', 'retentionSeconds'] as const;

/** Lists the entries of an outcome stream, and announces outcomes again. */
export const outcomes: Command = {
  summary: 'lists the entries of an outcome stream, or announces outcomes again',
  help: `Usage: protosmith outcomes list [--stream <name>] [--limit <n>] [--json]
       protosmith outcomes replay <job id …> [--yes] [--json]
       protosmith outcomes replay --stream <name> --since <time> [--yes] [--json]

list shows the entries of the stream that negotiators read, the newest first. replay adds the outcomes of jobs to their
streams again, marked as replayed, for a reader that lost them; the outcomes do not change. An announcement cannot be
taken back, so replay asks first. An unambiguous beginning of an id is enough.

  --stream <name>   replyTo of the jobs (default: default)
  --since <time>    every outcome of the stream since then: 30m, 2h, 1d, or ISO 8601
  --limit <n>       how many to list (default 50)
  --yes             does not ask; needed without a terminal
  --json            as JSON

${settingsHelp(settingsRead)}
Exit code: 0 done, 2 the question was answered with no, 64 usage, 65 an outcome is gone or never was, 69 Redis
unreachable, 78 wrong settings.
`,
  async run(args) {
    const text = { type: 'string' } as const;
    const { values, positionals } = readArguments(
      args,
      {
        stream: text,
        since: text,
        limit: { type: 'string', default: '50' },
        yes: { type: 'boolean' },
        json: { type: 'boolean' },
        'redis-url': text,
      },
      { least: 1, most: 1_000, wanted: 'list or replay' },
    );
    const [verb = '', ...jobIds] = positionals;
    const act = actOf(verbs, verb);
    const { stream, since, yes, json } = values;
    if (stream !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(stream))
      throw new UsageError(`Cannot read arguments: --stream ${JSON.stringify(stream)}, wanted a replyTo of jobs`);
    const sinceMs = since === undefined ? undefined : timeOption('since', since);
    const options: Options = { stream, sinceMs, limit: limitOf(values.limit), yes, json };
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    return onQueue(config, (operator) => act(operator, jobIds, options));
  },
};

interface Options {
  stream: string | undefined;
  sinceMs: number | undefined;
  limit: number;
  yes: boolean | undefined;
  json: boolean | undefined;
}

type Act = (operator: QueueOperator, jobIds: readonly string[], options: Options) => Promise<number>;

const list: Act = async (operator, jobIds, { stream = 'default', limit, json }) => {
  if (jobIds.length > 0) throw new UsageError('Cannot read arguments: job ids after list, wanted none');
  const entries = await operator.outcomeEntries({ replyTo: stream, limit });
  print(json, entries, () => (entries.length === 0 ? [`no entries on stream ${stream}`] : entries.map(line)));
  return exitCodes.ok;
};

const replay: Act = async (operator, given, { stream, sinceMs, yes, json }) => {
  if (given.length > 0 === (stream !== undefined || sinceMs !== undefined))
    throw new UsageError('Cannot read arguments: wanted either job ids, or --stream and --since');
  if (given.length === 0 && (stream === undefined || sinceMs === undefined))
    throw new UsageError('Cannot read arguments: wanted --stream and --since together');
  const jobIds = await Promise.all(given.map((one) => operator.jobIdLike(one)));
  const filter = given.length > 0 ? { jobIds } : { replyTo: stream ?? '', sinceMs: sinceMs ?? 0 };
  const found = await operator.replayable(filter);
  const missing = jobIds.filter((jobId) => !found.some((one) => one.jobId === jobId));
  if (found.length > 0 && !(await confirm(`Announce ${found.length} outcomes again?`, yes))) return exitCodes.error;
  const { replayed, gone } = await operator.replay(found);
  const lost = [...missing, ...gone];
  print(json, { replayed, gone: lost }, () => [...replayed, `${replayed.length} announced again`]);
  for (const jobId of lost) complain(`Cannot announce outcome of ${jobId}: found none, wanted one that is still kept`);
  return lost.length > 0 ? exitCodes.unreadable : exitCodes.ok;
};

const verbs: Record<string, Act> = { list, replay };

function line({ id, jobId, kind, verdict, final, replayed }: OutcomeEntry): string {
  const marks = [...(final ? [] : ['not the outcome itself']), ...(replayed ? ['replayed'] : [])];
  const what = verdict === '' ? kind : `${kind} ${verdict}`;
  return [moment(Number.parseInt(id, 10)), jobId, what, ...marks].join('  ');
}
