import type { DeadLetter, QueueOperator } from '../../../queues/index.ts';
import { readConfig } from '../../config.ts';
import { actOf, type Command, exitCodes, limitOf, readArguments, UsageError } from '../shell/command.ts';
import { onQueue } from '../shell/on-queue.ts';
import { complain, moment, print, rows, size } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';

/** Dead letters read per call with `--all`. */
const batch = 200;

const settingsRead = ['redisUrl', 'prefix', 'retentionSeconds'] as const;

/** Lists, shows, requeues and discards the jobs that failed. */
export const deadLetters: Command = {
  summary: 'lists, shows, requeues or discards the jobs that failed',
  help: `Usage: protosmith dead-letters list [--limit <n>] [--json]
       protosmith dead-letters show <job id> [--json]
       protosmith dead-letters requeue <job id …> | --all [--json]
       protosmith dead-letters discard <job id …> | --all [--json]

Dead letters are jobs that the queue keeps as failed: defects, jobs that killed their workers, unusable ids. Their
negotiators have an outcome; a job that the queue itself just failed gets one before it is removed.
requeue submits a job again as a new one with a higher attempt and prints its id; discard deletes it.

  --limit <n>   how many to list, the newest first (default 50)
  --all         every dead letter
  --json        as JSON; show then includes the job's data

${settingsHelp(settingsRead)}
Exit code: 0 done, 64 usage, 65 no such dead letter, 69 Redis unreachable, 78 wrong settings.
`,
  async run(args) {
    const { values, positionals } = readArguments(
      args,
      {
        limit: { type: 'string', default: '50' },
        all: { type: 'boolean' },
        json: { type: 'boolean' },
        'redis-url': { type: 'string' },
      },
      { least: 1, most: 1_000, wanted: 'list, show, requeue or discard' },
    );
    const [verb = '', ...jobIds] = positionals;
    const act = actOf(verbs, verb);
    const limit = limitOf(values.limit);
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    const options = { limit, all: values.all === true, json: values.json };
    return onQueue(config, (operator) => act(operator, jobIds, options));
  },
};

interface Options {
  limit: number;
  all: boolean;
  json: boolean | undefined;
}

type Act = (operator: QueueOperator, jobIds: readonly string[], options: Options) => Promise<number>;

const list: Act = async (operator, jobIds, { limit, json }) => {
  wantCount(jobIds, 0);
  const letters = await operator.deadLetters.list({ limit });
  print(json, letters, () => (letters.length === 0 ? ['no dead letters'] : letters.map(line)));
  return exitCodes.ok;
};

const show: Act = async (operator, jobIds, { json }) => {
  wantCount(jobIds, 1);
  const jobId = jobIds[0] ?? '';
  const found = await operator.deadLetters.show(jobId);
  if (found === null) {
    complain(`Cannot show dead letter ${jobId}: none of that id, wanted one of \`dead-letters list\``);
    return exitCodes.unreadable;
  }
  const { letter, outcome } = found;
  print(json, found, () =>
    rows([
      ['job', letter.jobId],
      ['kind', letter.kind],
      ['negotiation', letter.negotiationId ?? 'unknown'],
      ['tenant', letter.tenant ?? 'unknown'],
      ['failed', `${moment(letter.failedAtMs)}: ${letter.failedReason}`],
      ['deliveries', `${letter.deliveries}, ${letter.deaths} workers died`],
      ['data', size(letter.bytes)],
      ['outcome', outcome?.verdict ?? 'none'],
    ]),
  );
  return exitCodes.ok;
};

const requeue: Act = (operator, jobIds, options) =>
  each(operator, jobIds, options, async (jobId) => {
    const { jobId: newJobId } = await operator.deadLetters.requeue(jobId);
    return { did: { jobId, newJobId }, line: newJobId };
  });

const discard: Act = (operator, jobIds, options) =>
  each(operator, jobIds, options, async (jobId) => {
    await operator.deadLetters.discard(jobId);
    return { did: { jobId, discarded: true }, line: `${jobId} discarded` };
  });

const verbs: Record<string, Act> = { list, show, requeue, discard };

/** Applies an action to each job. Reports a failure and goes on. */
async function each(
  { deadLetters: letters }: QueueOperator,
  jobIds: readonly string[],
  { all, json }: Options,
  act: (jobId: string) => Promise<{ did: object; line: string }>,
): Promise<number> {
  if (all === jobIds.length > 0)
    throw new UsageError(
      `Cannot read arguments: ${all ? 'job ids and --all' : 'no job id'}, wanted either job ids or --all`,
    );
  const chosen = all ? await everyId(letters) : jobIds;
  const done: { did: object; line: string }[] = [];
  let refused = 0;
  for (const jobId of chosen) {
    try {
      done.push(await act(jobId));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('JOB_'))) throw error;
      complain(`${error.code}: ${error.message}`);
      refused += 1;
    }
  }
  print(
    json,
    done.map(({ did }) => did),
    () => done.map(({ line: text }) => text),
  );
  return refused > 0 ? exitCodes.unreadable : exitCodes.ok;
}

/** All ids are read first, so that a job that is requeued and fails again is not handled twice. */
async function everyId(letters: QueueOperator['deadLetters']): Promise<string[]> {
  const jobIds: string[] = [];
  const count = await letters.count();
  for (let offset = 0; offset < count; offset += batch)
    jobIds.push(...(await letters.list({ offset, limit: batch })).map(({ jobId }) => jobId));
  return jobIds;
}

function wantCount(jobIds: readonly string[], count: number): void {
  if (jobIds.length !== count)
    throw new UsageError(`Cannot read arguments: ${jobIds.length} job ids, wanted ${count === 0 ? 'none' : count}`);
}

function line({ jobId, kind, failedAtMs, failedReason, deaths }: DeadLetter): string {
  const died = deaths > 0 ? `, ${deaths} workers died` : '';
  return `${jobId}  ${kind}  ${moment(failedAtMs)}${died}  ${failedReason}`;
}
