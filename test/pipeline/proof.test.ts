import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proof } from '../../src/contract/handler.ts';
import { mergeProof, withProof } from '../../src/handlers/proof.ts';
import { readJob } from '../../src/intake/read-job.ts';
import { example } from '../system/harness.ts';

function proof(from: number, count: number, more: Partial<Proof> = {}): Proof {
  const cases = Array.from({ length: count }, (_, n) => ({
    testCase: n + 1,
    request: { n: from + n },
    response: { n: from + n },
    expected: '',
    negative: false,
  }));
  return { cases, tools: [], loose: [], ...more };
}

test('merging proofs keeps each case once, continues the numbers, and respects the limit on cases', () => {
  const merged = mergeProof(proof(0, 3), proof(2, 3));
  assert.deepEqual(
    merged.cases.map(({ testCase, request }) => [testCase, request]),
    [1, 2, 3, 4, 5].map((testCase) => [testCase, { n: testCase - 1 }]),
  );
  const many = mergeProof(proof(0, 80), proof(1_000, 80));
  assert.equal(many.cases.length, 100);
  assert.deepEqual(many.cases.slice(0, 80), proof(0, 80).cases);
});

test('examples of tasks and tools, and loose places, are kept with the cases that need them', () => {
  const task = (testCase: number) => ({ description: 'x', examples: [{ testCase, input: testCase, output: 1 }] });
  const tool = (input: number) => ({ name: 'a', examples: [{ input, output: input }] });
  const first = proof(0, 2, { task: task(1), tools: [tool(1)], loose: [{ pointer: '/a', as: 'id' }] });
  const second = proof(5, 2, {
    task: task(2),
    tools: [{ ...tool(2), otherwise: { output: null } }, { name: 'gone' }],
    loose: [
      { pointer: '/a', as: 'text' },
      { pointer: '/b', as: 'time' },
    ],
  });
  const merged = mergeProof(first, second);
  assert.deepEqual(merged.task?.examples, [
    { testCase: 1, input: 1, output: 1 },
    { testCase: 4, input: 2, output: 1 },
  ]);
  const examples = [...tool(1).examples, ...tool(2).examples];
  assert.deepEqual(merged.tools, [{ name: 'a', examples, otherwise: { output: null } }]);
  assert.deepEqual(merged.loose, [
    { pointer: '/a', as: 'id' },
    { pointer: '/b', as: 'time' },
  ]);
});

test('a job with the cases of a proof renumbers them, and the examples of its task', () => {
  const reading = readJob('generate', example('anp-product-en.requester'));
  assert.ok(reading.ok);
  const [, second] = proof(0, 2).cases;
  assert.ok(second);
  const given = [2, 9].map((testCase) => ({ testCase, input: 1, output: 1 }));
  const task = { description: 'x', examples: given };
  const job = withProof(reading.job, { cases: [{ ...second, expected: 'so' }], tools: [], loose: [], task });
  assert.deepEqual(job.testCases, [{ request: { n: 1 }, response: { n: 1 }, expected: 'so' }]);
  assert.deepEqual(job.task?.examples, [{ testCase: 1, input: 1, output: 1 }]);
  assert.deepEqual(job.loose, []);
});
