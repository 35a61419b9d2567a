import { basename, dirname } from 'node:path';
import type { Histories } from '../../../queues/index.ts';
import { readConfig } from '../../config.ts';
import { readHistory } from '../../telemetry/read-history.ts';
import { type Command, exitCodes, readArguments, UsageError } from '../shell/command.ts';
import { confirm } from '../shell/confirm.ts';
import { nameOption } from '../shell/name-option.ts';
import { onQueue } from '../shell/on-queue.ts';
import { complain, print } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';
import { writeFixture } from './history-fixture.ts';
import { historyLines } from './history-view.ts';

const settingsRead = ['redisUrl', 'prefix'] as const;

/** Shows what happened to one job, or removes what is kept of a tenant's jobs. */
export const history: Command = {
  summary: "shows what happened to a job: stages, candidates, runs, readings; or removes a tenant's histories",
  help: `Usage: protosmith history [--sources | --json] <job id>
       protosmith history --fixture <folder> <job id>
       protosmith history --remove-tenant <name> [--yes] [--json]

Shows what happened to a job: every stage with its time, every question to a model with its failed tries, every
candidate with what cases, checks and derived cases found, the reading and its confirmations. Histories are kept for a
day, and within limits (PROTOSMITH_HISTORY of the workers). An unambiguous beginning of an id is enough.

--remove-tenant removes the histories of a tenant's jobs, and the jobs as they were submitted, so \`requeue\` cannot
submit them again. Outcomes, handlers and readings stay. Of jobs that still run, what happens later is kept: remove it again.

  --sources               with the source of every candidate, and the lines that failed marked
  --json                  everything as JSON, with the job as it was submitted; or {tenant, removed}
  --fixture <folder>      writes the job, its candidates and its reading as a new folder that \`npm run verify-fixtures\` runs
  --remove-tenant <name>  removes what is kept of this tenant's jobs
  --yes                   does not ask; needed without a terminal

${settingsHelp(settingsRead)}
Exit code: 0 shown or removed, 2 the question was answered with no, 64 usage, 65 no history of such a job, 69 Redis
unreachable, 78 wrong settings.
`,
  async run(args) {
    const text = { type: 'string' } as const;
    const flag = { type: 'boolean' } as const;
    const { values, positionals } = readArguments(
      args,
      { json: flag, sources: flag, yes: flag, fixture: text, 'remove-tenant': text, 'redis-url': text },
      { least: 0, most: 1, wanted: 'one job id' },
    );
    const { json, sources = false, fixture, yes, 'remove-tenant': owner } = values;
    const tenant = owner === undefined ? undefined : nameOption('remove-tenant', owner);
    const [jobId] = positionals;
    const isShowing = jobId !== undefined || sources || fixture !== undefined;
    if (tenant === undefined ? jobId === undefined || yes === true : isShowing)
      throw new UsageError('Cannot read arguments: wanted either one job id, or --remove-tenant alone');
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    return onQueue(config, ({ histories }) =>
      tenant === undefined
        ? show(histories, jobId ?? '', { json, sources, fixture })
        : removeTenant(histories, tenant, { json, yes }),
    );
  },
};

async function show(
  histories: Histories,
  given: string,
  { json, sources, fixture }: { json: boolean | undefined; sources: boolean; fixture: string | undefined },
): Promise<number> {
  const exact = await readHistory(histories, given);
  const ids = exact === null ? await histories.idsLike(given) : [];
  const [jobId] = ids;
  const found = jobId === undefined || ids.length > 1 ? exact : await readHistory(histories, jobId);
  if (found === null) {
    complain(
      ids.length > 1
        ? `Cannot show history of job ${given}: several ids begin so, such as ${ids.join(' and ')}, wanted more of it`
        : `Cannot show history of job ${given}: none is kept, wanted the id of a job of the last day`,
    );
    return exitCodes.unreadable;
  }
  if (fixture === undefined) {
    print(json, found, () => historyLines(found, sources));
    return exitCodes.ok;
  }
  const files = await writeFixture(found, fixture);
  print(false, null, () => [
    `${fixture}: ${files.join(', ')}`,
    `npm run verify-fixtures -- --root ${dirname(fixture)} ${basename(fixture)}`,
  ]);
  return exitCodes.ok;
}

async function removeTenant(
  histories: Histories,
  tenant: string,
  { json, yes }: { json: boolean | undefined; yes: boolean | undefined },
): Promise<number> {
  const { length } = await histories.idsOf(tenant);
  if (length > 0 && !(await confirm(`Remove the histories of ${length} jobs of tenant ${tenant}?`, yes)))
    return exitCodes.error;
  const removed = await histories.removeTenant(tenant);
  print(json, { tenant, removed }, () => [`${removed} histories of tenant ${tenant} removed`]);
  return exitCodes.ok;
}
