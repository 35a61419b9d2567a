import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { MAX_FINDINGS } from '../../src/analysis/capped-findings.ts';
import { type Decision, decide } from '../../src/analysis/decide.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Finding } from '../../src/contract/finding.ts';
import type { Job } from '../../src/contract/job.ts';
import type { Json } from '../../src/kernel/json.ts';
import { startCost } from '../cost.ts';
import { casesOf, documentOf, sampleJob } from './sample-job.ts';

/** Far above the usual cost of 10; without limits, each costs from a thousand to millions. */
const HANG_COST = 600;

/** Longest outcome, in UTF-16 units of JSON. */
const MAX_OUTCOME_CHARS = 700_000;

function judge(document: string, cases: string, more: Partial<Job> = {}): { findings: Finding[]; end: Decision } {
  const cost = startCost();
  const analyzed = analyze(sampleJob(document, cases, more));
  const findings = preflight(analyzed);
  const end = decide(analyzed, findings);
  const spent = cost();
  assert.ok(spent < HANG_COST, `${spent}`);
  assert.ok(findings.length <= MAX_FINDINGS);
  const chars = JSON.stringify(end.kind === 'cleared' ? [end.warnings, end.amendments] : end).length;
  assert.ok(chars < MAX_OUTCOME_CHARS, `${chars} characters`);
  return { findings, end };
}

const OPEN: Json = { type: 'object' };

const members = (count: number, member: (index: number) => Json): { [name: string]: Json } =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, member(index)]));

const hundred = (request: (index: number) => Json): string =>
  casesOf(...Array.from({ length: 100 }, (_, index): [Json, Json] => [request(index), {}]));

const hostile: Record<string, { schema: Json; request: (index: number) => Json }> = {
  'values that no enum has, all different': {
    schema: { type: 'object', additionalProperties: { enum: ['a'] } },
    request: (n) => members(50, (index) => `v${n}-${index}`),
  },
  'members that no schema declares, all different': {
    schema: { type: 'object', properties: { p0: {} }, additionalProperties: false },
    request: (n) => Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`p${n * 400 + index}`, 1])),
  },
  'fifty enums, each with other values in every case': {
    schema: { type: 'object', properties: members(50, () => ({ enum: ['a'] })) },
    request: (n) => members(50, (index) => `v${n}-${index}`),
  },
  'an alternative of a hundred branches that all fail': {
    schema: {
      oneOf: Array.from({ length: 130 }, (_, index) => ({
        type: 'object',
        properties: { k: { const: index } },
        required: ['k', 'x'],
      })),
    },
    request: (n) => ({ k: n }),
  },
  'alternatives that double at every reference': {
    schema: {
      $ref: '#/$defs/p0',
      $defs: members(14, (n) =>
        n < 13
          ? { anyOf: [{ $ref: `#/$defs/p${n + 1}` }, { $ref: `#/$defs/p${n + 1}` }] }
          : { type: 'object', required: ['x'] },
      ),
    },
    request: (n) => ({ n }),
  },
  'unique items': {
    schema: { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } },
    request: () => ({ list: Array.from({ length: 700 }, (_, a) => ({ a })) }),
  },
  'a hundred patterns for names': {
    schema: {
      type: 'object',
      patternProperties: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`^p${n}[0-9]*$`, OPEN])),
    },
    request: () => members(200, () => ({})),
  },
  'every member of a wide object wrong': {
    schema: { type: 'object', properties: members(180, () => ({ type: 'string' })) },
    request: () => members(180, (n) => n),
  },
};

for (const [name, { schema, request }] of Object.entries(hostile)) {
  test(`${name}: judged in bounded time, with an outcome of bounded size`, () => {
    const cases = hundred(request);
    for (const onContradiction of ['dispute', 'amend'] as const)
      judge(documentOf(schema, OPEN), cases, { onContradiction });
    judge(documentOf(schema, OPEN), cases, { peerCapabilities: [] });
  });
}

test('dynamic anchors, many and each with two holders, are looked for in bounded time', () => {
  const definitions = Array.from({ length: 900 }, (_, n): [string, Json] => [
    `d${n}`,
    { $id: `${n}`, $dynamicAnchor: `n${n}`, items: { $dynamicRef: `${(n + 1) % 900}#n${(n + 1) % 900}` } },
  ]);
  const second = { $id: 'z', $defs: members(900, (n) => ({ $dynamicAnchor: `n${n}` })) };
  const schema: Json = { $ref: '0', $defs: { ...Object.fromEntries(definitions), z: second } };
  const cost = startCost();
  judge(documentOf({}, {}).replace('{}', JSON.stringify(schema)), casesOf([[], {}]));
  assert.ok(cost() < 60, `${cost()}`);
});

test('cases that take too many steps in total are an error, never skipped', () => {
  const schema: Json = { type: 'object', properties: { list: { type: 'array', items: { type: 'integer' } } } };
  const valid = hundred(() => ({ list: Array.from({ length: 500 }, (_, n) => n) }));
  const { findings, end } = judge(documentOf(schema, OPEN), valid, { onContradiction: 'amend' });
  assert.deepEqual(
    findings.map(({ code, severity }) => [code, severity]),
    [['DOCUMENT_SCHEMA_TOO_LARGE', 'error']],
  );
  assert.equal(end.kind, 'disputed');
});

test('warnings never displace an error', () => {
  const broken = '{"type":"object","properties":{"a":{"type":"string"}\n\n';
  const document = `${documentOf(OPEN, OPEN)}\n${broken.repeat(MAX_FINDINGS + 50)}`;
  const { findings, end } = judge(document, casesOf([{ a: 1 }, { b: 1 }], [{ a: 1 }, { b: 2 }]));
  assert.equal(findings.length, MAX_FINDINGS);
  assert.equal(findings.at(-1)?.code, 'DOCUMENT_CASES_CONTRADICT');
  assert.equal(end.kind, 'disputed');
});

test('unlisted errors are reported as one, and no amendment resolves them', () => {
  const schema: Json = { type: 'object', properties: members(50, () => ({ type: 'string' })) };
  const cases = hundred(() => members(50, () => 1));
  const { findings, end } = judge(
    documentOf(OPEN, OPEN).replace(JSON.stringify(OPEN, null, 2), JSON.stringify(schema)),
    cases,
    {
      onContradiction: 'amend',
    },
  );
  assert.equal(findings.length, MAX_FINDINGS);
  assert.equal(findings.at(-1)?.code, 'DOCUMENT_FINDINGS_TOO_MANY');
  assert.ok(end.kind === 'disputed' && end.proposals.length === 0);
});

test('a change of more than twenty values is not small', () => {
  const enumOf = (count: number) => {
    const cases = Array.from({ length: count }, (_, n): [Json, Json] => [{ a: `v${n}` }, {}]);
    const schema: Json = { type: 'object', properties: { a: { enum: ['a'] } } };
    return judge(documentOf(schema, OPEN), casesOf(...cases), { onContradiction: 'amend' }).end.kind;
  };
  assert.deepEqual([enumOf(20), enumOf(21)], ['cleared', 'disputed']);
});
