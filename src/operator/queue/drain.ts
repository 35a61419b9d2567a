import { readConfig } from '../../config.ts';
import { type Command, exitCodes, readArguments, UsageError } from '../shell/command.ts';
import { onQueue } from '../shell/on-queue.ts';
import { operatorName } from '../shell/operator-name.ts';
import { counted, print } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';

const settingsRead = ['redisUrl', 'prefix'] as const;

/** Stops all workers from fetching, and waits until no job runs. */
export const drain: Command = {
  summary: 'stops all workers from fetching, and waits until no job runs',
  help: `Usage: protosmith drain [--for <seconds>] [--json]
       protosmith drain --resume [--json]

Stops all workers from fetching jobs, and waits until no job runs. Waiting jobs stay on the queue and end with
PLATFORM_DEADLINE at their deadline. The queue stays paused until it is resumed.

  --for <seconds>   how long to wait (default 60)
  --resume          lets workers fetch again
  --json            as JSON: {drained, active, waiting}

${settingsHelp(settingsRead)}
Exit code: 0 drained or resumed, 2 jobs still run, 64 usage, 69 Redis unreachable, 78 wrong settings.
`,
  async run(args) {
    const { values } = readArguments(
      args,
      {
        for: { type: 'string', default: '60' },
        resume: { type: 'boolean' },
        json: { type: 'boolean' },
        'redis-url': { type: 'string' },
      },
      { least: 0, most: 0, wanted: 'none' },
    );
    const seconds = Number(values.for);
    if (!/^\d{1,6}$/.test(values.for))
      throw new UsageError(`Cannot read arguments: --for ${JSON.stringify(values.for)}, wanted a number of seconds`);
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    if (values.resume) {
      await onQueue(config, (operator) => operator.resume());
      print(values.json, { resumed: true }, () => ['workers fetch again']);
      return exitCodes.ok;
    }
    const interrupted = new AbortController();
    process.once('SIGINT', () => interrupted.abort());
    const result = await onQueue(config, (operator) =>
      operator.drain({
        untilMs: Date.now() + seconds * 1_000,
        signal: interrupted.signal,
        by: operatorName(undefined),
      }),
    );
    print(values.json, result, () => [
      result.drained
        ? `drained: no job runs, ${result.waiting} wait; \`protosmith drain --resume\` lets workers fetch again`
        : `not drained: ${counted(result.active, 'job')} still ${result.active === 1 ? 'runs' : 'run'}, ${result.waiting} wait; the queue stays paused`,
    ]);
    return result.drained ? exitCodes.ok : exitCodes.error;
  },
};
