import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { canonicalJson } from '../../src/kernel/digest.ts';

const folder = new URL('../../fixtures/jcs/', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, folder), 'utf8');

for (const name of readdirSync(new URL('input/', folder)))
  test(`canonical JSON of ${name} is that of the author of RFC 8785`, () => {
    assert.equal(canonicalJson(JSON.parse(textOf(`input/${name}`))), textOf(`output/${name}`));
  });

/** RFC 8785, appendix B: the bits of a double, and how it is written. */
const numbers: Record<string, string> = {
  '0000000000000000': '0',
  '8000000000000000': '0',
  '0000000000000001': '5e-324',
  '8000000000000001': '-5e-324',
  '7fefffffffffffff': '1.7976931348623157e+308',
  ffefffffffffffff: '-1.7976931348623157e+308',
  '4340000000000000': '9007199254740992',
  c340000000000000: '-9007199254740992',
  '4430000000000000': '295147905179352830000',
  '44b52d02c7e14af5': '9.999999999999997e+22',
  '44b52d02c7e14af6': '1e+23',
  '44b52d02c7e14af7': '1.0000000000000001e+23',
  '444b1ae4d6e2ef4e': '999999999999999700000',
  '444b1ae4d6e2ef4f': '999999999999999900000',
  '444b1ae4d6e2ef50': '1e+21',
  '3eb0c6f7a0b5ed8c': '9.999999999999997e-7',
  '3eb0c6f7a0b5ed8d': '0.000001',
  '41b3de4355555553': '333333333.3333332',
  '41b3de4355555554': '333333333.33333325',
  '41b3de4355555555': '333333333.3333333',
  '41b3de4355555556': '333333333.3333334',
  '41b3de4355555557': '333333333.33333343',
  becbf647612f3696: '-0.0000033333333333333333',
  '43143ff3c1cb0959': '1424953923781206.2',
};

test('canonical numbers are those of RFC 8785', () => {
  for (const [bits, text] of Object.entries(numbers))
    assert.equal(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE()), text, bits);
});

test('what is not JSON has no canonical form', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', undefined])
    assert.throws(() => canonicalJson(value as never), String(value));
});
