import type { FastifyInstance, FastifyReply } from 'fastify';
import type { QueueOperator } from '../../../queues/index.ts';
import { CodedError } from '../../kernel/errors.ts';
import { lookupsOf } from '../handlers/stored-handlers.ts';
import { type Admission, refuse } from './admission.ts';
import { handlerPath } from './handlers-page.ts';
import { jobPath } from './job-page.ts';

/** The sentence that a page shows after an action, by the word in its address. No other text can be shown that way. */
export const NOTES: Readonly<Record<string, string>> = {
  withdrawn: 'The handler is withdrawn. No job is served with it until it is restored.',
  restored: 'The handler is served again.',
  pinned: 'The handler is pinned. It never expires.',
  unpinned: 'The handler is no longer pinned.',
  requeued: 'This is the new job: an outcome is final, so the data were submitted as another job.',
  cancelled: 'The job is cancelled.',
  'cancel-asked': 'The job ends within 2 s once a worker is there, or at its deadline.',
  'cancel-late': 'The job had its outcome already.',
  paused: 'No worker takes jobs until the queue is resumed.',
  resumed: 'Workers take jobs again.',
  freed: 'The bundle may run again.',
  acknowledged: 'The bundle stays in quarantine, and is no longer a concern.',
  'freed-before': 'The bundle is no longer in quarantine.',
};

/** The fields of a form and the parts of its path. */
interface Given {
  params: Readonly<Record<string, string>>;
  fields: URLSearchParams;
}

/** Does something; resolves to the page to show next, and the note to show on it. */
type Action = (given: Given) => Promise<{ to: string; note: string }>;

/** Every action of the console, by its path. */
function actionsOf(operator: QueueOperator): Record<string, Action> {
  return { ...onHandlers(operator), ...onJobs(operator), ...onQueue(operator) };
}

function onJobs(operator: QueueOperator): Record<string, Action> {
  return {
    '/jobs/:jobId/requeue': async ({ params: { jobId = '' } }) => {
      const { requeued, already } = await operator.requeue([jobId]);
      const [made] = requeued;
      if (made !== undefined) return { to: jobPath(made.newJobId), note: 'requeued' };
      const found = already.length > 0 ? 'it was requeued before' : 'its data are not kept';
      throw new CodedError(
        'JOB_UNKNOWN',
        `Cannot requeue job ${jobId}: ${found}, wanted a job whose data are kept and that was not requeued`,
      );
    },
    '/jobs/:jobId/cancel': async ({ params: { jobId = '' } }) => {
      const { did } = await operator.cancel(jobId);
      if (did === 'unknown')
        throw new CodedError(
          'JOB_UNKNOWN',
          `Cannot cancel job ${jobId}: it is neither on the queue nor on the intake stream, wanted a job without outcome`,
        );
      const note = did === 'cancelled' ? 'cancelled' : did === 'asked' ? 'cancel-asked' : 'cancel-late';
      return { to: jobPath(jobId), note };
    },
  };
}

function onQueue(operator: QueueOperator): Record<string, Action> {
  return {
    '/pause': async ({ fields }) => {
      await operator.pause({ by: 'console', reason: fields.get('reason') || null });
      return { to: '/', note: 'paused' };
    },
    '/resume': async () => {
      await operator.resume();
      return { to: '/', note: 'resumed' };
    },
    '/quarantine/:digest/free': async ({ params: { digest = '' } }) => ({
      to: '/',
      note: (await operator.quarantine.release(digest)) ? 'freed' : 'freed-before',
    }),
    '/quarantine/:digest/acknowledge': async ({ params: { digest = '' } }) => ({
      to: '/',
      note: (await operator.quarantine.acknowledge(digest)) ? 'acknowledged' : 'freed-before',
    }),
  };
}

function onHandlers({ handlers }: QueueOperator): Record<string, Action> {
  const onHandler =
    (note: string, act: (tenant: string, digest: string, fields: URLSearchParams) => Promise<unknown>): Action =>
    async ({ params: { tenant = '', digest = '' }, fields }) => {
      await act(tenant, digest, fields);
      return { to: handlerPath(tenant, digest), note };
    };
  return {
    '/handlers/:tenant/:digest/withdraw': onHandler('withdrawn', (tenant, digest, fields) =>
      handlers.withdraw(tenant, digest, fields.get('reason') || 'no reason given'),
    ),
    '/handlers/:tenant/:digest/restore': onHandler('restored', (tenant, digest) => handlers.restore(tenant, digest)),
    '/handlers/:tenant/:digest/pin': onHandler('pinned', async (tenant, digest) =>
      handlers.pin(tenant, digest, await lookupsOf(handlers, tenant, digest)),
    ),
    '/handlers/:tenant/:digest/unpin': onHandler('unpinned', async (tenant, digest) =>
      handlers.unpin(tenant, digest, await lookupsOf(handlers, tenant, digest)),
    ),
  };
}

/** Routes every action as a form that must come from one of our own pages. */
export function routeActions(server: FastifyInstance, operator: QueueOperator, admission: Admission): void {
  for (const [path, act] of Object.entries(actionsOf(operator))) {
    server.post(path, async (request, reply): Promise<FastifyReply> => {
      const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      if (!admission.isOurForm(request, fields.get('csrf')))
        return refuse(reply, 403, 'this form did not come from a page of this console; open the page again');
      try {
        const { to, note } = await act({ params: request.params as Given['params'], fields });
        return reply.redirect(`${to}?note=${note}`, 303);
      } catch (error) {
        if (error instanceof CodedError) return refuse(reply, 409, `${error.code}: ${error.message}`);
        throw error;
      }
    });
  }
}
