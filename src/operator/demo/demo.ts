import { constants } from 'node:os';
import { namesModel, namesModelServer, settings } from '../../config.ts';
import { type Command, exitCodes, readArguments } from '../shell/command.ts';
import { readJson } from '../shell/read-input.ts';
import { settingsHelp } from '../shell/settings-help.ts';
import { startStage } from './demo-stage.ts';
import { runOwnJob, runStory } from './demo-story.ts';
import { DemoView } from './demo-view.ts';

/** Plays the whole story on one machine: Redis, a worker process, a negotiator. */
export const demo: Command = {
  summary: 'plays a whole negotiation on this machine: Redis, a worker, a negotiator',
  help: `Usage: protosmith demo [options] [job.json]

Starts Redis (REDIS_URL, else redis-server or valkey-server on the path, else an embedded one) and a worker process, and
plays a negotiator: an agreement with a contradiction, the counter-offer, the reading of the agreement, a candidate that
passes every negotiated case but breaks another demand of the document, its repair, the handler. Without a model server
and a model name, hand-written replies over HTTP stand in for the model, and the demo says so. With a job file, it runs
that job instead. The worker also reads the other settings of \`protosmith worker\`.

${settingsHelp(['redisUrl', 'model', 'apiKey', 'baseUrl', 'models'])}
Exit code: 0 the story ended as expected (your own job: generated or clean), 1 disputed, 2 error, 64 usage, 65 a file
cannot be read, 69 Redis unreachable, 78 wrong settings.
`,
  async run(args) {
    const { positionals, values } = readArguments(
      args,
      { 'redis-url': { type: 'string' }, model: { type: 'string' } },
      { least: 0, most: 1, wanted: 'none, or one job file' },
    );
    // The worker is a separate process and reads the environment.
    if (values['redis-url'] !== undefined) process.env[settings.redisUrl.env] = values['redis-url'];
    if (values.model !== undefined) process.env[settings.model.env] = values.model;
    const data = positionals[0] === undefined ? undefined : await readJson(positionals[0]);
    const view = new DemoView(process.stdout);
    const scripted = !namesModelServer(process.env) || !namesModel(process.env);
    view.line(
      scripted
        ? 'protosmith demo. Model: scripted. Hand-written replies from fixtures/completions, over HTTP; no model is asked.'
        : 'protosmith demo. Model: live, as set in the environment.',
      'bold',
    );
    if (namesModelServer(process.env) && scripted)
      view.line(`A model server is set, but no model: set ${settings.model.env} to ask it.`);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => process.exit(128 + constants.signals[signal]));
    }
    const stage = await startStage(view, scripted ? (data === undefined ? 'story' : 'jobs') : null);
    try {
      const verdict = data === undefined ? await runStory(stage, view) : await runOwnJob(stage, view, data);
      return { generated: exitCodes.ok, clean: exitCodes.ok, disputed: exitCodes.disputed, error: exitCodes.error }[
        verdict
      ];
    } finally {
      await stage.close();
    }
  },
};
