import { randomBytes } from 'node:crypto';
import { readConfig } from '../../config.ts';
import { createQueueMetrics } from '../../telemetry/queue-metrics.ts';
import { type Command, exitCodes, readArguments, UsageError } from '../shell/command.ts';
import { onQueue } from '../shell/on-queue.ts';
import { settingsHelp } from '../shell/settings-help.ts';
import { stopSignal } from '../shell/stop-signal.ts';
import { SituationReader } from '../situation/read-situation.ts';
import { startConsole } from './server.ts';

const settingsRead = ['redisUrl', 'prefix', 'retentionSeconds', 'host', 'consoleToken', 'durable'] as const;

/** Serves pages for operators on loopback. */
export const consoleCommand: Command = {
  summary: 'serves pages that show what is wrong, every job and every handler, behind a token',
  help: `Usage: protosmith console [--port <n>] [--write]

Serves pages on 127.0.0.1 and prints their address, which includes the token: what needs attention, with its cause and
what mends it; every job with its candidates, cases and messages; every stored handler. The pages need no script and load
nothing from other hosts. BullMQ's own dashboard (bull-board) is under /board, the metrics of the whole queue are under
/metrics, with the token as "Authorization: Bearer …". SIGINT or SIGTERM stops it. From another machine, use a tunnel:
ssh -L. In a container set PROTOSMITH_HOST=0.0.0.0 and publish the port on 127.0.0.1: it answers only to localhost and
127.0.0.1.

  --port <n>   port, 0 for any free one (default 4280)
  --write      allows actions: requeue or cancel a job, pause the queue, free a bundle, withdraw, restore or pin a
               handler; and those of bull-board, where a job that has its outcome does not run again, and one without
               an outcome gets one before it is removed

${settingsHelp(settingsRead)}
Exit code: 0 stopped, 64 usage, 69 Redis unreachable, 78 wrong settings, or the port is taken.
`,
  async run(args) {
    const { values } = readArguments(
      args,
      { port: { type: 'string', default: '4280' }, write: { type: 'boolean' }, 'redis-url': { type: 'string' } },
      { least: 0, most: 0, wanted: 'none' },
    );
    const port = Number(values.port);
    if (!/^\d{1,5}$/.test(values.port) || port > 65_535)
      throw new UsageError(`Cannot read arguments: --port ${JSON.stringify(values.port)}, wanted 0 to 65535`);
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    const token = config.consoleToken ?? randomBytes(24).toString('base64url');
    const stopped = stopSignal();
    return onQueue(config, async (operator) => {
      const server = await startConsole(operator, {
        host: config.host,
        port,
        token,
        writable: values.write === true,
        situations: new SituationReader(operator, config),
        metrics: createQueueMetrics(() => operator.snapshot()),
      });
      // The operator knows a configured token, so it need not appear in the terminal.
      const query = config.consoleToken === null ? `?token=${token}` : '?token=…';
      process.stdout.write(`http://127.0.0.1:${server.port}/${query}\n`);
      await stopped;
      await server.close();
      return exitCodes.ok;
    });
  },
};
