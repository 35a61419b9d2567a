import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { preflight } from '../../src/analysis/rules.ts';
import { parseJsonAt } from '../../src/documents/located-json.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { casesOf, documentOf, sampleJob } from './sample-job.ts';

const open = { type: 'object' };
const wide: JsonObject = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, n]));
const reversed: JsonObject = Object.fromEntries(Object.entries(wide).reverse());

const contradictions = (...cases: [Json, Json][]) =>
  preflight(analyze(sampleJob(documentOf(open, open), casesOf(...cases))))
    .filter(({ code }) => code === 'DOCUMENT_CASES_CONTRADICT')
    .map(({ testCase, pointer }) => [testCase, pointer]);

test('wide requests that differ only in ids and member order are equal', () => {
  assert.deepEqual(
    contradictions(
      [{ messageId: 'a1', ...wide }, { count: 1 }],
      [{ ...reversed, messageId: 'b2' }, { count: 2 }],
      [{ messageId: 'c3', ...wide, p7: 70 }, { count: 3 }],
      [wide, { count: 4 }],
    ),
    [
      [2, '/count'],
      [4, '/count'],
    ],
  );
});

test('requests with equal hashes are still distinguished', () => {
  // Texts with the same characters at the same place have equal hashes.
  assert.deepEqual(
    contradictions(
      [{ messageId: 'a1', word: 'lead' }, { count: 1 }],
      [{ messageId: 'b2', word: 'deal' }, { count: 2 }],
      [{ messageId: 'c3', word: 'deal' }, { count: 3 }],
    ),
    [[3, '/count']],
  );
});

test('ids that a wide answer repeats are no difference', () => {
  assert.deepEqual(
    contradictions(
      [
        { messageId: 'a1', ...wide },
        { ...wide, messageId: 'a1', list: [{ ref: 'a1' }, 'a1'] },
      ],
      [
        { messageId: 'b2', ...wide },
        { ...wide, messageId: 'b2', list: [{ ref: 'b2' }, 'a1'] },
      ],
    ),
    [],
  );
});

test('numbers with too many digits for a double are left to the slower reader, anywhere in the text', () => {
  for (const before of [1, 150, 298, 299, 300, 600]) {
    const text = (digits: number) => `["${'x'.repeat(before)}",${'9'.repeat(digits)}]`;
    assert.equal(parseJsonAt(text(299), 0, text(299).length).ok, true, `${before}`);
    for (const digits of [300, 301, 700])
      assert.equal(parseJsonAt(text(digits), 0, text(digits).length).ok, false, `${before} ${digits}`);
  }
});
