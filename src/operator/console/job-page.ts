import type { Inspection, PublishedEnvelope, QueueOperator } from '../../../queues/index.ts';
import type { Finding } from '../../contract/finding.ts';
import type { History } from '../../contract/history.ts';
import type { Job } from '../../contract/job.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { DerivedCase } from '../../contract/reading.ts';
import { readJob } from '../../intake/read-job.ts';
import type { Json } from '../../kernel/json.ts';
import { candidatesOf, readHistory } from '../../telemetry/read-history.ts';
import { moment, span } from '../shell/print.ts';
import { agreementView, jsonText } from './agreement-view.ts';
import { candidateSections, matrix, ofType, readingIn } from './candidates.ts';
import { derivedSection } from './derived-view.ts';
import type { Forms } from './form.ts';
import { handlerPath } from './handlers-page.ts';
import { type Html, html, type Part } from './html.ts';
import { badge, facts, section, table, toneOf } from './layout.ts';
import { timeline } from './timeline.ts';

/** What is known of a job. */
export interface KnownJob {
  inspection: Inspection | null;
  history: History | null;
}

/** The address of a job's page. */
export function jobPath(jobId: string): string {
  return `/jobs/${encodeURIComponent(jobId)}`;
}

/** One job: its state, findings, time line, agreement and cases, what each candidate did, and its messages. */
export function jobPage(jobId: string, { inspection, history }: KnownJob, forms: Forms): Html {
  const outcome = inspection?.outcome as (PublishedEnvelope & Partial<Outcome>) | null | undefined;
  const entries = history?.entries ?? [];
  const candidates = candidatesOf({ entries });
  const findings = (Array.isArray(outcome?.findings) ? outcome.findings : []).map(findingOf);
  const job = jobOf(inspection, history);
  const state = outcome?.verdict ?? inspection?.state ?? 'ended';
  const path = jobPath(jobId);
  return html`<h1>Job <code>${jobId}</code> ${badge(state, toneOf(state))}</h1>
<div>${outcome != null && forms(`${path}/requeue`, 'Requeue')}${outcome == null && forms(`${path}/cancel`, 'Cancel', null, 'bad')}${history?.submitted != null && html`<a href="${path}/fixture" download>Save as a fixture</a>`}</div>
${facts(factsOf(inspection, outcome ?? null, history))}
${history === null && html`<p class="quiet">Its history is not kept: it is over a day old, or PROTOSMITH_HISTORY is off.</p>`}
${(history?.leftOut.entries ?? 0) > 0 && html`<p class="warn">${history?.leftOut.entries ?? 0} entries of its history were left out.</p>`}
${section('findings', 'Findings', findingsTable(findings))}
${section('timeline', 'Time line', [timeline(entries), eventsTable(entries)])}
${candidates.length > 0 && section('matrix', 'Cases, derived cases and checks by candidate', matrix(entries, candidates))}
${job !== null && section('agreement', 'Agreement', agreementView(job, findings, resultsOf(outcome ?? null)))}
${derivedOf(entries, job !== null)}
${candidateSections(candidates)}
${outcome != null && section('messages', 'Messages', messagesView(outcome))}`;
}

/** A reader may have published the outcome, in any form. */
function findingOf(value: unknown): Finding {
  const { code = 'unknown', message = '', ...rest } = Object(value) as Finding;
  return { ...rest, code: String(code) as Finding['code'], message: String(message) };
}

/** The job as it was submitted, if it can still be read. */
function jobOf(inspection: Inspection | null, history: History | null): Job | null {
  const kind = history?.submitted?.kind ?? inspection?.kind;
  const data = history?.submitted == null ? inspection?.data : parsed(history.submitted.text);
  if (typeof kind !== 'string' || data == null) return null;
  const reading = readJob(kind, data);
  return reading.ok ? reading.job : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function factsOf(
  inspection: Inspection | null,
  outcome: (PublishedEnvelope & Partial<Outcome>) | null,
  history: History | null,
): [string, Part][] {
  const ended = ofType(history?.entries ?? [], 'ended').at(-1);
  const usage = outcome?.report?.usage;
  const handler = outcome?.handler?.digest;
  const tenant = outcome?.tenant ?? history?.submitted?.tenant ?? 'unknown';
  return [
    ['state', inspection?.state ?? 'ended'],
    ['kind', outcome?.kind ?? inspection?.kind ?? history?.submitted?.kind ?? 'unknown'],
    ['tenant', html`<a href="/jobs?tenant=${encodeURIComponent(tenant)}">${tenant}</a>`],
    ['negotiation', outcome?.negotiationId ?? 'unknown'],
    ['protocol', html`<code>${outcome?.protocolHash?.slice(0, 16) ?? 'unknown'}</code>`],
    ['taken', history?.submitted == null ? 'unknown' : moment(history.submitted.takenAtMs)],
    ['deliveries', `${inspection?.deliveries ?? 0}, ${inspection?.deaths ?? 0} workers died`],
    [
      'handler',
      handler === undefined
        ? 'none'
        : html`<a href="${handlerPath(tenant, handler)}"><code>${handler.slice(0, 12)}</code></a>`,
    ],
    ...(ended === undefined
      ? []
      : ([
          [
            'time',
            `${span(ended.durationMs / 1_000)}: ${span((ended.modelMs ?? 0) / 1_000)} waiting for models, ${span((ended.ownMs ?? 0) / 1_000)} own work`,
          ],
        ] as [string, Part][])),
    ...(usage === undefined
      ? []
      : ([
          [
            'tokens',
            `${usage.inputTokens} in, ${usage.outputTokens} out, ${usage.costUsd === null ? 'price unknown' : `${usage.costUsd} US dollars`}`,
          ],
        ] as [string, Part][])),
    ...(inspection?.failedReason == null ? [] : ([['failed', inspection.failedReason]] as [string, Part][])),
  ];
}

function findingsTable(findings: readonly Finding[]): Html {
  return table(
    ['severity', 'code', 'place', 'message', 'amendment'],
    findings.map(({ severity, code, in: place, testCase, pointer, message, amendment }) => [
      badge(severity ?? 'error', severity === 'warning' ? 'warn' : 'bad'),
      html`<code class="word">${code}</code>`,
      testCase === undefined
        ? html`<a href="#agreement">${place ?? ''}</a> <code>${pointer ?? ''}</code>`
        : html`<a href="#case-${testCase}">case ${testCase}, ${place}</a> <code>${pointer ?? ''}</code>`,
      message,
      amendment === undefined ? '' : html`<code>${JSON.stringify(amendment.patch)}</code>`,
    ]),
    'No findings.',
  );
}

function eventsTable(entries: History['entries']): Html {
  const startMs = entries[0]?.atMs ?? 0;
  return html`<details id="events"><summary>All ${entries.length} entries</summary>${table(
    ['after', 'delivery', 'worker', 'what', 'details'],
    entries.slice(0, 1_000).map((entry) => {
      const { atMs, delivery, worker, type, ...rest } = entry;
      const { detail: _, ...open } = rest as { detail?: unknown };
      return [`${Math.round(atMs - startMs)} ms`, delivery, worker, type, html`<code>${JSON.stringify(open)}</code>`];
    }),
  )}</details>`;
}

/** The last reading, with what second readers said in this job. */
function derivedOf(entries: History['entries'], besideAgreement: boolean): Html | null {
  const read = readingIn(entries);
  const reading = read?.detail?.reading;
  if (read === undefined || reading === undefined) return null;
  const confirmed = new Map(
    ofType(entries, 'second-reader').flatMap(({ detail }) =>
      (detail?.worlds ?? []).map(({ id, claim, confirmation }) => [id ?? claim, confirmation] as const),
    ),
  );
  const confirmationOf = ({ id, claim }: DerivedCase) => confirmed.get(id ?? claim);
  const { units, covered, result } = read;
  return derivedSection({ reading, units, covered, result, confirmationOf, besideAgreement });
}

function resultsOf(outcome: Partial<Outcome> | null): ReadonlyMap<number, boolean> {
  const cases = outcome?.report?.cases;
  return new Map(Array.isArray(cases) ? cases.map(({ testCase, passed }) => [testCase, passed]) : []);
}

function messagesView(outcome: PublishedEnvelope & Partial<Outcome>): Html {
  const messages = outcome.messages as readonly Json[];
  return html`${messages.length === 0 && html`<p class="quiet">Nothing is sent.</p>`}
${messages.map((one) => html`<pre>${jsonText(one)}</pre>`)}
${(outcome.proposals ?? []).length > 0 && html`<h3>Proposals</h3>${(outcome.proposals ?? []).map((one) => html`<pre>${jsonText(one)}</pre>`)}`}`;
}

/** Reads what is known of a job; `null` if nothing is. */
export async function knownJob(operator: QueueOperator, jobId: string): Promise<KnownJob | null> {
  const [inspection, history] = await Promise.all([operator.inspect(jobId), readHistory(operator.histories, jobId)]);
  return inspection === null && history === null ? null : { inspection, history };
}
