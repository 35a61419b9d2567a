import { openOperator, type QueueOperator, redisFailure } from '../../../queues/index.ts';
import type { Config } from '../../config.ts';
import { jobReader } from '../../pipeline/job-reader.ts';

/**
 * Opens the operator's view of the queue, runs an action and closes it. Rejects with `PLATFORM_REDIS_…` if Redis
 * refuses or does not answer within seconds.
 */
export async function onQueue<Result>(
  { redisUrl, prefix, retentionSeconds }: Pick<Config, 'redisUrl' | 'prefix'> & Partial<Config>,
  act: (operator: QueueOperator) => Promise<Result>,
): Promise<Result> {
  const operator = await openOperator({
    jobs: jobReader,
    url: redisUrl,
    prefix,
    ...(retentionSeconds === undefined ? {} : { retentionSeconds, handlerRetention: { retentionSeconds } }),
  });
  try {
    return await act(operator).catch((error: unknown) => {
      throw redisFailure(error, 'change the queue') ?? error;
    });
  } finally {
    await operator.close();
  }
}
