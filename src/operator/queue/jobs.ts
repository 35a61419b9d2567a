import { type ListedJob, type ListState, listStates } from '../../../queues/index.ts';
import { readConfig } from '../../config.ts';
import { verdicts } from '../../contract/outcome.ts';
import { type Command, choiceOf, exitCodes, limitOf, readArguments } from '../shell/command.ts';
import { onQueue } from '../shell/on-queue.ts';
import { complain, moment, print } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';
import { timeOption } from '../shell/time-option.ts';

const settingsRead = ['redisUrl', 'prefix'] as const;

/** Lists jobs. */
export const jobs: Command = {
  summary: 'lists jobs by state, verdict, code, tenant and age',
  help: `Usage: protosmith jobs [options]

Lists jobs: running ones first, then those put back, waiting ones in the order in which they are taken, and ended ones,
the newest first. At most 10,000 jobs of each state are searched; if there are more, a message says so.

  --state <state>       only ${listStates.join(', ')}; may be repeated
  --verdict <verdict>   only jobs that ended with it: ${verdicts.join(', ')}
  --code <code>         only jobs with this error code among the findings of their outcome
  --tenant <tenant>     only jobs of this tenant
  --since <time>        only jobs that ended, or were submitted if they did not, since a time: 30m, 2h, 1d, or ISO 8601
  --until <time>        the same, but before a time: --until 10m lists jobs older than ten minutes
  --limit <n>           how many to list (default 50)
  --json                as JSON: {jobs, isCut}

${settingsHelp(settingsRead)}
Exit code: 0 listed, 64 usage, 69 Redis unreachable, 78 wrong settings.
`,
  async run(args) {
    const text = { type: 'string' } as const;
    const { values } = readArguments(
      args,
      {
        state: { type: 'string', multiple: true },
        verdict: text,
        code: text,
        tenant: text,
        since: text,
        until: text,
        limit: { type: 'string', default: '50' },
        json: { type: 'boolean' },
        'redis-url': text,
      },
      { least: 0, most: 0, wanted: 'none' },
    );
    const { state, verdict, code, tenant, since, until } = values;
    const states = state?.map((one): ListState => choiceOf('--state', one, listStates));
    const filter = {
      ...(states === undefined ? {} : { states }),
      ...(verdict === undefined ? {} : { verdict: choiceOf('--verdict', verdict, verdicts) }),
      ...(code === undefined ? {} : { code }),
      ...(tenant === undefined ? {} : { tenant }),
      ...(since === undefined ? {} : { sinceMs: timeOption('since', since) }),
      ...(until === undefined ? {} : { untilMs: timeOption('until', until) }),
      limit: limitOf(values.limit),
    };
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    const list = await onQueue(config, (operator) => operator.jobs(filter));
    print(values.json, list, () => (list.jobs.length === 0 ? ['no such jobs'] : list.jobs.map(line)));
    if (list.isCut && !values.json)
      complain('There may be more jobs: --limit lists up to 10,000, and at most 10,000 of each state are searched');
    return exitCodes.ok;
  },
};

function line({ jobId, state, kind, tenant, verdict, codes, atMs }: ListedJob): string {
  const ended = verdict === null ? codes : [verdict, ...codes];
  return [jobId, state, kind || 'unknown', tenant ?? 'unknown', moment(atMs), ended.join(' ')].join('  ').trimEnd();
}
