import {
  type JobFilter,
  type ListedJob,
  type ListState,
  listStates,
  type QueueOperator,
} from '../../../queues/index.ts';
import { verdicts } from '../../contract/outcome.ts';
import { moment } from '../shell/print.ts';
import { type Html, html, type Part } from './html.ts';
import { jobPath } from './job-page.ts';
import { badge, table, toneOf } from './layout.ts';

/** Most jobs on one page. */
const MOST = 100;

/** The fields of the filter, as the address has them. */
export type JobQuery = Partial<Record<'state' | 'verdict' | 'code' | 'tenant' | 'id' | 'minutes', string>>;

/** The jobs that match a filter: running and waiting ones first, then ended ones, the newest first. */
export async function jobsPage(operator: QueueOperator, query: JobQuery): Promise<Html> {
  const { jobs, isCut } = await operator.jobs(filterOf(query));
  return html`<h1>Jobs</h1>
${filters(query)}
${table(
  ['job', 'state', 'verdict', 'kind', 'tenant', 'codes', 'since'],
  jobs.map((job) => rowOf(job)),
  'No such job is kept.',
)}
${isCut && html`<p class="quiet">There may be more jobs; a narrower filter shows them.</p>`}`;
}

function rowOf({ jobId, state, kind, tenant, verdict, codes, atMs }: ListedJob): Part[] {
  return [
    html`<a href="${jobPath(jobId)}"><code class="word" title="${jobId}">${jobId.length > 20 ? `${jobId.slice(0, 20)}…` : jobId}</code></a>`,
    state,
    verdict === null ? '' : badge(verdict, toneOf(verdict)),
    kind,
    tenant ?? 'unknown',
    codes.map((code) => html`<div><code class="word">${code}</code></div>`),
    moment(atMs),
  ];
}

function filterOf({ state, verdict, code, tenant, id, minutes }: JobQuery): JobFilter {
  const states = listStates.filter((one) => one === state);
  const age = Number(minutes);
  return {
    limit: MOST,
    ...(states.length > 0 ? { states: states as ListState[] } : {}),
    ...(verdict ? { verdict } : {}),
    ...(code ? { code } : {}),
    ...(tenant ? { tenant } : {}),
    ...(id ? { idStart: id } : {}),
    ...(age > 0 ? { sinceMs: Date.now() - age * 60_000 } : {}),
  };
}

function filters({ state, verdict, code, tenant, id, minutes }: JobQuery): Html {
  const choice = (name: string, options: readonly string[], chosen: string | undefined): Html =>
    html`<label>${name} <select name="${name}"><option value="">any</option>${options.map(
      (one) => html`<option${one === chosen && html` selected`}>${one}</option>`,
    )}</select></label>`;
  const field = (name: string, label: string, value: string | undefined): Html =>
    html`<label>${label} <input name="${name}" value="${value ?? ''}" size="14"></label>`;
  return html`<form class="filters" method="get">
${choice('state', listStates, state)} ${choice('verdict', verdicts, verdict)}
${field('code', 'code', code)} ${field('tenant', 'tenant', tenant)} ${field('id', 'id begins with', id)}
${field('minutes', 'of the last minutes', minutes)} <button>Show</button></form>`;
}
