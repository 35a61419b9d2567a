import { analyze } from '../../analysis/analyze.ts';
import type { Agreement, Case } from '../../contract/agreement.ts';
import type { Finding } from '../../contract/finding.ts';
import type { Job } from '../../contract/job.ts';
import type { Json } from '../../kernel/json.ts';
import { type Unit, unitsOf } from '../../readings/units.ts';
import { type Html, html, type Part } from './html.ts';
import { badge } from './layout.ts';

/** Most characters that are shown of a document, and of one payload. */
const MOST_DOCUMENT = 100_000;
const MOST_PAYLOAD = 8_000;

/** Whether the last candidate passed each case, by number. */
export type CaseResults = ReadonlyMap<number, boolean>;

/**
 * The document with its numbered units, beside the cases. A finding about a schema comes after that schema, one
 * about a case with that case, any other at the start of the document.
 */
export function agreementView(job: Job, findings: readonly Finding[], results: CaseResults): Html {
  const { agreement } = analyze(job);
  const schemas = agreement.schemas.filter(({ baseUri }) => baseUri === undefined);
  const units = unitsOf(agreement.text, schemas);
  const ofCases = findings.filter(({ testCase }) => testCase !== undefined);
  return html`<div class="beside">
<div><h3>Document</h3><pre>${documentWith(agreement, units, findings)}</pre></div>
<div><h3>Cases</h3>${
    agreement.cases.length === 0
      ? html`<p class="quiet">No cases were negotiated.</p>`
      : agreement.cases.map((one) => caseView(one, ofCases, results))
  }</div>
</div>`;
}

/** Markup that is put into the text of the document. */
interface Insert {
  at: number;
  what: Html;
}

function documentWith(agreement: Agreement, units: readonly Unit[], findings: readonly Finding[]): Part {
  const { text } = agreement;
  const shown = text.slice(0, MOST_DOCUMENT);
  const inserts: Insert[] = [
    ...units.map(({ number, start }) => ({
      at: start,
      what: html`<span class="n" id="unit-${number}">${number}</span>`,
    })),
    ...findings
      .filter(({ testCase }) => testCase === undefined)
      .map((finding) => ({ at: placeOf(finding, agreement), what: findingMark(finding) })),
  ].sort((one, other) => one.at - other.at);
  const parts: Part[] = [];
  let from = 0;
  for (const { at, what } of inserts) {
    const to = Math.min(at, shown.length);
    parts.push(shown.slice(from, to), what);
    from = to;
  }
  parts.push(shown.slice(from));
  if (text.length > shown.length) parts.push(`\n… ${text.length - shown.length} more characters`);
  return parts;
}

/** The end of the schema that a finding is about; the start of the document for any other. */
function placeOf({ in: place }: Finding, { requestSchema, responseSchema }: Agreement): number {
  const schema = place === 'requestSchema' ? requestSchema : place === 'responseSchema' ? responseSchema : null;
  return schema === null || schema.baseUri !== undefined ? 0 : schema.end;
}

/** A finding as the text shows it. */
function findingMark({ code, message, severity }: Finding): Html {
  return html`<mark class="${severity === 'error' ? 'bad' : 'warn'}">\n${code}: ${message}\n</mark>`;
}

function caseView(one: Case, findings: readonly Finding[], results: CaseResults): Html {
  const own = findings.filter(({ testCase }) => testCase === one.testCase);
  const passed = results.get(one.testCase);
  return html`<details id="case-${one.testCase}" open><summary>Case ${one.testCase}${
    passed === undefined ? null : html` ${badge(passed ? 'passed' : 'failed', passed ? 'good' : 'bad')}`
  }</summary>
${own.map((finding) => html`<p>${findingMark(finding)}</p>`)}
${one.expected !== '' && html`<p>${one.expected}</p>`}
<p class="quiet">Request</p><pre>${jsonText(one.request)}</pre>
<p class="quiet">Response</p><pre>${jsonText(one.response)}</pre></details>`;
}

/** A value as indented JSON, cut if it is long; a text as it is. */
export function jsonText(value: Json | undefined): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'nothing');
  return text.length <= MOST_PAYLOAD ? text : `${text.slice(0, MOST_PAYLOAD)}… ${text.length - MOST_PAYLOAD} more`;
}
