import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureSignature, faultCount } from '../../src/generation/lane-facts.ts';

const broken = (claim: string, found: string) => ({ quote: 'Words.', claim, input: { id: 'a' }, found: [found] });
const code = 'CANDIDATE_DERIVED_CASE';

test('failures of derived cases differ by their demand and by the result', () => {
  const one = failureSignature(code, { derived: [broken('a tenth less', 'found 2')] });
  assert.equal(failureSignature(code, { derived: [{ ...broken('a tenth less', 'found 2'), tools: {} }] }), one);
  assert.notEqual(failureSignature(code, { derived: [broken('no more than three', 'found 2')] }), one);
  assert.notEqual(failureSignature(code, { derived: [broken('a tenth less', 'found 3')] }), one);
  assert.notEqual(failureSignature(code, {}), one);
});

test('each broken derived case counts as a fault', () => {
  assert.equal(faultCount({ derived: [broken('a', 'x'), broken('b', 'y')] }), 2);
});
