import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CodedError } from '../../src/kernel/errors.ts';
import type { CheckFact } from '../../src/verification/checks.ts';
import { codes, json, module, productJob, soundSource, startGeneration } from '../generation/rig.ts';
import { startWorkbench } from '../generation/workbench.ts';

const bench = await startWorkbench();
after(() => bench.close());
const { play, fallback } = await startGeneration();

const job = productJob();

function sourceBut(part: string, replacement: string): string {
  assert.ok(soundSource.includes(part));
  return soundSource.replace(part, replacement);
}

test('only an answer that the schema allows counts against a case', async () => {
  for (const [source, cases] of [
    [sourceBut('code: 404', 'code: 410'), [2]],
    [sourceBut('code: 404', "code: '404' as never"), []],
  ] as const) {
    const attempted = await bench.examine(source, await bench.workOn(job));
    assert.ok(attempted.kind === 'failed');
    assert.equal(attempted.code, 'CANDIDATE_CASES_FAILED');
    assert.deepEqual([...attempted.objections.keys()], cases);
  }
});

test('a module that exceeds a limit of the type-check is not run', async () => {
  const work = await bench.workOn(job);
  const limit = { code: 'CANDIDATE_TYPE_CHECK_LIMIT', message: 'too much', line: 1, column: 1 } as const;
  const typeChecker = { ...work.services.typeChecker, check: async () => [limit] };
  const { loaded } = bench.counts;
  const attempted = await bench.examine(soundSource, { ...work, services: { ...work.services, typeChecker } });
  assert.ok(attempted.kind === 'failed');
  assert.deepEqual([attempted.code, attempted.facts?.typeFaults], [limit.code, [limit]]);
  assert.equal(bench.counts.loaded, loaded);
});

test('a sound candidate is not refused because schemas are expensive to type-check', async () => {
  const ways = (n: number) => ({
    anyOf: ['a', 'b'].map((name) => ({ type: 'object', properties: { [`${name}${n}`]: {} } })),
  });
  const costly = JSON.stringify(Array.from({ length: 16 }, (_, n) => ways(n)));
  const { agreement } = job;
  const text = String(agreement.candidateProtocols).replaceAll(/^\{\n/gm, `{\n  "allOf": ${costly},\n`);
  assert.notEqual(text, agreement.candidateProtocols);
  const work = await bench.workOn({ ...job, agreement: { ...agreement, candidateProtocols: text } });
  assert.equal((await bench.examine(soundSource, work)).kind, 'verified');
});

test('a candidate that still has the fault of a complaint is reported with its cases, and repaired with the facts of its runs', async () => {
  const work = await bench.workOn(job);
  const fact: CheckFact = { check: 'faults in use', code: 'CANDIDATE_COMPLAINT_STANDS', message: 'so it is', input: 7 };
  const found = (faults: CheckFact[]) =>
    bench.examine(soundSource, {
      ...work,
      modules: new Map(),
      assignment: { ...work.assignment, faultsOf: async () => faults },
    });
  const attempted = await found([fact]);
  assert.ok(attempted.kind === 'failed');
  assert.equal(attempted.code, fact.code);
  assert.deepEqual(
    attempted.tested?.cases.map(({ passed }) => passed),
    [true, true],
  );
  assert.deepEqual(attempted.facts?.checks, [{ name: 'faults in use', facts: ['so it is; input: 7'] }]);
  assert.equal((await found([])).kind, 'verified');
});

/** The limit for the report on one attempt. */
const mostCharacters = 1_000;

test('the report on each attempt is limited in size', async () => {
  const long = 'All is lost. '.repeat(400);
  const declined = await play(job, () =>
    json({ decline: 'protocol', reason: long, quote: '404 when there is no such product' }),
  );
  const untyped = Array.from({ length: 80 }, (_, n) => `export const n${n}: number = 'text';`).join('\n');
  const broken = await play(job, () => module(`${soundSource}\n${untyped}`));
  const complete = () => Promise.reject(new CodedError('PLATFORM_MODEL_UNAVAILABLE', long));
  const down = await play(job, () => assert.fail('nobody is asked'), {
    model: { ...fallback, complete },
    mayThrow: true,
  });
  assert.ok(codes(broken).includes('CANDIDATE_TYPES'));
  for (const { report } of [declined, broken, down]) {
    const [message] = report.attempts.map((one) => one.message ?? '');
    assert.equal(message?.length, mostCharacters);
  }
});

test('the report on the cases is limited in size, whatever a handler answers', async () => {
  const flood = `export async function handle(): Promise<never> {
  const name = 'n'.repeat(2_000);
  const much = Array.from({ length: 100_000 }, (_, n) => n);
  return Object.fromEntries(Array.from({ length: 60 }, (_, n) => [name + n, n ? name : much])) as never;
}`;
  const { report } = await play(job, () => module(flood));
  assert.deepEqual(
    report.cases.map(({ passed }) => passed),
    [false, false],
  );
  const [first] = report.cases;
  assert.match(String(first?.differences.find(({ path }) => path.startsWith('/nn'))?.path), /more characters\)$/);
  assert.ok(JSON.stringify(report).length < 150_000, `${JSON.stringify(report).length} characters`);
});

test('one late answer in five jobs is requested a second time, and no more', async () => {
  const { text } = module(soundSource);
  // About two seconds, on an endpoint that answers most questions at once.
  const slow = { kind: 'reply', text, pieceCharacters: Math.ceil(text.length / 20), pauseMs: 100 } as const;
  const quick = { medianMs: 10, p75Ms: 10, firstPieceMs: 10, msPerCharacter: 0 };
  const played = await play(job, () => slow, { model: { ...fallback, speed: () => quick }, timeoutMs: 240_000 });
  assert.ok(played.tested);
  assert.equal(played.asked.length, 1, 'it is the first job');
});
