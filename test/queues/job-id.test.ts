import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { dataDigestOf, jobIdOf } from '../../queues/index.ts';
import { measured } from '../../queues/jobs/job-id.ts';

test('the id is ps- and 40 hex digits of the digest of the canonical JSON', () => {
  const canonical = '{"a":[1,"é",1e+30],"b":{"x":null}}';
  const digest = createHash('sha256').update(canonical).digest('hex');
  const data = { b: { x: null }, a: [1.0, 'é', 1e30] };
  assert.equal(dataDigestOf(data), digest);
  assert.equal(jobIdOf(data), `ps-${digest.slice(0, 40)}`);
});

test('data without canonical JSON have a digest of their own', () => {
  const surrogate = JSON.parse('{"a":"\\ud800"}');
  const infinite = JSON.parse('{"a":1e400}');
  assert.match(jobIdOf(surrogate), /^ps-[0-9a-f]{40}$/);
  assert.notEqual(jobIdOf(surrogate), jobIdOf(infinite));
  assert.equal(dataDigestOf(infinite, '{"a":1e400}'), dataDigestOf(infinite, '{"a":1e400}'));
  assert.notEqual(dataDigestOf(infinite, '{"a":1e400}'), dataDigestOf(infinite, '{"a":1e500}'));
  for (const value of [undefined, null, 1n, Symbol('x')]) assert.match(dataDigestOf(value), /^[0-9a-f]{64}$/);
});

test('the size of data is that of their JSON text, whatever the order of members', () => {
  for (const text of [
    '{"z":[1e30,0.1,-0,"é\\n\\u0001"],"a":{"z":null,"b":"😀"}}',
    '{"a":"\\ud800"}',
    '{"a":1e999}',
    '[]',
  ]) {
    const data: unknown = JSON.parse(text);
    const { digest, bytes, writable } = measured(data);
    assert.equal(digest, dataDigestOf(data));
    assert.equal(bytes, Buffer.byteLength(JSON.stringify(writable)));
  }
  assert.equal(JSON.stringify(measured(JSON.parse('[{"a":-1e400}]')).writable), '[{"a":-1e999}]');
});
