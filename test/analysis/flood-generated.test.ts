import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { MAX_FINDINGS } from '../../src/analysis/capped-findings.ts';
import { decide } from '../../src/analysis/decide.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Job } from '../../src/contract/job.ts';
import type { Json } from '../../src/kernel/json.ts';
import { startCost } from '../cost.ts';
import { attackingDocuments } from './attacking-documents.ts';
import { type HostileDocument, hostileDocuments } from './hostile-documents.ts';
import { mixedDocument } from './mixed-documents.ts';
import { casesOf, sampleJob } from './sample-job.ts';

/** Far above the usual cost of 10; without limits, the work costs from a thousand to millions. */
const HANG_COST = 600;

/** Longest outcome without proposals, in UTF-16 units of JSON; proposals carry the document. */
const MAX_FINDINGS_CHARS = 1_500_000;

function judged(job: Job) {
  const analyzed = analyze(job);
  const findings = preflight(analyzed);
  return { findings, decision: decide(analyzed, findings) };
}

function judgedToAnEnd(generate: () => HostileDocument): void {
  const { document, cases, more } = generate();
  assert.ok(Buffer.byteLength(document) <= 256 * 1024);
  const job = sampleJob(document, cases, more);
  const cost = startCost();
  const { findings, decision } = judged(job);
  const spent = cost();
  assert.ok(spent < HANG_COST, `${spent}`);
  assert.ok(findings.length <= MAX_FINDINGS);
  assert.ok(JSON.stringify(findings).length < MAX_FINDINGS_CHARS);
  assert.deepEqual(judged({ ...job }), { findings, decision });
}

for (const [name, generate] of Object.entries({ ...hostileDocuments, ...attackingDocuments })) {
  test(`${name}: judged completely, with the same result each time`, () => judgedToAnEnd(generate));
}

test('documents that mix hostile traits are judged completely, with the same result each time', () => {
  for (let seed = 0; seed < 20; seed += 1) judgedToAnEnd(() => mixedDocument(seed));
});

/** An operation of a large agreement: a request and a response with twenty or more members. */
function operation(index: number): { request: Json; response: Json; ask: Json; tell: Json } {
  const names = Array.from({ length: 18 }, (_, member) => `op${index}_member_${member}`);
  const properties = Object.fromEntries(
    names.map((name, member) => [
      name,
      member % 3 === 0
        ? { type: 'string', pattern: '^[a-z]{1,20}$', description: `What member ${member} of operation ${index} says` }
        : { type: 'object', properties: { value: { type: 'integer', minimum: 0 } }, required: ['value'] },
    ]),
  );
  const values = Object.fromEntries(names.map((name, member) => [name, member % 3 === 0 ? 'abc' : { value: member }]));
  const action = `operation_${index}`;
  return {
    request: {
      type: 'object',
      properties: { action: { const: action }, ...properties },
      required: ['action', ...names],
    },
    response: { type: 'object', properties: { done: { const: action }, ...properties }, required: ['done', ...names] },
    ask: { action, ...values },
    tell: { done: action, ...values },
  };
}

test('a large ordinary agreement with fifteen schemas and thirty cases is read completely', () => {
  const operations = Array.from({ length: 8 }, (_, index) => operation(index));
  const section = (side: string, schema: Json, index: number) =>
    `## ${side} of operation ${index}\n\n${'What it is for, told at some length. '.repeat(20)}\n\n\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\`\n`;
  const document = operations
    .flatMap(({ request, response }, index) => [
      section('Request', request, index),
      section('Response', response, index),
    ])
    .slice(0, 15)
    .join('\n');
  const inUse = operations.slice(0, 7);
  const pairs = Array.from({ length: 30 }, (_, index): [Json, Json] => {
    const { ask, tell } = inUse[index % inUse.length] as (typeof inUse)[number];
    return [ask, tell];
  });
  assert.ok(document.length > 40_000, `${document.length} characters`);
  assert.deepEqual(judged(sampleJob(document, casesOf(...pairs))).findings, []);
  // Faults in the last case of the last schemas are found too.
  const last = inUse.at(-1);
  assert.ok(last);
  const wrong = { ...(last.tell as object), op6_member_0: 5 } as Json;
  const { findings } = judged(sampleJob(document, casesOf(...pairs.slice(0, 6), [last.ask, wrong])));
  assert.deepEqual(
    findings.map(({ code, testCase, pointer }) => [code, testCase, pointer]),
    [['DOCUMENT_CASE_VIOLATES_SCHEMA', 7, '/op6_member_0']],
  );
});

test('a pattern left unmatched because it takes too long is reported', () => {
  const document = (pattern: string) =>
    `## Request Message\n${JSON.stringify({ type: 'object', properties: { t: { pattern } } })}\n## Response Message\n{"type":"object","properties":{}}\n`;
  const told = (pattern: string, length: number) =>
    judged(sampleJob(document(pattern), casesOf([{ t: 'a'.repeat(length) }, {}]))).findings.map(({ code, pointer }) => [
      code,
      pointer,
    ]);
  assert.deepEqual(told('(a?){700}', 100), []);
  assert.deepEqual(told('(a?){700}', 2_000), [['DOCUMENT_PATTERN_UNSUPPORTED', '/properties/t/pattern']]);
});
