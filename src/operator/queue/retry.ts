import { keysOf, type QueueOperator } from '../../../queues/index.ts';
import { readConfig } from '../../config.ts';
import { type Command, exitCodes, readArguments } from '../shell/command.ts';
import { onQueue } from '../shell/on-queue.ts';
import { complain, print } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';

/** The result of retrying a job. */
type Retried =
  /** A dead letter, submitted again as a new job. */
  | { did: 'requeued'; jobId: string; newJobId: string }
  /** A delayed job that now runs at once. */
  | { did: 'promoted'; jobId: string }
  | { did: 'nothing'; jobId: string; why: string };

const settingsRead = ['redisUrl', 'prefix', 'retentionSeconds'] as const;

/** Submits a dead letter again, or ends the delay of a job that was put back. */
export const retry: Command = {
  summary: 'submits a dead letter again, or ends the delay of a job that was put back',
  help: `Usage: protosmith retry [--json] <job id>

A dead letter is submitted again as a new job with a higher attempt, because an outcome is final; its new id is printed.
A job that was put back for later runs at once. Nothing else can be retried: a waiting or running job needs no retry, and
\`protosmith requeue\` submits ended jobs again.

  --json    as JSON

${settingsHelp(settingsRead)}
Exit code: 0 done, 64 usage, 65 no such job or one that cannot be retried, 69 Redis unreachable, 78 wrong settings.
`,
  async run(args) {
    const { values, positionals } = readArguments(
      args,
      { json: { type: 'boolean' }, 'redis-url': { type: 'string' } },
      { least: 1, most: 1, wanted: 'one job id' },
    );
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    const jobId = positionals[0] ?? '';
    const retried = await onQueue(config, (operator) => again(operator, jobId, config.prefix));
    if (retried.did === 'nothing' && !values.json) complain(`Cannot retry job ${jobId}: ${retried.why}`);
    else print(values.json, retried, () => [retried.did === 'requeued' ? retried.newJobId : `${jobId} runs at once`]);
    return retried.did === 'nothing' ? exitCodes.unreadable : exitCodes.ok;
  },
};

async function again(operator: QueueOperator, given: string, prefix: string): Promise<Retried> {
  const jobId = await operator.jobIdLike(given);
  const found = await operator.inspect(jobId);
  const nothing = (why: string): Retried => ({ did: 'nothing', jobId, why });
  if (found === null)
    return nothing('it is neither on the queue nor on the intake stream, and has no outcome, wanted the id of a job');
  if (found.state === 'failed') {
    return { did: 'requeued', jobId, newJobId: (await operator.deadLetters.requeue(jobId)).jobId };
  }
  if (found.state === 'delayed') {
    // Otherwise the worker that takes it sees that it is not due, and puts it back.
    await operator.connection.zrem(keysOf(prefix).due, jobId);
    await operator.queue.getBackend().promote(jobId);
    return { did: 'promoted', jobId };
  }
  if (found.outcome !== null)
    return nothing('it has its outcome and its data are not kept, wanted a dead letter or a job that was put back');
  const where = found.state === 'intake' ? 'on the intake stream, not taken by a worker yet' : found.state;
  return nothing(`it is ${where}, wanted a dead letter or a job that was put back`);
}
