import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pack, unpack } from '../../sandbox/wire.ts';

test('what is packed is what is unpacked, through UTF-8 too', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.string(), (texts, word) => {
      const bytes = Buffer.from(pack({ word }, texts));
      const { header, texts: found } = unpack<{ word: string }>(bytes.toString());
      assert.deepEqual([header.word, found], [word, texts]);
    }),
  );
});

test('lengths that do not add up are refused', () => {
  for (const packed of ['{"lengths":[3]}\nab', '{"lengths":[]}\nab', '{"lengths":[-1,3]}\nab', 'no line'])
    assert.throws(() => unpack(packed));
});
