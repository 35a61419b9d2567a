import { openOperator, type QueueOperator, redisFailure } from '../../queues/index.ts';
import type { Config } from '../config.ts';
import { jobReader } from '../pipeline/job-reader.ts';

/** Opens the operator's view of the queue, acts, and closes it again. Rejects with `PLATFORM_REDIS_…` where Redis does not answer within seconds, or refuses. */
export async function onQueue<Result>(
  config: Pick<Config, 'redisUrl' | 'prefix' | 'retentionSeconds'>,
  act: (operator: QueueOperator) => Promise<Result>,
): Promise<Result> {
  const operator = await openOperator({
    jobs: jobReader,
    url: config.redisUrl,
    prefix: config.prefix,
    retentionSeconds: config.retentionSeconds,
    handlerRetention: { retentionSeconds: config.retentionSeconds },
  });
  try {
    return await act(operator).catch((error: unknown) => {
      throw redisFailure(error, 'change the queue') ?? error;
    });
  } finally {
    await operator.close();
  }
}
