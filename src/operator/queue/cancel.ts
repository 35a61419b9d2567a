import type { Cancelled } from '../../../queues/index.ts';
import { readConfig } from '../../config.ts';
import { type Command, exitCodes, readArguments } from '../shell/command.ts';
import { confirm } from '../shell/confirm.ts';
import { onQueue } from '../shell/on-queue.ts';
import { complain, print } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';

const settingsRead = ['redisUrl', 'prefix', 'retentionSeconds'] as const;

/** Cancels jobs. */
export const cancel: Command = {
  summary: 'cancels jobs, waiting or running',
  help: `Usage: protosmith cancel [--yes] [--json] <job id …>

Cancels jobs: each ends with error, JOB_CANCELLED, and its negotiator hears of it. A waiting job ends at once, a running
one within 2 s. A job that has its outcome keeps it. An unambiguous beginning of an id is enough.

  --yes     does not ask; needed without a terminal
  --json    as JSON: [{jobId, did}], did being cancelled, asked (a worker ends it), ended or unknown

${settingsHelp(settingsRead)}
Exit code: 0 cancelled, or asked to be; 2 a job had its outcome already, or the question was answered with no; 64 usage,
65 no such job, 69 Redis unreachable, 78 wrong settings.
`,
  async run(args) {
    const { values, positionals } = readArguments(
      args,
      { yes: { type: 'boolean' }, json: { type: 'boolean' }, 'redis-url': { type: 'string' } },
      { least: 1, most: 1_000, wanted: 'the ids of jobs' },
    );
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    return onQueue(config, async (operator) => {
      const jobIds = await Promise.all(positionals.map((given) => operator.jobIdLike(given)));
      const what = jobIds.length === 1 ? `job ${jobIds[0]}` : `${jobIds.length} jobs`;
      if (!(await confirm(`Cancel ${what}?`, values.yes))) return exitCodes.error;
      const done = await Promise.all(
        [...new Set(jobIds)].map(async (jobId) => ({ jobId, ...(await operator.cancel(jobId)) })),
      );
      const isRefused = ({ did }: Cancelled) => did === 'ended' || did === 'unknown';
      print(values.json, done, () => done.filter((one) => !isRefused(one)).map((one) => `${one.jobId} ${told(one)}`));
      if (!values.json)
        for (const one of done) if (isRefused(one)) complain(`Cannot cancel job ${one.jobId}: ${told(one)}`);
      if (done.some(({ did }) => did === 'unknown')) return exitCodes.unreadable;
      return done.some(({ did }) => did === 'ended') ? exitCodes.error : exitCodes.ok;
    });
  },
};

function told(one: Cancelled): string {
  if (one.did === 'ended') return `it has its outcome, ${one.verdict}, which is final`;
  if (one.did === 'unknown') return 'it is neither on the queue nor on the intake stream, wanted the id of a job';
  return one.did === 'cancelled' ? 'cancelled' : 'ends when a worker sees the request, or at its deadline';
}
