import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { decide } from '../../src/analysis/decide.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Job } from '../../src/contract/job.ts';
import type { Json } from '../../src/kernel/json.ts';
import { casesOf, documentOf, sampleJob } from './sample-job.ts';

const URI = 'https://e.org/stock-1';
const REQUEST: Json = { type: 'object', properties: { sku: { type: 'string', pattern: '^[A-Z]' } }, required: ['sku'] };
const RESPONSE: Json = {
  type: 'object',
  properties: { code: { enum: [200, 404] }, item: { type: 'object' } },
  required: ['code', 'item'],
};
const BASE = documentOf(REQUEST, RESPONSE, 'Ask for the stock of an article.');
const NAMED = `# Requirements\nImplemented on the existing protocol (URI: ${URI}).\n`;

/** The document says this in different words; nothing reads them. */
const IN_WORDS = `${NAMED}# Modifications\n- In that case item is null.\n`;

function settled(document: string, cases: string, more: Partial<Job> = {}) {
  const job = sampleJob(document, cases, { baseProtocols: { [URI]: { content: BASE } }, ...more });
  const analyzed = analyze(job);
  const findings = preflight(analyzed);
  const messages = findings.map(({ message }) => message);
  return {
    settlement: decide(analyzed, findings),
    told: findings.map(({ severity, code }) => `${severity} ${code}`),
    messages,
  };
}

const AT_ODDS = casesOf([{ sku: 'B2' }, { code: 404, item: null }]);

test('a case that breaks a base schema changed in words is no dispute, and the schema is amended', () => {
  const { settlement, told } = settled(IN_WORDS, AT_ODDS);
  assert.deepEqual(told, ['warning DOCUMENT_CASE_VIOLATES_SCHEMA']);
  assert.ok(settlement.kind === 'cleared');
  assert.deepEqual(settlement.amendments, [
    { of: 'responseSchema', patch: [{ op: 'replace', path: '/properties/item/type', value: ['object', 'null'] }] },
  ]);
});

test('the same holds in a review', () => {
  assert.equal(settled(IN_WORDS, AT_ODDS, { kind: 'review' }).settlement.kind, 'cleared');
});

test('a keyword that no small change fits is removed from the schema', () => {
  const { settlement } = settled(IN_WORDS, casesOf([{ sku: 'b2' }, { code: 200, item: {} }]));
  assert.ok(settlement.kind === 'cleared');
  assert.deepEqual(settlement.amendments, [
    { of: 'requestSchema', patch: [{ op: 'remove', path: '/properties/sku/pattern' }] },
  ]);
});

test('a schema that no partial change makes valid for the cases is opened completely', () => {
  const open = {
    oneOf: [
      { type: 'object', required: ['a'] },
      { type: 'object', required: ['b'] },
    ],
  };
  const content = documentOf(REQUEST, open);
  const baseProtocols = { [URI]: { content } };
  const { settlement, messages } = settled(IN_WORDS, casesOf([{ sku: 'B2' }, { a: 1, b: 2 }]), { baseProtocols });
  assert.match(
    messages[0] ?? '',
    /^Cannot validate response of case 1 against the schema of the base protocol, which the document changes: /,
  );
  assert.equal(settlement.kind, 'cleared');
});

test('codes added to those of the base protocol are no dispute', () => {
  const document = `${NAMED}# Errors\n- 404: not found\n- 410: gone\n`;
  const { settlement, told } = settled(document, casesOf([{ sku: 'B2' }, { code: 410, item: {} }]));
  assert.ok(settlement.kind === 'cleared', told.join());
  assert.deepEqual(
    settlement.amendments.flatMap(({ patch }) => patch),
    [{ op: 'add', path: '/properties/code/enum/-', value: 410 }],
  );
});

const CHANGED: Record<string, string> = {
  'in the sentence that names the protocol': `# Requirements\nImplemented on the existing protocol (URI: ${URI}), but item is null then.\n`,
  'before the name, in a sentence that no table of words knows': `# Requirements\nItem is null for 404; the rest is as in ${URI}.\n`,
  'in Chinese, after the name': `# 需求\n该流程基于已有协议（URI: ${URI}）实现，缺货时item为null。\n`,
  'as an exception': `# Requirements\nThe existing protocol ${URI} holds except where item is null.\n`,
  'in a table': `${NAMED}# Modifications\n| code | item |\n| --- | --- |\n| 404 | null |\n`,
};

for (const [name, document] of Object.entries(CHANGED))
  test(`a base schema is changed in words ${name}`, () => {
    const { settlement, told } = settled(document, AT_ODDS);
    assert.equal(settlement.kind, 'cleared', told.join());
    assert.deepEqual(told, ['warning DOCUMENT_CASE_VIOLATES_SCHEMA']);
  });

const OK = { code: 200, item: {} };
const VARIANTS: Record<string, [request: Json, response: Json]> = {
  'a member more': [{ sku: 'B2' }, { ...OK, image: 'a.png' }],
  'a member less': [{ sku: 'B2' }, { code: 200 }],
  'a list in place of one': [{ sku: 'B2' }, { ...OK, item: [{}] }],
  'a text in place of a number': [{ sku: 'B2' }, { ...OK, code: 'gone' }],
  'a list as the whole answer': [{ sku: 'B2' }, [OK]],
  'another request': [{ article: 'B2' }, OK],
};

for (const [name, [request, response]] of Object.entries(VARIANTS))
  test(`a case shows what the words changed: ${name}`, () => {
    const closed = { additionalProperties: false };
    const content = documentOf({ ...REQUEST, ...closed }, { ...RESPONSE, ...closed });
    const baseProtocols = { [URI]: { content } };
    const { settlement, told } = settled(
      `${NAMED}# Modifications\n- As the cases show.\n`,
      casesOf([request, response]),
      {
        baseProtocols,
      },
    );
    assert.equal(settlement.kind, 'cleared', told.join());
    assert.equal(settled(NAMED, casesOf([request, response]), { baseProtocols }).settlement.kind, 'disputed');
  });

const UNCHANGED: Record<string, string> = {
  'a document that names the protocol in words of its own': `# Requirements\nThis process follows ${URI} in all points.\n`,
  'the sentence of the specification': `# Requirements\nThis process is implemented based on the existing protocol (URI: ${URI}).\n`,
  'a document that only names the protocol': NAMED,
  'one that repeats what stands there': `${NAMED}# Words\nAsk for the stock of an article.\n`,
  'a document with schemas of its own': `${documentOf(REQUEST, RESPONSE)}\nIn that case item is null.\n`,
};

for (const [name, document] of Object.entries(UNCHANGED)) {
  test(`a case that breaks the schema is disputed: ${name}`, () => {
    assert.equal(settled(document, AT_ODDS).settlement.kind, 'disputed');
  });
}

test('two contradictory cases are disputed, whatever the words change', () => {
  const cases = casesOf([{ sku: 'B2' }, { code: 404, item: null }], [{ sku: 'B2' }, { code: 404, item: {} }]);
  assert.equal(settled(IN_WORDS, cases).settlement.kind, 'disputed');
});
