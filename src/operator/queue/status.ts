import { setTimeout as sleep } from 'node:timers/promises';
import { openOperator, type QueueOperator } from '../../../queues/index.ts';
import { type Config, readConfig } from '../../config.ts';
import { jobReader } from '../../pipeline/job-reader.ts';
import { type Command, exitCodes, readArguments, UsageError } from '../shell/command.ts';
import { jsonForTerminal } from '../shell/for-terminal.ts';
import { complain, print, rows } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';
import { concernsOf, lineOf } from '../situation/concerns.ts';
import { SituationReader, situationWithout } from '../situation/read-situation.ts';
import type { Situation } from '../situation/situation.ts';
import { rowsOf } from '../situation/situation-rows.ts';

const settingsRead = ['redisUrl', 'prefix', 'durable'] as const;

type StatusConfig = Pick<Config, (typeof settingsRead)[number]>;

/** Clears a terminal and moves to its first line. */
const clearScreen = '\u001b[H\u001b[2J\u001b[3J';

/** Shows the state of the installation and what needs attention. */
export const status: Command = {
  summary: 'shows jobs, workers, endpoints, tenants, readers and Redis, and what needs attention',
  help: `Usage: protosmith status [--watch [--every <seconds>]] [--json]

Shows how many jobs wait and run, the age of the oldest and the next deadline, outcomes and errors of the last five
minutes, every worker, model endpoint and tenant, the backlog of outcome readers, the quarantine and Redis. A line that
begins with ! needs attention: it says what is wrong, what that costs, and what mends it.

  --watch            shows it again and again, until it is interrupted
  --every <seconds>  the pause between two looks of --watch, 1 to 3600 (default 2)
  --json             as JSON: all that was read, and what needs attention as \`concerns\` with code, cause, cost and
                     remedy; with --watch one object per line

${settingsHelp(settingsRead)}
Exit code: 0 shown, 64 usage, 69 Redis unreachable, 78 wrong settings, a permission that Redis does not give, or a job
with the name of a key of the queue.
`,
  async run(args) {
    const { values } = readArguments(
      args,
      {
        json: { type: 'boolean' },
        watch: { type: 'boolean' },
        every: { type: 'string', default: '2' },
        'redis-url': { type: 'string' },
      },
      { least: 0, most: 0, wanted: 'none' },
    );
    const everyMs = Number(values.every) * 1_000;
    if (!(everyMs >= 1_000 && everyMs <= 3_600_000))
      throw new UsageError(`Cannot read arguments: --every ${JSON.stringify(values.every)}, wanted 1 to 3600`);
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    if (values.watch) return watch(config, values.json === true, everyMs);
    const situation = await look(config);
    print(values.json, asJson(situation), () => linesOf(situation, config));
    return endOf(situation);
  },
};

async function watch(config: StatusConfig, json: boolean, everyMs: number): Promise<number> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  while (!interrupted.signal.aborted) {
    const situation = await look(config);
    if (json) process.stdout.write(`${jsonForTerminal(asJson(situation))}\n`);
    else {
      process.stdout.write(process.stdout.isTTY ? clearScreen : '');
      print(false, null, () => [...linesOf(situation, config), '']);
    }
    await sleep(everyMs, undefined, { signal: interrupted.signal }).catch(() => undefined);
  }
  return exitCodes.ok;
}

/** Looks once. Never rejects: what cannot be read is part of the situation. */
async function look(config: StatusConfig): Promise<Situation> {
  let operator: QueueOperator | undefined;
  try {
    operator = await openOperator({ jobs: jobReader, url: config.redisUrl, prefix: config.prefix });
    return await new SituationReader(operator, config).read();
  } catch (error) {
    return situationWithout(error, config.durable);
  } finally {
    await operator?.close();
  }
}

function asJson({ queue, ...situation }: Situation): object {
  const concerns = concernsOf({ queue, ...situation });
  return {
    ...queue,
    ...situation,
    // The workers that are connected, by Redis; `workers` has those that were heard of.
    connected: queue?.workers ?? null,
    concerns,
    attention: concerns.map(lineOf),
  };
}

function linesOf(situation: Situation, config: StatusConfig): string[] {
  return [...rows(rowsOf(situation, config)), ...concernsOf(situation).map((one) => `! ${lineOf(one)}`)];
}

function endOf({ unreachable, queue, unread }: Situation): number {
  const fault = unreachable ?? (queue === null ? unread[0] : undefined);
  if (fault === undefined) return exitCodes.ok;
  complain(`${fault.code}: ${fault.message}`);
  return fault.code.startsWith('OPERATOR_') ? exitCodes.settings : exitCodes.unavailable;
}
