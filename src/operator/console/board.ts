import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import { isUsableId, limits, type QueueOperator } from '../../../queues/index.ts';
import { isObject } from '../../kernel/json.ts';
import { trimData, trimTexts } from './trim-data.ts';

/** Lines of a job's logs that are shown, from the end. */
const maxLogLines = 100;

/** Mounts bull-board, BullMQ's own dashboard, under a path. All texts of jobs are trimmed. */
export async function mountBoard(
  server: FastifyInstance,
  operator: QueueOperator,
  { path, writable }: { path: string; writable: boolean },
): Promise<void> {
  const adapter = new FastifyAdapter();
  adapter.setBasePath(path);
  const queue = new BullMQAdapter(operator.queue, {
    readOnlyMode: !writable,
    description: 'Jobs that wait, run, were put back or failed. Outcomes: the page of a job in the console.',
  });
  queue.getJobLogs = async (jobId) => (await operator.queue.getJobLogs(jobId, -maxLogLines, -1)).logs;
  queue.setFormatter('data', (data: unknown) => trimData(data) as Record<string, unknown>);
  queue.setFormatter('name', ({ name }: { name?: string }) => String(trimData(name ?? '')));
  queue.setFormatter('progress', (value: unknown) => trimData(value) as Record<string, unknown>);
  queue.setFormatter('returnValue', (value: unknown) => trimData(value) as Record<string, unknown>);
  createBullBoard({
    queues: [queue],
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'protosmith', hideDocsLink: true, hideRedisDetails: false } },
  });
  await server.register(async (scope) => {
    scope.addHook('preHandler', async ({ body, url }) => {
      const fault = faultIn(body, new URL(url, 'http://localhost').pathname.endsWith('/add'));
      if (fault !== undefined) throw Object.assign(new Error(fault), { statusCode: 400 });
    });
    // Anybody may have written a job's hash, logs and options.
    scope.addHook('preSerialization', async (_request, _reply, payload) => trimTexts(payload));
    await scope.register(adapter.registerPlugin(), { prefix: path });
  });
}

/** Why a request body is refused, because a worker could not take it or BullMQ would fail on it; `undefined` if not. */
function faultIn(body: unknown, adds: boolean): string | undefined {
  // The request wraps the job in one more level.
  const most = limits.nesting.value + 1;
  if (isDeeper(body, most)) return `Cannot take data: nested more than ${most} levels deep, wanted fewer`;
  if (!adds) return undefined;
  const { options } = isObject(body) ? body : {};
  const id = isObject(options) ? options.jobId : undefined;
  return typeof id === 'string' && isUsableId(id)
    ? undefined
    : 'Cannot add job: no usable id, wanted {"jobId": …} in its options that is not a number, has no ":" and is not the name of a key of BullMQ';
}

/** Whether a value nests deeper than this. Goes level by level, because recursion would overflow the stack. */
function isDeeper(value: unknown, most: number): boolean {
  let level = [value];
  for (let depth = 0; depth <= most; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
