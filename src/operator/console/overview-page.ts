import { moment, size, span } from '../shell/print.ts';
import { byCount } from '../situation/concern.ts';
import { type Concern, concernsOf } from '../situation/concerns.ts';
import type { EndpointView, Situation, WorkerView } from '../situation/situation.ts';
import { endpointStates } from '../situation/situation-rows.ts';
import { chart } from './chart.ts';
import type { Forms } from './form.ts';
import { type Html, html, type Part } from './html.ts';
import { jobPath } from './job-page.ts';
import { badge, facts, section, table, toneOf } from './layout.ts';
import type { Samples } from './samples.ts';

/** The state of the whole installation: first what needs attention, then the figures and their trends. */
export function overviewPage(situation: Situation, samples: Samples, forms: Forms): Html {
  const concerns = concernsOf(situation);
  return html`<h1>Overview</h1>
${concernsList(concerns)}
${forms(situation.queue?.paused ? '/resume' : '/pause', situation.queue?.paused ? 'Resume the queue' : 'Pause the queue', situation.queue?.paused ? null : html`<input name="reason" placeholder="why" required maxlength="200">`)}
${facts(queueFacts(situation))}
${section('trends', 'The last 30 minutes', trends(samples))}
${section('errors', 'Outcomes of the last five minutes', outcomes(situation))}
${section('endpoints', 'Model endpoints', endpoints(situation.endpoints))}
${section('workers', 'Workers', workers(situation.workers))}
${section('tenants', 'Tenants', tenants(situation))}
${section('readers', 'Readers of outcomes', readers(situation))}
${situation.quarantine.length > 0 && section('quarantine', 'Quarantine', quarantine(situation, forms))}
${section('redis', 'Redis', redis(situation))}
<p class="quiet">At ${moment(situation.atMs)}. The same as \`protosmith status\`.</p>`;
}

function trends(samples: Samples): Html {
  const since = samples.sinceMs === null ? 'now' : moment(samples.sinceMs);
  return html`<div class="charts">${samples.series().map(({ title, lines }) => chart(title, lines))}</div>
<p class="quiet">Outcomes and errors cover all of it. The rest is known since the console started, ${since}.</p>`;
}

/** What needs attention, with its cause, its cost and what mends it. */
function concernsList(concerns: readonly Concern[]): Html {
  if (concerns.length === 0) return html`<p class="fine">Nothing needs attention.</p>`;
  return html`<ul class="concerns">${concerns.map(
    ({ code, cause, cost, remedy }) => html`<li id="concern-${code}"><strong>! ${cause}</strong>
<p>${cost}</p><p>${remedy}</p></li>\n`,
  )}</ul>`;
}

function queueFacts({ queue, backlog }: Situation): [string, Part][] {
  if (queue === null) return [['queue', 'could not be read']];
  const { counts, intake, oldestWaitingAgeSeconds: age } = queue;
  return [
    ['waiting', counts.waiting + counts.prioritized],
    ['on the intake stream', intake.length],
    ['running', counts.active],
    ['put back', counts.delayed],
    ['dead letters', counts.failed],
    ['oldest waiting', age === null ? 'none' : span(age)],
    ['next deadline', backlog.nextDeadlineSeconds === null ? 'none' : inOrAgo(backlog.nextDeadlineSeconds)],
    ['will miss their deadline', backlog.willMiss ?? 'unknown'],
    ['fetching', queue.paused ? badge('paused for all workers', 'bad') : 'yes'],
  ];
}

function inOrAgo(seconds: number): string {
  return seconds >= 0 ? `in ${span(seconds)}` : `${span(-seconds)} ago`;
}

function outcomes({ recent }: Situation): Html {
  const verdicts = Object.entries(recent.verdicts).map(([verdict, count]) => [badge(verdict, toneOf(verdict)), count]);
  const codes = byCount(recent.codes).map(([code, count]) => [
    html`<a href="/jobs?code=${encodeURIComponent(code)}"><code class="word">${code}</code></a>`,
    count,
  ]);
  return html`<div class="beside"><div>${table(['verdict', 'jobs'], verdicts, 'No job ended.')}</div>
<div>${table(['error', 'findings'], codes, 'No errors.')}</div></div>`;
}

function endpoints(all: readonly EndpointView[]): Html {
  return table(
    ['endpoint', 'state', 'since', 'tries', 'failed', 'faults', 'silent calls'],
    all.map(({ endpoint, state, fault, sinceMs, restMs, tries, failed, codes, silent }) => [
      endpoint,
      [
        badge(endpointStates[state], state === 'well' ? 'good' : state === 'resting' ? 'warn' : 'bad'),
        fault !== null && html`<div>${fault.code}: ${fault.message}</div>`,
        restMs !== null && html`<div>called again in ${span(restMs / 1_000)}</div>`,
      ],
      sinceMs === null ? '' : moment(sinceMs),
      tries,
      tries === 0 ? failed : `${failed} (${Math.round((failed / tries) * 100)} %)`,
      byCount(codes).map(([code, count]) => html`<div>${code} ${count}</div>`),
      silent === null ? '' : `${silent.calls}, the longest for ${span(silent.longestMs / 1_000)}`,
    ]),
    'No model was asked in the last five minutes.',
  );
}

function workers(all: readonly WorkerView[]): Html {
  return table(
    ['worker', 'state', 'version', 'jobs', 'cells', 'last job ended', 'up', 'heard of'],
    all.map((one) => [
      one.worker,
      [
        badge(one.life, one.life === 'alive' ? 'good' : one.life === 'stopped' ? 'quiet' : 'bad'),
        one.paused.map((why) => html`<div class="warn">fetches no jobs: ${why}</div>`),
        one.fault !== null && html`<div>${one.fault.code}: ${one.fault.message}</div>`,
      ],
      one.version,
      [
        `${one.running} of ${one.concurrency} `,
        one.jobs.map((id) => html`<div><a href="${jobPath(id)}">${id.slice(0, 16)}</a></div>`),
      ],
      `${one.cells.all}, ${one.cells.waiting} wait, ${one.cells.killed} killed${one.level === null ? '' : ` (${one.level})`}`,
      one.sinceEndMs === null ? 'none yet' : `${span(one.sinceEndMs / 1_000)} ago`,
      span(one.upMs / 1_000),
      `${span(one.ageSeconds)} ago`,
    ]),
    'No worker has been heard of.',
  );
}

function tenants({ tenants: all }: Situation): Html {
  return table(
    ['tenant', 'waiting', 'running', 'ended'],
    all.map(({ tenant, waiting, running, ended }) => [
      html`<a href="/jobs?tenant=${encodeURIComponent(tenant)}">${tenant}</a>`,
      waiting,
      running,
      ended,
    ]),
  );
}

function readers({ readers: all }: Situation): Html {
  return table(
    ['outcomes of', 'group', 'not read', 'not acknowledged', 'behind'],
    all.map(({ replyTo, group, unread, pending, behindSeconds }) => [
      replyTo,
      group,
      unread ?? 'unknown',
      pending,
      behindSeconds === null ? 'not' : span(behindSeconds),
    ]),
    'Nobody reads outcomes in a group.',
  );
}

function quarantine({ quarantine: all }: Situation, forms: Forms): Html {
  return table(
    ['bundle', 'since', 'why', 'job', 'tenant', 'worker', ''],
    all.map(({ digest, sinceMs, reason, jobId, tenant, worker, acknowledged }) => [
      html`<code>${digest.slice(0, 16)}</code>`,
      moment(sinceMs),
      reason,
      jobId === null ? 'unknown' : html`<a href="${jobPath(jobId)}">${jobId}</a>`,
      tenant ?? 'unknown',
      worker ?? 'unknown',
      [
        acknowledged ? 'acknowledged' : forms(`/quarantine/${encodeURIComponent(digest)}/acknowledge`, 'Acknowledge'),
        forms(`/quarantine/${encodeURIComponent(digest)}/free`, 'Free', null, 'bad'),
      ],
    ]),
  );
}

function redis({ queue, unreachable, unwritable, forbidden }: Situation): Html {
  if (unreachable !== null) return html`<p>${badge('unreachable', 'bad')}: ${unreachable.message}</p>`;
  const { server = 'unknown', version, usedMemoryBytes, maxmemoryBytes } = queue?.redis ?? {};
  return facts([
    ['server', `${server} ${version ?? ''}`],
    ['memory', `${size(usedMemoryBytes ?? 0)} ${maxmemoryBytes ? `of ${size(maxmemoryBytes)}` : 'without limit'}`],
    ['writes', unwritable === null ? 'taken' : html`${badge('refused', 'bad')}: ${unwritable.message}`],
    [
      'user',
      `${forbidden.user}${forbidden.missing.length === 0 ? '' : `, may not use ${forbidden.missing.join(', ')}`}`,
    ],
  ]);
}
