import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig, SettingsError } from '../../src/config.ts';
import type { History, HistoryEntry } from '../../src/contract/history.ts';
import { writeFixture } from '../../src/operator/history/history-fixture.ts';
import { historyLines } from '../../src/operator/history/history-view.ts';
import { forTerminal } from '../../src/operator/shell/for-terminal.ts';
import { soundEntries } from '../../src/telemetry/history-forms.ts';

const mark = { atMs: 1_700_000_000_000, delivery: 1, worker: 'host-1' };
const hostile = '\u001b[2J\u202e</script>\n../../x';

const entries: HistoryEntry[] = [
  { ...mark, type: 'queue', event: 'taken', waitedMs: 3, message: hostile },
  { ...mark, type: 'prompted', attempt: 1, purpose: 'generate', repair: false },
  {
    ...mark,
    type: 'candidate',
    attempt: 1,
    bundleDigest: 'a'.repeat(64),
    bundleBytes: 10,
    sourceBytes: 20,
    faults: 0,
    detail: { source: `one\n${hostile}\nthree`, faults: [{ message: hostile, line: 3 }] },
  },
  {
    ...mark,
    type: 'tried',
    attempt: 1,
    passed: [],
    failed: [1],
    durationMs: 1,
    cpuMs: 1,
    detail: {
      cases: [{ testCase: 1, passed: false, differences: [], end: 'threw', message: hostile, line: 2, column: 1 }],
    },
  },
  { ...mark, type: 'attempted', attempt: 1, result: 'failed-cases', code: '../../CANDIDATE_CASES_FAILED' },
];

const history: History = {
  jobId: 'ps-1',
  submitted: { kind: 'generate', text: '{"version":1}', dataDigest: '', tenant: 'default', takenAtMs: mark.atMs },
  entries,
  leftOut: { entries: 2, bytes: 2_000 },
};

test('a history is told line by line, the failing lines of a source are marked, and what is missing is said', () => {
  const lines = historyLines(history, true);
  assert.ok(
    lines.some((line) => /cases: 0 passed, 1 failed.*\[1\]/.test(line)),
    lines.join('\n'),
  );
  assert.ok(lines.some((line) => line.startsWith('> 2  ')));
  assert.ok(lines.some((line) => line.startsWith('  1  one')));
  assert.ok(lines.some((line) => /^\d+ entries \(.*could not be kept$/.test(line)));
  const printed = lines.map((line) => forTerminal(line.replaceAll('\n', ' '))).join('\n');
  assert.doesNotMatch(printed.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
});

test('entries of another form, as anybody can write them to Redis, are left out, and so are odd details', () => {
  const sound = entries.map((entry) => ({ ...entry })) as unknown as Record<string, unknown>[];
  assert.deepEqual(soundEntries(sound), entries);
  const types = [...sound.map(({ type }) => type), 'no-such', '__proto__', 'toString', 7, null];
  assert.deepEqual(soundEntries(types.map((type) => ({ ...mark, type }))), []);
  assert.deepEqual(soundEntries(sound.map(({ atMs: _, ...rest }) => rest)), []);
  for (const detail of [null, 7, [], { cases: 7, source: 5 }, { cases: [null], source: 'x', faults: [null] }]) {
    const odd = soundEntries(sound.map((entry) => ({ ...entry, detail })));
    assert.equal(odd.length, entries.length);
    assert.ok(odd.every((entry) => !('detail' in entry)));
    assert.ok(historyLines({ ...history, submitted: null, entries: odd }, true).length > entries.length);
  }
});

test('a fixture has file names that no code or source can choose, and never overwrites a folder', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'fixture-'));
  t.after(() => rm(root, { recursive: true }));
  const folder = join(root, 'kept');
  const files = await writeFixture(history, folder);
  assert.deepEqual(files, ['job.json', 'faulty-1--candidate-cases-failed.ts']);
  assert.deepEqual((await readdir(folder)).sort(), [...files].sort());
  assert.deepEqual(await readdir(root), ['kept']);
  assert.equal(await readFile(join(folder, 'job.json'), 'utf8'), '{"version":1}\n');
  await assert.rejects(writeFixture(history, folder), /EEXIST/);
  await assert.rejects(writeFixture({ ...history, submitted: null }, join(root, 'other')), /not kept/);
});

test('PROTOSMITH_HISTORY is on, off or limits, and anything else is refused with the form', () => {
  const read = (given: string) => readConfig({ PROTOSMITH_HISTORY: given }, {}, { only: ['history'] }).history;
  const standard = { seconds: 86_400, bytesPerJob: 524_288, entriesPerJob: 1_000, memoryShare: 0.7 };
  assert.deepEqual([read(''), read('on'), read('off')], [standard, standard, null]);
  assert.deepEqual(read('{"hours":1,"kilobytesPerJob":64}'), { ...standard, seconds: 3_600, bytesPerJob: 65_536 });
  for (const wrong of ['yes', '{}x', '{"hours":0}', '{"hours":1e9}', '{"toString":1}', '{"hours":"1"}', '[]'])
    assert.throws(() => read(wrong), SettingsError, wrong);
});
