import type { QueueOperator } from '../../../queues/index.ts';
import type { HandlerRecord } from '../../contract/handler.ts';
import type { KeptReading } from '../../contract/reading.ts';
import { type ListedHandler, listHandlers, recordOf } from '../handlers/stored-handlers.ts';
import { moment, size } from '../shell/print.ts';
import { derivedSection } from './derived-view.ts';
import type { Forms } from './form.ts';
import { type Html, html } from './html.ts';
import { badge, facts, section, table, toneOf } from './layout.ts';
import { sourceView } from './source-view.ts';

/** Handlers shown of one tenant. */
const MOST = 100;

/** The stored handlers, the last used first. */
export async function handlersPage({ handlers: stored }: QueueOperator, tenant: string | undefined): Promise<Html> {
  const found = await listHandlers(stored, tenant, MOST);
  return html`<h1>Handlers</h1>
<form class="filters" method="get"><label>Tenant <input name="tenant" value="${tenant ?? ''}"></label><button>Show</button></form>
<p class="quiet">The last used first, at most ${MOST} of a tenant.</p>
${table(
  ['tenant', 'handler', 'role', 'protocol', 'model', 'last used', 'size', 'state'],
  found
    .sort((one, other) => other.usedAtMs - one.usedAtMs)
    .map((one) => [
      one.tenant,
      linkTo(one),
      one.role ?? 'unreadable',
      html`<code>${one.protocolHash?.slice(0, 12) ?? 'unknown'}</code>`,
      one.model ?? 'unknown',
      moment(one.usedAtMs),
      size(one.bytes),
      [
        one.withdrawn !== null && html`${badge('withdrawn', 'bad')}: ${one.withdrawn} `,
        one.pinned && badge('pinned', 'good'),
      ],
    ]),
  'No handler is stored.',
)}`;
}

function linkTo({ tenant, digest }: Pick<ListedHandler, 'tenant' | 'digest'>): Html {
  return html`<a href="${handlerPath(tenant, digest)}"><code>${digest.slice(0, 12)}</code></a>`;
}

/** The address of a handler's page. */
export function handlerPath(tenant: string, digest: string): string {
  return `/handlers/${encodeURIComponent(tenant)}/${encodeURIComponent(digest)}`;
}

/** One handler: its provenance, its checks, its reading, its source. `null` if it is not stored. */
export async function handlerPage(
  { handlers: stored }: QueueOperator,
  { tenant, digest, forms }: { tenant: string; digest: string; forms: Forms },
): Promise<Html | null> {
  const [record, entry] = await Promise.all([recordOf(stored, tenant, digest), stored.entryOf(tenant, digest)]);
  if (record === null) return null;
  const withdrawn = entry?.withdrawn ?? null;
  const path = handlerPath(tenant, digest);
  return html`<h1>Handler <code>${digest.slice(0, 16)}</code></h1>
${withdrawn !== null && html`<p>${badge('withdrawn', 'bad')}: ${withdrawn}. No job is served with it until it is restored.</p>`}
<p><a href="${path}/export" download="handler-${digest.slice(0, 12)}.json">Export as JSON</a></p>
<div>${
    withdrawn === null
      ? forms(
          `${path}/withdraw`,
          'Withdraw',
          html`<input name="reason" placeholder="why" required maxlength="500">`,
          'bad',
        )
      : forms(`${path}/restore`, 'Restore')
  }${entry?.pinned === true ? forms(`${path}/unpin`, 'Unpin') : forms(`${path}/pin`, 'Pin')}</div>
${facts([
  ['last used', entry === null ? 'unknown' : moment(entry.usedAtMs)],
  ['size', size(entry?.bytes ?? 0)],
  ['kept', entry?.pinned === true ? 'pinned: it never expires' : 'until it has not been used for a while'],
])}
${section('provenance', 'Provenance', provenance(record))}
${section('checks', 'Checks', checks(record))}
${record.proof.reading !== undefined && derivedOf(record.proof.reading)}
${section('source', 'Source', sourceView(record.source))}`;
}

function provenance(record: HandlerRecord): Html {
  const { provenance: from, proof } = record;
  return facts([
    ['digest', html`<code>${record.digest}</code>`],
    ['tenant', from.tenant],
    ['role', `${record.role}, ABI ${record.abi}`],
    ['protocol', html`<code>${from.protocolHash}</code> (${from.family})`],
    ['tools', record.tools.join(', ') || 'none'],
    ['amendments', record.amendments.length],
    ['cases', proof.cases.length],
    ['made', moment(from.createdAtMs)],
    ['for job', html`<a href="/jobs/${encodeURIComponent(from.jobId)}">${from.jobId}</a>`],
    ['by', `${from.model} (${from.generator}), prompt ${from.promptVersion}`],
    ['protosmith', `${from.protosmithVersion}, verifier ${from.verifierVersion}`],
  ]);
}

function checks({ provenance: { checks: all } }: HandlerRecord): Html {
  return table(
    ['check', 'result', 'runs', 'found'],
    all.map(({ name, result, runs, message }) => [name, badge(result, toneOf(result)), runs, message ?? '']),
    'No checks are recorded.',
  );
}

function derivedOf({ reading, units, covered, complete }: KeptReading): Html {
  return derivedSection({
    reading,
    units,
    covered,
    result: complete ? 'complete' : 'partial',
    confirmationOf: ({ confirmation }) => confirmation,
    besideAgreement: false,
  });
}
