import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PatchOperation } from '../../src/contract/finding.ts';
import { joinedPatch } from '../../src/documents/joined-patch.ts';
import type { Json } from '../../src/kernel/json.ts';

const set = (path: string, value: Json): PatchOperation => ({ op: 'replace', path, value });
const add = (path: string, value: Json): PatchOperation => ({ op: 'add', path, value });
const remove = (path: string): PatchOperation => ({ op: 'remove', path });

test('joined patches of one value still allow what each was made for', () => {
  const joined: [one: PatchOperation[], other: PatchOperation[], both: PatchOperation[]][] = [
    [[add('/enum/-', 1)], [add('/enum/-', 1), add('/enum/-', 2)], [add('/enum/-', 1), add('/enum/-', 2)]],
    [[set('/maximum', 15)], [set('/maximum', 30)], [set('/maximum', 30)]],
    [[set('/a/minLength', 2)], [set('/a/minLength', 1)], [set('/a/minLength', 1)]],
    [
      [set('/type', ['object', 'null'])],
      [set('/type', ['object', 'string'])],
      [set('/type', ['object', 'null', 'string'])],
    ],
    [[set('/type', 'number')], [set('/type', 'number')], [set('/type', 'number')]],
    [
      [remove('/required/0')],
      [remove('/required/2'), remove('/required/0')],
      [remove('/required/2'), remove('/required/0')],
    ],
    [
      [remove('/exclusiveMinimum'), add('/minimum', 0)],
      [remove('/exclusiveMinimum'), add('/minimum', -1)],
      [remove('/exclusiveMinimum'), add('/minimum', -1)],
    ],
    [
      [add('/properties', { a: { type: 'string' } })],
      [add('/properties', { a: { type: 'null' }, b: { type: 'string' } })],
      [add('/properties', { a: { type: ['string', 'null'] }, b: { type: 'string' } })],
    ],
  ];
  for (const [one, other, both] of joined) assert.deepEqual(joinedPatch([one, other]), both);
});
