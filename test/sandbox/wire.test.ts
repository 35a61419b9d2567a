import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeFrame, frameHeadBytes, pack, unpack } from '../../sandbox/wire.ts';

test('what is packed is what is unpacked, through a frame too', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.string(), (texts, word) => {
      const frame = encodeFrame(pack({ word }, texts));
      assert.equal(frame.readUInt32BE(0), frame.length - frameHeadBytes);
      const { header, texts: found } = unpack<{ word: string }>(frame.toString('utf8', frameHeadBytes));
      assert.deepEqual([header.word, found], [word, texts]);
    }),
  );
});

test('lengths that do not add up are refused', () => {
  for (const packed of ['{"lengths":[3]}\nab', '{"lengths":[]}\nab', '{"lengths":[-1,3]}\nab', 'no line'])
    assert.throws(() => unpack(packed));
});
