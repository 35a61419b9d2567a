import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { connect, DEFAULT_PREFIX, disconnect, keysOf, Quarantine } from '../../queues/index.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { reportFault } from './fault-report.ts';
import { descendantsOf, isAlive, markedJob, soundReply, startRig } from './harness.ts';

const patient: JsonObject = { timeoutMs: 120_000 };
const killer =
  '```ts\nexport function handle(): never {\n  return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 } as never, 1) as never;\n}\n```';
const endless = '```ts\nexport function handle(): never {\n  for (;;) {}\n}\n```';

/** A rig with one worker whose sandbox and compiler are running. */
async function warmWorker(t: TestContext) {
  const rig = await startRig();
  t.after(() => rig.close());
  const worker = await rig.worker();
  const warm = await rig.outcomeOf(markedJob('cells-warm', patient));
  assert.equal(warm.verdict, 'generated', JSON.stringify(warm.findings));
  return {
    rig,
    worker,
    /** Processes of the worker whose command line matches. */
    processes: (pattern: RegExp) =>
      descendantsOf(worker.pid)
        .filter((pid) => pattern.test(commandLineOf(pid)))
        .filter(isAlive),
  };
}

// As by the kernel where memory runs out.
test('sandbox processes killed: a new one takes the run over, and the candidate is not blamed', async (t) => {
  const { rig, worker, processes } = await warmWorker(t);
  const kill = () => {
    const found = processes(/isolated-vm|type-check-child/);
    for (const pid of found) process.kill(pid, 'SIGKILL');
    return found.length;
  };
  rig.answer('cells-idle', () => ({ kind: 'reply', text: soundReply }));
  rig.answer('cells-busy', (nth) => ({ kind: 'reply', text: nth === 1 ? endless : soundReply }));
  const sinceMs = Date.now();
  if (kill() === 0) return t.skip('the processes of the sandbox cannot be told from others here');
  const idle = await rig.submit(markedJob('cells-idle', patient));
  await rig.outcome(idle);
  const busy = await rig.submit(markedJob('cells-busy', patient));
  await worker.logged(({ msg, job, stage }) => msg === 'stage' && job === busy && stage === 'bundle');
  kill();
  const outcomes = await reportFault(rig, 'sandbox and type-check processes killed', [idle, busy], sinceMs);
  assert.deepEqual(
    outcomes.map(({ verdict }) => verdict),
    ['generated', 'generated'],
    JSON.stringify(outcomes.map(({ findings }) => findings)),
  );
  assert.deepEqual(
    outcomes[0]?.report.attempts.map(({ result }) => result).filter((result) => result !== 'aborted'),
    ['verified'],
    'no repair was asked for',
  );
});

test('a sandbox process that hangs is replaced, and the candidate is not blamed', async (t) => {
  const { rig, worker, processes } = await warmWorker(t);
  rig.answer('cell-hangs', () => ({ kind: 'reply', text: soundReply }));
  const cells = processes(/isolated-vm/);
  if (cells.length === 0) return t.skip('the processes of the sandbox cannot be told from others here');
  for (const pid of cells) process.kill(pid, 'SIGSTOP');
  const sinceMs = Date.now();
  const jobId = await rig.submit(markedJob('cell-hangs', patient));
  const [outcome] = await reportFault(rig, 'sandbox process hangs', [jobId], sinceMs);
  assert.equal(outcome?.verdict, 'generated', JSON.stringify(outcome?.findings));
  assert.deepEqual(
    outcome.report.attempts.map(({ result }) => result).filter((result) => result !== 'aborted'),
    ['verified'],
    'no repair was asked for',
  );
  await worker.logged(({ msg, sandbox }) => msg === 'sandbox' && /"cell-died"/.test(JSON.stringify(sandbox)));
});

test('a bundle that killed its cell is kept out for as long as the operator says', async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  await rig.worker({ PROTOSMITH_QUARANTINE_S: '100', PROTOSMITH_MAX_COMPLETIONS: '1' });
  rig.answer('cell-killer', () => ({ kind: 'reply', text: killer }));
  const outcome = await rig.outcomeOf(markedJob('cell-killer', patient));
  assert.equal(outcome.verdict, 'error', JSON.stringify(outcome.findings));
  const connection = connect(rig.redis.url, 'worker');
  t.after(() => disconnect(connection));
  const keys = keysOf(DEFAULT_PREFIX);
  const [kept, ...others] = await new Quarantine(connection, keys).list();
  assert.ok(kept !== undefined && others.length === 0);
  const left = await connection.ttl(keys.quarantined(kept.digest));
  assert.ok(left > 0 && left <= 100, String(left));
});

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
