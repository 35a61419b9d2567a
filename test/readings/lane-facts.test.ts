import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureSignature, faultCount } from '../../src/generation/lane-facts.ts';

const broken = (claim: string, found: string) => ({ quote: 'Words.', claim, input: { id: 'a' }, found: [found] });
const code = 'CANDIDATE_DERIVED_CASE';

test('derived cases that are broken are told apart by what is demanded and by what came out', () => {
  const one = failureSignature(code, { derived: [broken('a tenth less', 'found 2')] });
  assert.equal(failureSignature(code, { derived: [{ ...broken('a tenth less', 'found 2'), tools: {} }] }), one);
  assert.notEqual(failureSignature(code, { derived: [broken('no more than three', 'found 2')] }), one);
  assert.notEqual(failureSignature(code, { derived: [broken('a tenth less', 'found 3')] }), one);
  assert.notEqual(failureSignature(code, {}), one);
});

test('each is a fault of its own', () => {
  assert.equal(faultCount({ derived: [broken('a', 'x'), broken('b', 'y')] }), 2);
});
