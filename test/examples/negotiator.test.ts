import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { jobIdOf } from '../../queues/index.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { example, markedJob, root, soundReply, startRig } from '../system/harness.ts';

const python = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import redis'], { stdio: 'ignore' }).status === 0,
);
const skip = python === undefined && 'no python3 with redis-py (Debian: python3-redis) here';
const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Reaction {
  jobId: string;
  negotiationId: string;
  kind: string;
  verdict: string;
  final: boolean;
  forward: JsonObject[];
  proposals: JsonObject[];
  findings: string[];
  handler: string | null;
  next: string;
}

test('a file without a job, or no Redis, is told in a line', { skip }, () => {
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const call = (path: string) => {
    const script = join(root, 'examples/negotiator.py');
    const { status, stderr } = spawnSync(python ?? '', [script, '--redis', 'redis://127.0.0.1:1', path], {
      encoding: 'utf8',
    });
    return { status, stderr };
  };
  for (const path of [join(folder, 'nothing'), file('broken.json', '{"a'), file('list.json', '[1]')]) {
    const { status, stderr } = call(path);
    assert.equal(status, 65);
    assert.match(stderr, /^Cannot read job: .*, wanted .*\n$/);
  }
  const { status, stderr } = call(file('job.json', '{}'));
  assert.equal(status, 69);
  assert.match(stderr, /^Cannot reach Redis: .*, wanted an answer\n$/);
});

test('a negotiator in Python enqueues, reads its outcomes, acknowledges and reacts', { skip }, async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  await rig.worker();
  rig.answer('python-', () => ({ kind: 'reply', text: soundReply }));

  const negotiate = (name: string, job: JsonObject, ...args: string[]) => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify(job));
    const child = spawn(python ?? '', [join(root, 'examples/negotiator.py'), '--redis', rig.redis.url, ...args, path]);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    return new Promise<{ code: number | null; reactions: Reaction[]; stderr: string }>((resolve) =>
      child.once('close', (code) =>
        resolve({
          code,
          stderr,
          reactions: stdout
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line)),
        }),
      ),
    );
  };

  // The id is the recommended one, text beyond ASCII and awkward member names included: so is every job that runs
  // twice.
  const job = markedJob('python-one');
  const made = await negotiate('generate', { ...job, agreement: { ...(job.agreement as JsonObject), 'ключ 😀': 'ï' } });
  assert.deepEqual({ code: made.code, stderr: made.stderr }, { code: 0, stderr: '' });
  const reaction = made.reactions.at(-1) ?? assert.fail('no reaction');
  assert.deepEqual(reaction.forward, [{ action: 'codeGeneration', status: 'generated' }]);
  assert.equal(reaction.jobId, jobIdOf({ ...job, agreement: { ...(job.agreement as JsonObject), 'ключ 😀': 'ï' } }));
  assert.equal(reaction.handler?.length, 64);
  assert.match(reaction.next, /^forward, then wait for the peer/);

  const reviewed = await negotiate('review', markedJob('python-two'), '--kind', 'review');
  assert.equal(reviewed.code, 0);
  assert.match(reviewed.reactions.at(-1)?.next ?? '', /your own acceptance/);
  const accepted = await negotiate('accepted', markedJob('python-two'));
  assert.deepEqual([accepted.code, accepted.reactions.at(-1)?.verdict], [0, 'generated']);

  const disputed = await negotiate('disputed', {
    ...example('anp-product-en.disputed'),
    negotiationId: 'python-three',
  });
  assert.equal(disputed.code, 0);
  const dispute = disputed.reactions.at(-1);
  assert.equal(dispute?.verdict, 'disputed');
  assert.ok((dispute?.proposals.length ?? 0) > 0);
  assert.equal(dispute?.forward[0]?.action, 'fixErrorNegotiation');

  const faulty = await negotiate('faulty', { version: 1, negotiationId: 'python-four', surprise: true });
  assert.equal(faulty.code, 2);
  assert.ok((faulty.reactions.at(-1)?.findings.length ?? 0) > 0);

  // All of them were acknowledged, and the intake is empty: nothing lies about.
  const pending = await rig.connection.xpending(rig.keys.outcomes('default'), 'negotiator');
  assert.equal((pending as [number])[0], 0);
  assert.equal(await rig.connection.xlen(rig.keys.intake), 0);
});

test('without a worker it ends with 69, and its job is not lost', { skip }, async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  const path = join(folder, 'nobody.json');
  writeFileSync(path, JSON.stringify(markedJob('python-nobody')));
  const child = spawn(python ?? '', [
    join(root, 'examples/negotiator.py'),
    '--redis',
    rig.redis.url,
    '--wait',
    '1',
    '--kind',
    'review',
    path,
  ]);
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 69);
  assert.equal(await rig.connection.xlen(rig.keys.intake), 1);
  await rig.worker();
  assert.ok(await rig.outcome(jobIdOf(markedJob('python-nobody'))));
});
