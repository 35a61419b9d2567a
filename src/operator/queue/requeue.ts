import { readConfig } from '../../config.ts';
import { type Command, exitCodes, readArguments, UsageError } from '../shell/command.ts';
import { confirm } from '../shell/confirm.ts';
import { onQueue } from '../shell/on-queue.ts';
import { complain, print } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';
import { timeOption } from '../shell/time-option.ts';

const settingsRead = ['redisUrl', 'prefix'] as const;

/** Submits jobs that ended with a code again, as new jobs. */
export const requeue: Command = {
  summary: 'submits jobs again that ended with an error code, for example because a key was refused',
  help: `Usage: protosmith requeue --code <code> --since <time> [--tenant <tenant>] [--yes] [--json]

Submits jobs again that ended with an error code, for example after an outage, or after a refused key
(OPERATOR_MODEL_AUTH). An outcome is final, so each becomes a new job with a higher attempt; the new id is printed, and
the new outcome comes on the same stream. Running the command twice requeues no job twice. The data of jobs are kept for
a day (PROTOSMITH_HISTORY of the workers). \`protosmith jobs --code <code>\` lists the jobs beforehand.

  --code <code>       an error code of docs/errors.md
  --since <time>      jobs that ended since then: 30m, 2h, 1d, or ISO 8601
  --tenant <tenant>   only jobs of this tenant
  --yes               does not ask; needed without a terminal
  --json              as JSON: {requeued: [{jobId, newJobId}], already, notKept}

${settingsHelp(settingsRead)}
Exit code: 0 done, 2 the data of some jobs are not kept, or the question was answered with no, 64 usage, 69 Redis
unreachable, 78 wrong settings.
`,
  async run(args) {
    const text = { type: 'string' } as const;
    const options = { code: text, since: text, tenant: text, 'redis-url': text } as const;
    const { values } = readArguments(
      args,
      { ...options, yes: { type: 'boolean' }, json: { type: 'boolean' } },
      { least: 0, most: 0, wanted: 'none' },
    );
    const { code, since, tenant } = values;
    if (code === undefined || since === undefined)
      throw new UsageError(`Cannot read arguments: no --${code === undefined ? 'code' : 'since'}, wanted both`);
    if (!/^[A-Z][A-Z_]{1,60}$/.test(code))
      throw new UsageError(`Cannot read arguments: --code ${JSON.stringify(code)}, wanted a code of docs/errors.md`);
    const filter = { code, sinceMs: timeOption('since', since), ...(tenant === undefined ? {} : { tenant }) };
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    return onQueue(config, async (operator) => {
      const ended = await operator.endedWith(filter);
      if (ended.length > 0 && !(await confirm(`Requeue ${ended.length} jobs that ended with ${code}?`, values.yes)))
        return exitCodes.error;
      const done = await operator.requeue(ended.map(({ jobId }) => jobId));
      const { requeued, already, notKept } = done;
      print(values.json, done, () => [
        ...requeued.map(({ jobId, newJobId }) => `${jobId}  ${newJobId}`),
        `${requeued.length} requeued, ${already.length} requeued before, ${notKept.length} no longer kept`,
      ]);
      if (notKept.length > 0 && !values.json)
        complain(
          `Cannot requeue ${notKept.length} jobs: their data are no longer kept, wanted their producers to submit them`,
        );
      return notKept.length > 0 ? exitCodes.error : exitCodes.ok;
    });
  },
};
