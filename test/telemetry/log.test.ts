import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../src/telemetry/log.ts';

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
