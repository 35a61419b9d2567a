import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { strToU8, zipSync } from 'fflate';
import type { QueueOperator } from '../../../queues/index.ts';
import { exportFormat } from '../../contract/handler.ts';
import { readHistory } from '../../telemetry/read-history.ts';
import { recordOf } from '../handlers/stored-handlers.ts';
import { fixtureFiles } from '../history/history-fixture.ts';
import { NOTES, routeActions } from './actions.ts';
import { type Admission, refuse } from './admission.ts';
import type { Forms } from './form.ts';
import { handlerPage, handlersPage } from './handlers-page.ts';
import { type Html, html } from './html.ts';
import { jobPage, knownJob } from './job-page.ts';
import { type JobQuery, jobsPage } from './jobs-page.ts';
import { layout, type Page } from './layout.ts';
import { overviewPage } from './overview-page.ts';
import type { SituationWatch } from './situation-watch.ts';

/** What the pages and actions of the console work with. */
export interface ConsoleParts {
  operator: QueueOperator;
  situations: SituationWatch;
  admission: Admission;
  forms: Forms;
}

/** Routes all pages and actions. */
export function routePages(server: FastifyInstance, { operator, situations, forms, admission }: ConsoleParts): void {
  const page = (
    path: string,
    place: Page['place'],
    read: (request: FastifyRequest) => Promise<PageContent | null>,
  ): void => {
    server.get(path, async (request, reply) => {
      const found = await read(request);
      const missing = html`<h1>Not found</h1><p>Nothing is kept under this address. It may have expired.</p>`;
      const { title, body, isLive = false } = found ?? { title: 'Not found', body: missing };
      const text = layout({ title, place, isLive, note: NOTES[queryOf(request, 'note') ?? ''], body });
      return send(reply.code(found === null ? 404 : 200), text);
    });
  };
  page('/', '/', async () => ({
    title: 'Overview',
    body: overviewPage(await situations.now(), situations.samples, forms),
    isLive: true,
  }));
  page('/jobs', '/jobs', async (request) => ({
    title: 'Jobs',
    body: await jobsPage(operator, request.query as JobQuery),
  }));
  page('/jobs/:jobId', '/jobs', async (request) => {
    const { jobId } = request.params as { jobId: string };
    const known = await knownJob(operator, jobId);
    if (known === null) return null;
    const isLive = known.inspection !== null && known.inspection.outcome === null;
    return { title: `Job ${jobId}`, body: jobPage(jobId, known, forms), isLive };
  });
  page('/handlers', '/handlers', async (request) => ({
    title: 'Handlers',
    body: await handlersPage(operator, queryOf(request, 'tenant') || undefined),
  }));
  page('/handlers/:tenant/:digest', '/handlers', async (request) => {
    const { tenant, digest } = request.params as { tenant: string; digest: string };
    const body = await handlerPage(operator, { tenant, digest, forms });
    return body === null ? null : { title: `Handler ${digest.slice(0, 12)}`, body };
  });
  server.get('/handlers/:tenant/:digest/export', async (request, reply) => {
    const { tenant, digest } = request.params as { tenant: string; digest: string };
    const record = await recordOf(operator.handlers, tenant, digest);
    if (record === null) return refuse(reply, 404, 'no such handler');
    return reply.send({ format: exportFormat, version: 1, handlers: [record], withdrawn: [] });
  });
  server.get('/jobs/:jobId/fixture', async (request, reply) => {
    const { jobId } = request.params as { jobId: string };
    const history = await readHistory(operator.histories, jobId);
    if (history === null || history.submitted === null) return refuse(reply, 404, 'the job is not kept');
    const files = fixtureFiles(history).map(([name, text]) => [`fixture/${name}`, strToU8(text)] as const);
    return reply
      .type('application/zip')
      .header('content-disposition', 'attachment; filename="fixture.zip"')
      .send(Buffer.from(zipSync(Object.fromEntries(files))));
  });
  routeActions(server, operator, admission);
}

/** The content of a page. */
interface PageContent {
  title: string;
  body: Html;
  isLive?: boolean;
}

function queryOf({ query }: FastifyRequest, name: string): string | undefined {
  const value = (query as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}

function send(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(text);
}
