import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { JobEvent } from '../../src/telemetry/job-event.ts';
import { createLog, logJobEvents } from '../../src/telemetry/log.ts';
import { readableLog } from '../../src/telemetry/readable-log.ts';

test('a log line reads as the values that it was given, and holds nothing that a terminal obeys or hides', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const hostile = 'a\u001b[2J\u009b31m\u202eb\u2028\u{E0041}\u200b\n{"level":"error"}';
  log.info({ negotiation: hostile, [hostile]: 1 }, hostile);
  log.error({ error: new Error(hostile) }, 'failed');
  assert.equal(lines.length, 2);
  for (const line of lines) assert.doesNotMatch(line.trimEnd(), /[\p{C}\p{Zl}\p{Zp}]/u);
  const [first, second] = lines.map((line) => JSON.parse(line));
  assert.deepEqual([first.negotiation, first[hostile], first.msg], [hostile, 1, hostile]);
  assert.equal(second.error.message, hostile);
});

test('no text of others makes a line long: of a job’s name only its beginning is told', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const long = 'The whole document. '.repeat(250);
  log.info({ job: long, kind: long, message: long, latencyMs: 12, tools: [1], error: new Error(long) }, 'taken');
  const [line = '{}'] = lines;
  assert.ok(line.length < 1_500, String(line.length));
  const { job, kind, latencyMs, tools } = JSON.parse(line);
  assert.deepEqual([kind, job], [`${long.slice(0, 40)}…`, `${long.slice(0, 300)}…`]);
  assert.deepEqual([latencyMs, tools], [12, [1]]);
  log.info({ job: 'j'.repeat(200), kind: 'generate' }, 'taken');
  const { job: id, kind: known } = JSON.parse(lines[1] ?? '{}');
  assert.deepEqual([id.length, known], [200, 'generate']);
});

test('no name stands twice in a line, whatever the fields are called', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  log.info({ level: 'bubblewrap', time: 1, service: 'x', worker: 'y', msg: 'z', job: 'j' }, 'sandbox layers');
  const [line = ''] = lines;
  const names = [...line.matchAll(/"(\w+)":/g)].map(([, name]) => name);
  assert.deepEqual(names, [...new Set(names)]);
  const { level, msg, level_: other, service } = JSON.parse(line);
  assert.deepEqual([level, msg, other, service], ['info', 'sandbox layers', 'bubblewrap', 'protosmith']);
});

test('events are logged without the texts of models and agreements that they carry', () => {
  const lines: string[] = [];
  const log = createLog('debug', { write: (line) => void lines.push(line) });
  const event: JobEvent = {
    job: 'j',
    negotiation: 'n',
    tenant: 't',
    delivery: 1,
    type: 'candidate',
    attempt: 1,
    bundleDigest: null,
    bundleBytes: 0,
    sourceBytes: 9,
    faults: 1,
    detail: { source: 'SECRET SOURCE', faults: [{ message: 'SECRET FAULT' }] },
  };
  logJobEvents(log)(event);
  assert.equal(lines.length, 1);
  assert.ok(!lines[0]?.includes('SECRET') && !lines[0]?.includes('detail'), lines[0]);
});

test('on a terminal a line is readable, and nothing in it is obeyed', () => {
  const stream = new PassThrough();
  const log = createLog('info', readableLog(stream as unknown as NodeJS.WriteStream));
  const hostile = 'a\u001b[2J\u202e\nb';
  log.warn({ job: 'ps-1', waitedMs: 12, message: hostile, negotiation: hostile }, 'retried');
  log.info({ [hostile]: [1, { two: hostile }] }, hostile);
  const text = String(stream.read());
  const [first = '', second = '', end] = text.split('\n');
  assert.match(first, /^\d\d:\d\d:\d\d\.\d{3} WARN {2}retried job=ps-1 waitedMs=12 message=/);
  assert.equal(end, '');
  assert.doesNotMatch(first + second, /[\p{C}\p{Zl}\p{Zp}]/u);
});
