import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { drawnBy, longProofs } from '../../scripts/long-proofs.ts';

test('every long proof is a file', () => {
  const root = join(import.meta.dirname, '../..');
  assert.deepEqual(
    longProofs.filter((file) => !existsSync(join(root, file))),
    [],
  );
});

test('a commit draws the same long proofs every time, and over a hundred commits every one is drawn', () => {
  assert.deepEqual(drawnBy('a commit'), drawnBy('a commit'));
  assert.equal(new Set(drawnBy('a commit')).size, 5);
  const all = Array.from({ length: 100 }, (_, nth) => drawnBy(`commit ${nth}`)).flat();
  assert.deepEqual(new Set(all), new Set(longProofs));
});
