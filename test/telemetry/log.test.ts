import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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

test('what was said in the turn in which a process ends is on standard output, each line once and in order', () => {
  const log = new URL('../../src/telemetry/log.ts', import.meta.url).href;
  const ends = { exit: 'process.exit(3)', thrown: "throw new Error('broken')", natural: '' };
  for (const [name, end] of Object.entries(ends)) {
    const script = `const { createLog } = await import(${JSON.stringify(log)});
      const log = createLog('info');
      log.info('first');
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.info('second');
      createLog('info').info('third');
      ${end}`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    const said = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    assert.deepEqual(said, ['first', 'second', 'third'], name);
  }
});
