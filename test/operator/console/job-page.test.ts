import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Inspection } from '../../../queues/index.ts';
import type { History, HistoryEntry, LifeEvent } from '../../../src/contract/history.ts';
import { formsOf } from '../../../src/operator/console/form.ts';
import { jobPage } from '../../../src/operator/console/job-page.ts';

const root = join(import.meta.dirname, '../../..');
const text = readFileSync(join(root, 'fixtures/examples/anp-product-en.consistent.job.json'), 'utf8');
const hostile = '</pre><script>alert(1)</script><img src=x onerror="alert(2)">\u202e\u001b[2J';
const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costUsd: null };

/** What happened to a job, with a text of a stranger wherever a text may stand. */
function events(said: string): LifeEvent[] {
  const differences = [{ path: said, expected: said, got: { [said]: said }, message: said }];
  const derived = { id: said, of: [3], quote: said, claim: said, base: 1, expect: {} };
  return [
    { type: 'started', kind: 'generate' },
    { type: 'stage', stage: said, durationMs: 5 },
    {
      type: 'reading',
      result: 'complete',
      units: 9,
      covered: 9,
      derived: 1,
      promptVersion: said,
      detail: { reading: { version: 1, reader: { kind: 'model', name: said }, derived: [derived], units: [] } },
    },
    { type: 'prompted', attempt: 1, purpose: 'generate', repair: false },
    {
      type: 'try-failed',
      attempt: 1,
      endpoint: said,
      model: said,
      code: said,
      durationMs: 7,
      detail: { message: said },
    },
    {
      type: 'candidate',
      attempt: 1,
      bundleDigest: said,
      bundleBytes: 1,
      sourceBytes: 1,
      faults: 1,
      detail: { source: `first\n${said}\nthird`, faults: [{ message: said, line: 2 }] },
    },
    {
      type: 'tried',
      attempt: 1,
      passed: [1],
      failed: [2],
      durationMs: 3,
      cpuMs: 1,
      detail: { cases: [{ testCase: 2, passed: false, end: said, message: said, line: 3, differences }] },
    },
    { type: 'attempted', attempt: 1, result: 'failed-cases', usage, message: said, detail: { message: said } },
    { type: 'prompted', attempt: 2, purpose: 'generate', repair: true, repairs: 1 },
    {
      type: 'candidate',
      attempt: 2,
      bundleDigest: said,
      bundleBytes: 1,
      sourceBytes: 1,
      faults: 0,
      detail: { source: 'first\nsecond\nthird', faults: [] },
    },
    { type: 'tried', attempt: 2, passed: [1, 2], failed: [], durationMs: 3, cpuMs: 1 },
    {
      type: 'derived',
      attempt: 2,
      runs: 1,
      confirmed: 1,
      contested: 0,
      isWhole: true,
      durationMs: 4,
      detail: { broken: [{ ...derived, breaches: [said], confirmed: true, line: 1 }] },
    },
    {
      type: 'checked',
      attempt: 2,
      passed: ['echo'],
      failed: [],
      warned: [said],
      durationMs: 4,
      detail: { reports: [], facts: [{ check: said, code: said, message: said, refuses: false }] },
    },
    {
      type: 'second-reader',
      attempt: 3,
      worlds: 1,
      answered: 1,
      detail: {
        worlds: [{ id: said, claim: said, quote: said, confirmation: { by: said, answers: { a: { value: said } } } }],
      },
    },
    { type: 'ended', verdict: 'error', codes: [said], durationMs: 900, modelMs: 500, ownMs: 400 },
  ];
}

function historyOf(said: string): History {
  const entries = events(said).map(
    (event, index): HistoryEntry => ({ ...event, atMs: 1_000 + index * 10, delivery: 1, worker: said }),
  );
  return {
    jobId: 'ps-1',
    submitted: { kind: 'generate', text, dataDigest: said, tenant: said, takenAtMs: 1_000 },
    entries,
    leftOut: { entries: 2, bytes: 10 },
  };
}

function inspectionOf(said: string): Inspection {
  const finding = { code: said, severity: 'error', in: 'responseSchema', pointer: said, message: said };
  const outcome = {
    jobId: 'ps-1',
    dataDigest: null,
    negotiationId: said,
    tenant: said,
    kind: 'generate',
    verdict: 'error',
    messages: [{ [said]: said }],
    proposals: [{ [said]: said }],
    protocolHash: said,
    handler: { digest: said, role: 'provider', abi: 1, tools: [said], amendments: [] },
    findings: [finding, { ...finding, in: 'response', testCase: 1 }, said, null],
    report: { usage, cases: [{ testCase: 1, passed: false, differences: [] }] },
  };
  const state = { state: 'ended', kind: said, data: null, failedReason: said, deliveries: 1, deaths: 0 };
  return { jobId: 'ps-1', ...state, outcome: outcome as unknown as Inspection['outcome'] };
}

const page = (said: string) =>
  jobPage('ps-1', { inspection: inspectionOf(said), history: historyOf(said) }, formsOf('token', true)).text;

test('no text of a document, a model or a peer becomes markup, or cannot be seen', () => {
  const shown = page(hostile);
  assert.ok(shown.includes('&lt;script&gt;alert(1)'));
  assert.doesNotMatch(shown, /<script|<img|\u202e|\u001b|onerror="/);
  // The same elements as with a harmless text: nothing was added and nothing closed.
  const elements = (markup: string) => markup.match(/<\/?[a-z][a-z0-9]*/g);
  assert.deepEqual(elements(shown), elements(page('harmless')));
});

test('candidates stand with their failing lines, what a repair changed, and what each case found', () => {
  const shown = page('harmless');
  assert.match(shown, /<span class="failing"><span class="n">2<\/span>harmless<\/span>/);
  assert.match(shown, /<del>- harmless\n<\/del><ins>\+ second\n<\/ins>/);
  const matrix = /id="matrix"[\s\S]*?<\/section>/.exec(shown)?.[0] ?? '';
  const [, row = ''] = /href="#case-2"([\s\S]*?)<\/tr>/.exec(matrix) ?? [];
  assert.deepEqual(
    [...row.matchAll(/badge \w+">([^<]*)</g)].map(([, word]) => word),
    ['failed', 'passed'],
  );
  const [, derived = ''] = /href="#derived-1"([\s\S]*?)<\/tr>/.exec(matrix) ?? [];
  assert.match(derived, /–[\s\S]*broken/);
});

test('the agreement stands with numbered units, and each finding in its place', () => {
  const shown = page('harmless');
  assert.match(shown, /id="unit-1">1<\/span>/);
  const document = /<h3>Document<\/h3>[\s\S]*?<\/pre>/.exec(shown)?.[0] ?? '';
  assert.match(document, /<mark class="bad">\nharmless: harmless/);
  const cases = /id="case-1"[\s\S]*?<\/details>/.exec(shown)?.[0] ?? '';
  assert.match(cases, /<mark class="bad">\nharmless: harmless/);
});

test('a job of which only the outcome is left has a page', () => {
  const shown = jobPage('ps-1', { inspection: inspectionOf('x'), history: null }, formsOf('token', false)).text;
  assert.match(shown, /history is not kept/);
  assert.doesNotMatch(shown, /<form/);
});
