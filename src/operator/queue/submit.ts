import { connect, createProducer, disconnect, type PublishedEnvelope, whenReady } from '../../../queues/index.ts';
import { type Config, readConfig } from '../../config.ts';
import { kinds } from '../../contract/job.ts';
import type { Outcome } from '../../contract/outcome.ts';
import { createHandlerStore } from '../../handlers/redis-handler-store.ts';
import { timeoutOf } from '../../intake/readable.ts';
import { codeOf } from '../../kernel/errors.ts';
import { jobReader } from '../../pipeline/job-reader.ts';
import { type Command, choiceOf, exitCodes, readArguments, UsageError } from '../shell/command.ts';
import { forTerminal, jsonForTerminal } from '../shell/for-terminal.ts';
import { onQueue } from '../shell/on-queue.ts';
import { readJson } from '../shell/read-input.ts';
import { settingsHelp } from '../shell/settings-help.ts';

/** How long to wait for an outcome after the job's deadline, in milliseconds. */
const patienceMs = 10_000;

const settingsRead = ['redisUrl', 'prefix'] as const;

/** Puts a job on the queue and prints its outcome. */
export const submit: Command = {
  summary: 'puts a job on the queue, waits for its outcome and prints it',
  help: `Usage: protosmith submit [options] <job.json | ->

Puts a job on the queue, waits for its outcome and prints it as JSON with the handler's record. If the job already has an
outcome, prints that.

  --kind <kind>      generate (default), review, verify, fix or observe
  --job-id <id>      the job's id; default: derived from its data, so that a repeated job is the same job
  --again            as a new job, with an attempt one higher than any before: for data that have an outcome already
  --no-wait          prints the job id and exits

The environment variable TRACEPARENT (W3C Trace Context) puts the spans of the job below those of the caller.

${settingsHelp(settingsRead)}
Exit code: 0 generated or clean, 1 disputed, 2 error, 64 usage, 65 unreadable job, 69 Redis unreachable or no outcome
10 s after the deadline, 78 wrong settings.
`,
  async run(args) {
    const { values, positionals } = readArguments(
      args,
      {
        'redis-url': { type: 'string' },
        kind: { type: 'string', default: 'generate' },
        'job-id': { type: 'string' },
        again: { type: 'boolean' },
        'no-wait': { type: 'boolean' },
      },
      { least: 1, most: 1, wanted: 'one job file, or - for standard input' },
    );
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    const kind = choiceOf('--kind', values.kind, kinds);
    if (values.again && values['job-id'] !== undefined)
      throw new UsageError('Cannot read arguments: --again and --job-id, wanted one: --again makes a new id');
    const given = await readJson(positionals[0] ?? '-');
    const producer = createProducer({
      jobs: jobReader,
      url: config.redisUrl,
      prefix: config.prefix,
    });
    try {
      const jobId = values['job-id'];
      const data = values.again ? await newAttempt(given, kind, config) : given;
      const traceparent = process.env.TRACEPARENT;
      const submitted = await producer.submit(kind, data, { ...(jobId === undefined ? {} : { jobId }), traceparent });
      if (values['no-wait']) {
        process.stdout.write(`${submitted.jobId}\n`);
        return exitCodes.ok;
      }
      const untilMs = Date.now() + timeoutOf(given) + patienceMs;
      const outcome = await producer.waitForOutcome(submitted.jobId, { untilMs });
      if (outcome === null) {
        process.stderr.write(
          `Cannot print outcome of ${submitted.jobId}: none ${patienceMs / 1_000} s after the deadline, wanted a worker that answers\n`,
        );
        return exitCodes.unavailable;
      }
      const filled = await fillIn(outcome, config);
      process.stdout.write(`${jsonForTerminal(filled, 2)}\n`);
      return { generated: exitCodes.ok, clean: exitCodes.ok, disputed: exitCodes.disputed, error: exitCodes.error }[
        outcome.verdict
      ];
    } catch (error) {
      const code = codeOf(error);
      if (!code?.startsWith('JOB_') || !(error instanceof Error)) throw error;
      if (code === 'JOB_ID_INVALID') throw new UsageError(`${code}: ${error.message}`);
      process.stderr.write(`${code}: ${forTerminal(error.message)}\n`);
      return exitCodes.unreadable;
    } finally {
      await producer.close();
    }
  },
};

/** The data with the lowest `attempt` above theirs that no job has. */
async function newAttempt(data: unknown, kind: string, config: Pick<Config, 'redisUrl' | 'prefix'>): Promise<unknown> {
  return onQueue(config, (operator) => operator.newAttemptOf(kind, data));
}

/** How long to wait for Redis once there is an outcome, in milliseconds. */
const withinMs = 3_000;

async function fillIn(
  outcome: PublishedEnvelope & Partial<Pick<Outcome, 'tenant' | 'handler'>>,
  config: Pick<Config, 'redisUrl' | 'prefix'>,
): Promise<object> {
  const { tenant, handler: reference } = outcome;
  if (!reference || !tenant) return outcome;
  const connection = connect(config.redisUrl, 'caller');
  try {
    await whenReady(connection, withinMs);
    const record = await createHandlerStore(connection, config).get(tenant, reference.digest);
    return { ...outcome, handler: { ...reference, ...record } };
  } finally {
    await disconnect(connection);
  }
}
