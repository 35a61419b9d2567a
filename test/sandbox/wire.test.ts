import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pack, Texts, unpack } from '../../sandbox/wire.ts';

function all({ joined, lengths }: Texts): string[] {
  const texts = new Texts(joined, lengths);
  return lengths.map(() => texts.next());
}

test('unpacking gives what was packed, also through UTF-8', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.string(), (texts, word) => {
      const bytes = Buffer.from(pack({ word }, Texts.of(texts)));
      const { header, texts: found } = unpack<{ word: string }>(bytes.toString());
      assert.deepEqual([header.word, all(found)], [word, texts]);
    }),
  );
});

test('a slice of texts is the same as a slice of a list', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.nat(20), fc.nat(20), (texts, from, count) => {
      const to = Math.min(from + count, texts.length);
      if (from <= to) assert.deepEqual(all(Texts.of(texts).slice(from, to - from)), texts.slice(from, to));
    }),
  );
});

test('lengths that do not add up are refused, and so is reading beyond the last text', () => {
  for (const packed of ['{"lengths":[3]}\nab', '{"lengths":[]}\nab', '{"lengths":[-1,3]}\nab', 'no line'])
    assert.throws(() => unpack(packed));
  const { texts } = unpack('{"lengths":[2]}\nab');
  assert.equal(texts.next(), 'ab');
  assert.throws(() => texts.next());
});
