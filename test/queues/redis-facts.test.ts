import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeRedis, type RedisFacts } from '../../queues/index.ts';

const sound: RedisFacts = {
  version: '7.2.4',
  server: 'redis',
  maxmemoryPolicy: 'noeviction',
  maxmemoryBytes: 100,
  usedMemoryBytes: 70,
  appendonly: true,
  snapshots: false,
  clockAheadMs: 0,
};

function judged(facts: Partial<RedisFacts>, durable = false): string[] {
  return judgeRedis({ ...sound, ...facts }, { durable }).map(({ code, severity }) => `${severity} ${code}`);
}

test('what is amiss with a Redis is told, each with its weight', () => {
  assert.deepEqual(judged({}, true), []);
  assert.deepEqual(judged({ maxmemoryPolicy: 'allkeys-lru' }), ['error OPERATOR_REDIS_EVICTS']);
  assert.deepEqual(judged({ appendonly: false }), ['warning OPERATOR_REDIS_NOT_DURABLE']);
  assert.deepEqual(judged({ appendonly: false }, true), ['error OPERATOR_REDIS_NOT_DURABLE']);
  assert.deepEqual(judged({ usedMemoryBytes: 71 }), ['warning OPERATOR_REDIS_NEARLY_FULL']);
  assert.deepEqual(judged({ usedMemoryBytes: 71, maxmemoryBytes: 0 }), []);
});

test('what a Redis does not say is held against it only where durability is demanded', () => {
  const silent = { maxmemoryPolicy: null, maxmemoryBytes: null, usedMemoryBytes: null, appendonly: null };
  assert.deepEqual(judged(silent), []);
  assert.deepEqual(judged(silent, true), ['warning OPERATOR_REDIS_DURABILITY_UNKNOWN']);
});

test('a Redis before 6.2 is too old; what is no Redis counts its versions otherwise', () => {
  for (const version of ['5.9.0', '6.0.16', '6.1']) {
    assert.deepEqual(judged({ version }), ['error OPERATOR_REDIS_TOO_OLD'], version);
    assert.deepEqual(judged({ version, server: 'dragonfly' }), [], version);
  }
  for (const version of ['6.2.0', '6.10', '7.0', '10.1']) assert.deepEqual(judged({ version }), [], version);
});

test('what a Redis keeps on disk is said, where that is not enough', () => {
  const said = (snapshots: boolean | null) => judgeRedis({ ...sound, appendonly: false, snapshots })[0]?.message ?? '';
  assert.match(said(true), /found snapshots only written to disk/);
  for (const snapshots of [false, null]) assert.match(said(snapshots), /found nothing written to disk/);
});
