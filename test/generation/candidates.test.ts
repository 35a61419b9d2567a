import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { readComplaint } from '../../src/documents/read-complaint.ts';
import { blame } from '../../src/generation/blame.ts';
import type { Attempted } from '../../src/generation/lane-candidate.ts';
import { prove } from '../../src/generation/prove.ts';
import { analyzeWithPatterns } from '../../src/job/match-patterns.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { reproduce } from '../../src/kinds/reproduce.ts';
import { hangMs, productJob, soundSource, tableSource, withCaseText } from './rig.ts';
import { heldTo, jobOf, recordOf, startWorkbench } from './workbench.ts';

const bench = await startWorkbench();
after(() => bench.close());

const { signal } = new AbortController();
const deadline = new Deadline(Date.now() + 10 * hangMs, signal);
const job = productJob();
const other = withCaseText(job, (text) => text.replace('"code": 404', '"code": 410').replaceAll('404', '410'));

/** The numbers of handlers that the work loads, and leaves open. */
async function left(work: () => Promise<unknown>): Promise<{ loaded: number; open: number }> {
  const before = { ...bench.counts };
  await work();
  const loaded = bench.counts.loaded - before.loaded;
  return { loaded, open: loaded - (bench.counts.closed - before.closed) };
}

async function examined(source: string, data: JsonObject = job): Promise<Attempted> {
  return bench.examine(source, await bench.workOn(data));
}

function seenOf(attempted: Attempted) {
  return attempted.kind === 'failed' ? attempted.tested : attempted.kind === 'verified' ? attempted : null;
}

for (const [what, source, data, kind] of [
  ['verified', soundSource, job, 'verified'],
  ['refused by its cases', soundSource, other, 'failed'],
  ['refused by the checks', tableSource, job, 'failed'],
] as const)
  test(`a candidate that is ${what} is closed`, async () => {
    const work = async () => assert.equal((await examined(source, data)).kind, kind);
    assert.deepEqual(await left(work), { loaded: 1, open: 0 });
  });

test('candidates whose case is suspected are loaded again, each once, and closed', async () => {
  const judge = (prompt: string) => ({
    right: prompt.split(/# Answer [12]/)[1]?.includes('404') ? 1 : 2,
    quote: '404',
  });
  const work = await bench.workOn(other, judge);
  const attempted = await bench.examine(soundSource, work);
  assert.ok(attempted.kind === 'failed');
  work.tried.push(...[1, 2, 3].map(() => ({ fresh: true, attempted })));
  assert.deepEqual(await left(() => blame(work, deadline)), { loaded: 1, open: 0 });
});

test('a handler that was used to reproduce a complaint is closed, whether sound or not', async () => {
  const record = await recordOf(job, soundSource);
  for (const source of [soundSource, 'export const handle = () => 1;']) {
    const { bundle } = await recordOf(job, source);
    const on = () =>
      reproduce(
        { ...record, bundle },
        heldTo(job),
        readComplaint('- wrong', []),
        bench.servicesWith(),
        bench.ledger(),
        deadline,
        signal,
      );
    assert.deepEqual(await left(on), { loaded: 1, open: 0 });
  }
});

test('a stored handler that passes stays loaded for the next job; one that fails is closed', async () => {
  for (const [source, loaded, open] of [
    [soundSource, 1, 1],
    ['export const handle = () => 1;', 2, 0],
  ] as const) {
    const record = await recordOf(job, source);
    const services = bench.servicesWith();
    const twice = async () => {
      for (const _ of [1, 2]) await prove(record, heldTo(job), services, bench.ledger(), signal);
    };
    assert.deepEqual(await left(twice), { loaded, open }, source);
  }
});

/** The job with a pattern for product ids. */
function withPattern(pattern: string): JsonObject {
  const found = '"productId": {\n      "type": "string"\n    }';
  const text = String(job.agreement.candidateProtocols);
  assert.ok(text.includes(found));
  const candidateProtocols = text.replace(found, found.replace('"string"', `"string", "pattern": "${pattern}"`));
  return { ...job, agreement: { ...job.agreement, candidateProtocols } };
}

test('an agreement is analyzed once where its patterns need no sandbox, and the pattern matcher is closed otherwise', async () => {
  const plain = jobOf(withPattern('^P'));
  const known = analyze(plain);
  const read = async () => assert.equal((await analyzeWithPatterns(plain, bench.sandbox, signal)).job, known.job);
  assert.deepEqual(await left(read), { loaded: 0, open: 0 });
  const beyond = jobOf(withPattern('^(?=P)'));
  assert.deepEqual(await left(() => analyzeWithPatterns(beyond, bench.sandbox, signal)), { loaded: 1, open: 0 });
});

test('the tools of a candidate are those that it called, sorted by name', async () => {
  const [lookup] = productJob().tools as JsonObject[];
  const more = (name: string) => ({ name, description: 'Notes it.', otherwise: { output: null } });
  const tools = [more('zone'), lookup, more('audit'), more('never')] as JsonObject[];
  const source = soundSource.replace(
    'const product =',
    'await context.call.zone({});\n    await context.call.audit({});\n    const product =',
  );
  assert.deepEqual(seenOf(await examined(source, { ...job, tools }))?.tools, ['audit', 'lookupProduct', 'zone']);
});

test('the repair prompt of a refused candidate includes the warnings of the checks', async () => {
  const attempted = await examined(
    soundSource
      .replace('const product =', "if (messageId === '') throw 1;\n    const product =")
      .replace('} catch {', '} catch (error) {\n    if (error === 1) throw new Error();')
      .replace('price: product.price', 'price: product.price > 84 ? product.price : 84.5'),
  );
  assert.ok(attempted.kind === 'failed');
  const results = new Map(attempted.tested?.checks.map(({ name, result }) => [name, result]));
  assert.deepEqual([results.get('literal-audit'), results.get('generated-requests')], ['failed', 'warned']);
  assert.deepEqual(
    attempted.facts?.checks?.map(({ name }) => name),
    ['literal-audit', 'generated-requests'],
  );
  assert.doesNotMatch(attempted.message, /throws/);
});
