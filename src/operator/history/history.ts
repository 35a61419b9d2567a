import { basename, dirname } from 'node:path';
import { readConfig } from '../../config.ts';
import { readHistory } from '../../telemetry/read-history.ts';
import { type Command, exitCodes, readArguments } from '../shell/command.ts';
import { onQueue } from '../shell/on-queue.ts';
import { complain, print } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';
import { writeFixture } from './history-fixture.ts';
import { historyLines } from './history-view.ts';

const settingsRead = ['redisUrl', 'prefix'] as const;

/** Shows what happened to one job. */
export const history: Command = {
  summary: 'shows what happened to a job: stages, candidates, runs, readings',
  help: `Usage: protosmith history [--sources | --json] <job id>
       protosmith history --fixture <folder> <job id>

Shows what happened to a job: every stage with its time, every question to a model with its failed tries, every
candidate with what cases, checks and derived cases found, the reading and its confirmations. Histories are kept for a
day, and within limits (PROTOSMITH_HISTORY of the workers). The id may be cut short where it stays unambiguous.

  --sources           with the source of every candidate, and the lines that failed marked
  --json              everything as JSON, with the job as it was submitted
  --fixture <folder>  writes the job, its candidates and its reading as a new folder that \`npm run verify-fixtures\` runs

${settingsHelp(settingsRead)}
Exit code: 0 shown, 64 usage, 65 no history of such a job, 69 Redis unreachable, 78 wrong settings.
`,
  async run(args) {
    const { values, positionals } = readArguments(
      args,
      {
        json: { type: 'boolean' },
        sources: { type: 'boolean' },
        fixture: { type: 'string' },
        'redis-url': { type: 'string' },
      },
      { least: 1, most: 1, wanted: 'one job id' },
    );
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    const [given = ''] = positionals;
    const { found, ids } = await onQueue(config, async ({ histories }) => {
      const exact = await readHistory(histories, given);
      if (exact !== null) return { found: exact, ids: [given] };
      const ids = await histories.idsLike(given);
      const [jobId] = ids;
      return { found: jobId === undefined || ids.length > 1 ? null : await readHistory(histories, jobId), ids };
    });
    if (found === null) {
      complain(
        ids.length > 1
          ? `Cannot show history of job ${given}: several ids begin so, such as ${ids.join(' and ')}, wanted more of it`
          : `Cannot show history of job ${given}: none is kept, wanted the id of a job of the last day`,
      );
      return exitCodes.unreadable;
    }
    const { fixture } = values;
    if (fixture === undefined) {
      print(values.json, found, () => historyLines(found, values.sources === true));
      return exitCodes.ok;
    }
    const files = await writeFixture(found, fixture);
    print(false, null, () => [
      `${fixture}: ${files.join(', ')}`,
      `npm run verify-fixtures -- --root ${dirname(fixture)} ${basename(fixture)}`,
    ]);
    return exitCodes.ok;
  },
};
