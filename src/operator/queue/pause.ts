import { readConfig } from '../../config.ts';
import { type Command, exitCodes, readArguments } from '../shell/command.ts';
import { onQueue } from '../shell/on-queue.ts';
import { operatorName } from '../shell/operator-name.ts';
import { print } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';
import { tellDeed } from '../shell/tell-deed.ts';

const settingsRead = ['redisUrl', 'prefix'] as const;

/** Stops all workers from fetching. */
export const pause: Command = {
  summary: 'stops all workers from fetching jobs, with a reason',
  help: `Usage: protosmith pause --reason <text> [--by <name>] [--json]

Stops all workers from fetching jobs until \`protosmith resume\`. Running jobs go on; \`protosmith drain\` waits for them.
Waiting jobs stay on the queue and end with PLATFORM_DEADLINE at their deadline. \`status\` shows who paused the queue,
when and why. If it is paused already, the first reason stays.

  --reason <text>   why, for other operators; up to 200 characters
  --by <name>       who (default: user and host)
  --json            as JSON: {by, reason, atMs}

${settingsHelp(settingsRead)}
Exit code: 0 paused, 64 usage, 69 Redis unreachable, 78 wrong settings.
`,
  async run(args) {
    const text = { type: 'string' } as const;
    const { values } = readArguments(
      args,
      { reason: text, by: text, json: { type: 'boolean' }, 'redis-url': text },
      { least: 0, most: 0, wanted: 'none' },
    );
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    const given = { by: operatorName(values.by), reason: values.reason ?? null };
    const deed = await onQueue(config, (operator) => operator.pause(given));
    print(values.json, deed, () => [`paused ${tellDeed(deed)}; \`protosmith resume\` lets workers fetch again`]);
    return exitCodes.ok;
  },
};

/** Lets all workers fetch again. */
export const resume: Command = {
  summary: 'lets all workers fetch jobs again',
  help: `Usage: protosmith resume [--json]

Lets all workers fetch jobs again after \`protosmith pause\` or \`protosmith drain\`.

  --json    as JSON: {resumed}, false if the queue was not paused

${settingsHelp(settingsRead)}
Exit code: 0 workers fetch, 64 usage, 69 Redis unreachable, 78 wrong settings.
`,
  async run(args) {
    const { values } = readArguments(
      args,
      { json: { type: 'boolean' }, 'redis-url': { type: 'string' } },
      { least: 0, most: 0, wanted: 'none' },
    );
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    const resumed = await onQueue(config, (operator) => operator.resume());
    print(values.json, { resumed }, () => [resumed ? 'workers fetch again' : 'the queue was not paused']);
    return exitCodes.ok;
  },
};
