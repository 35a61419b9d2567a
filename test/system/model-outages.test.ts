import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import { type Behaviour, startScriptedModel } from '../../src/scripted-model/server.ts';
import { reportFault } from './fault-report.ts';
import { markedJob, soundReply, startRig, until } from './harness.ts';

const patient: JsonObject = { timeoutMs: 120_000 };
const sound: Behaviour = { kind: 'reply', text: soundReply };
const generated = ({ verdict }: { verdict: string }) => verdict === 'generated';
const marksOf = (name: string, count: number) => Array.from({ length: count }, (_, nth) => `${name}-${nth}-`);

// Most of the time is spent waiting: for rests, circuits and silent servers.
describe('the model', { concurrency: 2 }, () => {
  test('429 with Retry-After: no worker asks the endpoint until the time is over', async (t) => {
    const rig = await startRig();
    t.after(() => rig.close());
    await Promise.all([rig.worker(), rig.worker()]);
    const restMs = 8_000;
    let limitedAtMs = 0;
    rig.answer('limited-first', (nth) => {
      if (nth > 1) return sound;
      limitedAtMs = Date.now();
      return { kind: 'status', status: 429, headers: { 'retry-after': String(restMs / 1_000) } };
    });
    const marks = marksOf('limited-later', 9);
    const askedAtMs: number[] = [];
    for (const mark of marks) {
      rig.answer(mark, () => {
        askedAtMs.push(Date.now());
        return sound;
      });
    }
    const first = await rig.submit(markedJob('limited-first', patient));
    await until(async () => (await rig.connection.keys('*:cool-down:*')).length > 0, 'the cool-down');
    const others = await Promise.all(marks.map((mark) => rig.submit(markedJob(mark, patient))));
    const outcomes = await reportFault(rig, 'model: 429 with Retry-After', [first, ...others], limitedAtMs + restMs);
    assert.ok(outcomes.every(generated), JSON.stringify(outcomes.map(({ findings }) => findings)));
    const earlyMs = limitedAtMs + restMs - Math.min(...askedAtMs);
    assert.ok(earlyMs < 100, `asked ${earlyMs} ms too early`);
  });

  test('429 without Retry-After, again and again: no attempts are used up', async (t) => {
    const rig = await startRig();
    t.after(() => rig.close());
    await Promise.all([rig.worker(), rig.worker()]);
    let refusals = 0;
    let endedAtMs = 0;
    const marks = marksOf('refused', 6);
    for (const mark of marks) {
      rig.answer(mark, () => {
        if (refusals === 24) return sound;
        refusals += 1;
        endedAtMs = Date.now();
        return { kind: 'status', status: 429 };
      });
    }
    const jobIds = await Promise.all(marks.map((mark) => rig.submit(markedJob(mark, patient))));
    await until(() => refusals === 24, '24 refusals');
    const outcomes = await reportFault(rig, 'model: 429 without Retry-After', jobIds, endedAtMs);
    assert.ok(outcomes.every(generated), JSON.stringify(outcomes.map(({ findings }) => findings)));
  });

  test('429 for longer than a job’s questions last one after the other: it waits, and goes on when that is over', async (t) => {
    const rig = await startRig();
    t.after(() => rig.close());
    await rig.worker();
    const overAtMs = Date.now() + 45_000;
    rig.answer('storm', () => (Date.now() < overAtMs ? { kind: 'status', status: 429 } : sound));
    const jobId = await rig.submit(markedJob('storm', patient));
    const outcomes = await reportFault(rig, 'model: 429 for 45 s', [jobId], overAtMs);
    assert.ok(outcomes.every(generated), JSON.stringify(outcomes.map(({ findings }) => findings)));
    assert.ok(rig.questions('storm').length <= 12, 'no more than PROTOSMITH_MAX_COMPLETIONS');
  });

  test('5xx until the circuit opens: intake of every worker pauses and says so, and goes on by itself', async (t) => {
    const rig = await startRig();
    t.after(() => rig.close());
    const workers = await Promise.all([rig.worker(), rig.worker()]);
    const marks = marksOf('broken', 12);
    let broken = true;
    for (const mark of marks) rig.answer(mark, () => (broken ? { kind: 'status', status: 503 } : sound));
    const jobIds = await Promise.all(marks.map((mark) => rig.submit(markedJob(mark, patient))));
    for (const worker of workers)
      await worker.logged(({ msg, message }) => msg === 'paused' && /no model endpoint answers/.test(String(message)));
    broken = false;
    const sinceMs = Date.now();
    for (const worker of workers)
      await worker.logged(({ msg, message }) => msg === 'resumed' && /no model endpoint answers/.test(String(message)));
    const outcomes = await reportFault(rig, 'model: 5xx, circuit open', jobIds, sinceMs);
    assert.ok(outcomes.every(generated), JSON.stringify(outcomes.map(({ findings }) => findings)));
  });

  test('the first endpoint is dead, the second silent: the third answers, and no job ends with error', async (t) => {
    const silent = await startScriptedModel({ behave: () => ({ kind: 'stall' }) });
    const rig = await startRig();
    t.after(async () => {
      await silent.close();
      await rig.close();
    });
    const marks = marksOf('third', 4);
    for (const mark of marks) rig.answer(mark, () => sound);
    await rig.worker({
      PROTOSMITH_MODELS: JSON.stringify([
        { model: 'dead', baseUrl: await nobodyThere() },
        { model: 'silent', baseUrl: silent.baseUrl },
        { model: 'third', baseUrl: rig.modelUrl },
      ]),
    });
    const sinceMs = Date.now();
    const jobIds = await Promise.all(marks.map((mark) => rig.submit(markedJob(mark, { timeoutMs: 30_000 }))));
    const outcomes = await reportFault(rig, 'model: first endpoint dead, second silent', jobIds, sinceMs);
    assert.ok(outcomes.every(generated), JSON.stringify(outcomes.map(({ findings }) => findings)));
    assert.ok(silent.questions.length > 0);
  });
});

/** The URL of a port that was free a moment ago. */
async function nobodyThere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}
