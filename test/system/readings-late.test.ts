import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Behaviour, Question } from '../../src/scripted-model/server.ts';
import { startRig, until } from './harness.ts';
import {
  confirmed,
  discountReading,
  entryOf,
  faultyModule,
  faultyThenSound,
  lines,
  moduleReply,
  orderJob,
  play,
  questionsFor,
  recordAt,
  recordBehind,
  soundModule,
} from './readings-rig.ts';

const rig = await startRig();
after(() => rig.close());
const worker = await rig.worker({ PROTOSMITH_READING: 'late', PROTOSMITH_CONCURRENCY: '16' });

/** As short as a job can be that waits for its peer's deadline, on a busy machine. */
const shortMs = 15_000;

/** An answer that comes when it is let go. */
function held(): { behaviour: (text: string) => Behaviour; release: () => void } {
  const gate = Promise.withResolvers<void>();
  return { behaviour: (text) => ({ kind: 'reply', text, after: gate.promise }), release: () => gate.resolve() };
}

const read = (question: Question) => lines(discountReading(question));

// The first job of a worker starts its sandbox and type checker, which a busy machine may take longer for than shortMs.
play(rig, 'late-first', {
  candidate: () => moduleReply(soundModule),
  read: (_, question) => ({ kind: 'reply', text: read(question) }),
});
await rig.outcomeOf(orderJob('late-first'));

/** How a reader fails, and what is told of it. */
const failures: {
  name: string;
  read: (nth: number, question: Question) => Behaviour;
  state: 'failed' | 'partial';
  fault: RegExp;
  questions: number;
  timeoutMs?: number;
}[] = [
  { name: 'is silent', read: () => ({ kind: 'stall' }), state: 'failed', fault: /./, questions: 2, timeoutMs: shortMs },
  {
    name: 'falls silent in the middle',
    read: (_, question) => ({ kind: 'stall', text: read(question) }),
    state: 'partial',
    fault: /./,
    questions: 2,
    timeoutMs: shortMs,
  },
  {
    name: 'is cut off in the middle',
    read: (_, question) => ({ kind: 'cut', text: lines(discountReading(question).slice(0, 1)) }),
    state: 'partial',
    fault: /./,
    questions: 2,
  },
  {
    name: 'hangs up in the middle',
    read: (_, question) => ({ kind: 'reset', text: lines(discountReading(question).slice(0, 1)) }),
    state: 'partial',
    fault: /./,
    questions: 2,
  },
  {
    name: 'writes prose twice',
    read: () => ({ kind: 'reply', text: 'The agreement is clear enough. {"of": oops}\n' }),
    state: 'failed',
    fault: /no derived case/,
    questions: 2,
  },
  { name: 'answers nothing', read: () => ({ kind: 'empty' }), state: 'failed', fault: /./, questions: 2 },
  {
    name: 'has a fault of its own',
    read: () => ({ kind: 'status', status: 500 }),
    state: 'failed',
    fault: /500/,
    questions: 2,
  },
  {
    name: 'wants a key',
    read: () => ({ kind: 'status', status: 401 }),
    state: 'failed',
    fault: /401|key/,
    questions: 1,
  },
];

describe('readings that come late, or not at all', { concurrency: true }, () => {
  test('a fault that a late reading shows withdraws the handler, and another one is announced in its place', async () => {
    const mark = 'late-fault';
    const gate = held();
    play(rig, mark, {
      candidate: faultyThenSound,
      read: (_, question) => gate.behaviour(read(question)),
    });
    const data = orderJob(mark, { timeoutMs: shortMs, workMs: 120_000 });
    const jobId = await rig.submit(data);
    const outcome = await rig.outcome(jobId);
    assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
    assert.deepEqual([outcome.report.reading?.state, outcome.report.reading?.complete], ['partial', false]);
    const first = await recordBehind(rig, outcome);
    assert.equal(first.proof.reading, undefined);
    gate.release();
    const late = await entryOf(rig, jobId, 'late');
    assert.equal(late.withdrawn, first.digest);
    assert.ok(late.digest && late.digest !== first.digest, JSON.stringify(late));
    const second = await recordAt(rig, mark, late.digest);
    assert.equal(second?.proof.reading?.complete, true);
    assert.match(second?.source ?? '', /0\.9/);
    assert.ok(second?.proof.reading?.reading.derived[0]?.confirmation);
    const reason = await rig.connection.hget(rig.keys.withdrawnHandlers(mark), first.digest);
    assert.match(String(reason), /a tenth less/);
    await rig.left(jobId);

    // Whoever comes next is served the second one, and nobody is asked.
    const asked = rig.questions(mark).length;
    const next = await rig.outcomeOf({ ...data, negotiationId: `${mark}-2`, timeoutMs: 120_000 });
    assert.deepEqual([next.verdict, next.handler?.digest, next.report.reused], ['generated', late.digest, true]);
    assert.deepEqual([next.report.reading?.state, next.report.reading?.complete], ['complete', true]);
    assert.equal(rig.questions(mark).length, asked);
  });

  test('where no other can be made, the first one is withdrawn all the same, and nothing stands in its place', async () => {
    const mark = 'late-lost';
    const gate = held();
    play(rig, mark, {
      candidate: (nth) => (nth === 1 ? moduleReply(faultyModule) : { kind: 'reply', text: 'I cannot do better.' }),
      read: (_, question) => gate.behaviour(read(question)),
    });
    const data = orderJob(mark, { timeoutMs: shortMs, workMs: 120_000 });
    const jobId = await rig.submit(data);
    const outcome = await rig.outcome(jobId);
    assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
    gate.release();
    const late = await entryOf(rig, jobId, 'late');
    assert.deepEqual([late.withdrawn, late.digest ?? ''], [outcome.handler?.digest, '']);
    const job = { ...data, handlerDigest: outcome.handler?.digest, negotiationId: `${mark}-2`, timeoutMs: 120_000 };
    const verified = await rig.outcomeOf(job, { kind: 'verify' });
    assert.equal(verified.verdict, 'error');
    assert.deepEqual(
      verified.findings.map(({ code }) => code),
      ['JOB_HANDLER_UNKNOWN'],
    );
  });

  test('where a late reading finds nothing, the handler stays and has the whole reading, and nobody is told', async () => {
    const mark = 'late-sound';
    const gate = held();
    play(rig, mark, {
      candidate: () => moduleReply(soundModule),
      read: (_, question) => gate.behaviour(read(question)),
    });
    const jobId = await rig.submit(orderJob(mark, { timeoutMs: shortMs, workMs: 120_000 }));
    const outcome = await rig.outcome(jobId);
    assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
    assert.equal(outcome.report.reading?.complete, false);
    gate.release();
    const record = await until(async () => {
      const one = await recordBehind(rig, outcome);
      return one.proof.reading?.complete === true && one;
    }, 'the record with its reading');
    const check = record.provenance.checks.find(({ name }) => name === 'derived-cases');
    assert.deepEqual([check?.result, check?.runs], ['passed', 1]);
    await rig.outcomeOf(orderJob(`${mark}-then`), { kind: 'review' });
    assert.ok((await rig.entries()).every((entry) => entry.jobId !== jobId || entry.kind !== 'late'));
  });

  test('where a reader came to nothing, nothing goes on after the outcome', async () => {
    const mark = 'reader-came-to-nothing';
    play(rig, mark, {
      candidate: () => moduleReply(soundModule),
      read: () => ({ kind: 'status', status: 401 }),
    });
    const jobId = await rig.submit(orderJob(mark));
    assert.equal((await rig.outcome(jobId)).verdict, 'generated');
    await rig.outcomeOf(orderJob(`${mark}-then`), { kind: 'review' });
    const runs = worker.lines.filter(({ job, stage }) => job === jobId && stage === 'derive');
    assert.equal(runs.length, 1, 'its cases are looked at once');
  });
});

// One after the other: failures in a row, without an answer between them, would open the circuit of the endpoint.
describe('readers that fail', () => {
  for (const [index, { name, state, fault, questions, timeoutMs, ...one }] of failures.entries()) {
    test(`a reader ${name}: there is a handler all the same, and the report says why nobody read`, async () => {
      const mark = `reader-fails-${index}-`;
      play(rig, mark, { candidate: () => moduleReply(soundModule), read: one.read, confirm: (_, q) => confirmed(q) });
      const data = orderJob(mark, { workMs: 0, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
      const { verdict, report, findings } = await rig.outcomeOf(data);
      assert.equal(verdict, 'generated', JSON.stringify(findings));
      const { reading } = report;
      assert.deepEqual([reading?.state, reading?.complete], [state, false]);
      assert.match(reading?.fault ?? '', fault);
      assert.equal(reading?.derived, state === 'partial' ? 1 : 0, 'what came is used');
      const check = report.checks.find((each) => each.name === 'derived-cases');
      assert.equal(check?.runs, state === 'partial' ? 1 : 0);
      assert.equal(questionsFor(rig, mark, 'read').length, questions);
    });
  }

  test('a reader answers well the second time: its reading is whole', async () => {
    const mark = 'reader-second-try';
    play(rig, mark, {
      candidate: () => moduleReply(soundModule),
      read: (nth, question) => (nth === 1 ? { kind: 'status', status: 503 } : { kind: 'reply', text: read(question) }),
    });
    const { report } = await rig.outcomeOf(orderJob(mark));
    assert.deepEqual([report.reading?.state, report.reading?.fault], ['complete', undefined]);
    assert.equal(await until(() => questionsFor(rig, mark, 'read').length), 2);
  });
});
