import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DerivedCase, Reading } from '../../../src/contract/reading.ts';
import { derivedSection } from '../../../src/operator/console/derived-view.ts';

const one: DerivedCase = { id: 'a', of: [3, 7], quote: 'so <it> says', claim: 'it does', base: 1, expect: {} };

const reading: Reading = { version: 1, reader: { kind: 'model', name: 'm' }, derived: [one], units: [] };
const shown = { reading, units: 9, covered: 8, result: 'partial' };

test('a derived case stands with its words and the answer of a second reader; beside the agreement it leads there', () => {
  const confirmation = { by: 'm', answers: { '/code': { value: 404 } } };
  const beside = derivedSection({ ...shown, confirmationOf: () => confirmation, besideAgreement: true }).text;
  assert.match(beside, /m read 8 of 9 sentences \(partial\)/);
  assert.match(beside, /id="derived-1">1</);
  assert.match(beside, /<q>so &lt;it&gt; says<\/q>/);
  assert.match(beside, /&quot;\/code&quot;:{&quot;value&quot;:404}/);
  assert.deepEqual(beside.match(/#unit-\d/g), ['#unit-3', '#unit-7']);
  const alone = derivedSection({ ...shown, confirmationOf: () => null, besideAgreement: false }).text;
  assert.doesNotMatch(alone, /unit/);
  assert.match(alone, /gave no answer/);
  assert.match(derivedSection({ ...shown, confirmationOf: () => undefined, besideAgreement: false }).text, /not asked/);
});
