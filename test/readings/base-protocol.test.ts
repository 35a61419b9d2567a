import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unitsOfSubject } from '../../src/readings/units.ts';
import { Vocabulary } from '../../src/verification/vocabulary.ts';
import { subjectOf } from './rig.ts';

const URI = 'https://e.org/stock-1';

const REQUEST = { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] };
const RESPONSE = {
  type: 'object',
  properties: { code: { type: 'integer' }, item: { type: 'object' } },
  required: ['code', 'item'],
};

/** Puts the schemas into the base protocol, so that the document has only its own words. */
const BASE = `## Request\n${JSON.stringify(REQUEST)}\n## Response\n${JSON.stringify(RESPONSE)}\n# Codes\nCode 100001 is a lock.\n`;

const subject = subjectOf({
  version: 1,
  negotiationId: 'base',
  role: 'provider',
  agreement: {
    action: 'protocolNegotiation',
    sequenceId: 1,
    candidateProtocols: `Built on the existing protocol (URI: ${URI}).\n\n# Modifications\n- Code 100002 is discontinued. In that case item is null.\n`,
    status: 'accepted',
  },
  testCases: [{ request: { sku: 'B2' }, response: { code: 100002, item: null } }],
  baseProtocols: { [URI]: { content: BASE } },
});

test('the text of a document that builds on another protocol is read, although its schemas are in that protocol', () => {
  const units = unitsOfSubject(subject).map(({ text }) => text);
  assert.ok(units.includes('- Code 100002 is discontinued.'), units.join('\n'));
  assert.ok(new Vocabulary(subject).hasNumber(100002));
});

test('the text of the base protocol counts as known, what only its schemas contain does not', () => {
  const vocabulary = new Vocabulary(subject);
  assert.ok(vocabulary.hasNumber(100001));
  assert.ok(vocabulary.hasText('lock'));
  assert.ok(!vocabulary.hasNumber(100003));
});
