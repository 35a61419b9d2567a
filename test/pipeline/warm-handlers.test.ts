import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createSandbox, type LoadedHandler, type Run } from '../../sandbox/index.ts';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import { WarmHandlers } from '../../src/handlers/warm-handlers.ts';

const sandbox = await createSandbox({ cells: 1 });
after(() => sandbox.close());

const run: Run = { input: '20', seed: 's', nowMs: 0, tools: [], send: false };

/** The part of a record that loading needs. */
function recordOf(digest: string, tenant = 'one'): HandlerRecord {
  const bundle = `function handle(n) { return n + 1; }\nexport {\n  handle\n};\n`;
  return { digest, role: 'provider', bundle, provenance: { tenant } } as HandlerRecord;
}

/** Counts loads and closes of the real sandbox. */
function watched() {
  const counts = { loaded: 0, closed: 0 };
  const load: typeof sandbox.load = async (...given) => {
    counts.loaded += 1;
    const handler = await sandbox.load(...given);
    const close = async () => {
      counts.closed += 1;
      await handler.close();
    };
    return { run: handler.run.bind(handler), runAll: handler.runAll.bind(handler), close };
  };
  return { counts, load };
}

const answerOf = async (handler: LoadedHandler) =>
  (await handler.run(run, () => assert.fail('it calls nothing'))).value;

test('a sound handler stays loaded for the next job of its tenant', async () => {
  const { counts, load } = watched();
  const warm = new WarmHandlers({ load }, async () => false);
  for (let job = 0; job < 3; job += 1) {
    const { handler, release } = await warm.borrow(recordOf('a'));
    assert.equal(await answerOf(handler), '21');
    await release(true);
  }
  assert.deepEqual(counts, { loaded: 1, closed: 0 });
  await (await warm.borrow(recordOf('a', 'another'))).release(true);
  assert.equal(counts.loaded, 2);
});

test('a handler that failed is closed, but not while another job still runs it', async () => {
  const { counts, load } = watched();
  const warm = new WarmHandlers({ load }, async () => false);
  await (await warm.borrow(recordOf('a'))).release(true);
  const [one, two] = [await warm.borrow(recordOf('a')), await warm.borrow(recordOf('a'))];
  await one.release(false);
  assert.deepEqual(counts, { loaded: 1, closed: 0 });
  assert.equal(await answerOf(two.handler), '21');
  await two.release(false);
  assert.deepEqual(counts, { loaded: 1, closed: 1 });
  await (await warm.borrow(recordOf('a'))).release(false);
  assert.deepEqual(counts, { loaded: 2, closed: 2 });
});

test('a handler that another worker has put into quarantine is loaded again, so that it is refused', async () => {
  const { counts, load } = watched();
  const quarantined = new Set<string>();
  const warm = new WarmHandlers({ load }, async (bundle) => quarantined.has(bundle));
  const record = recordOf('a');
  await (await warm.borrow(record)).release(true);
  quarantined.add(record.bundle);
  await (await warm.borrow(record)).release(false);
  assert.deepEqual(counts, { loaded: 2, closed: 2 });
});

test('of two handlers loaded at the same time, one stays', async () => {
  const { counts, load } = watched();
  const warm = new WarmHandlers({ load }, async () => false);
  const lent = await Promise.all([warm.borrow(recordOf('a')), warm.borrow(recordOf('a'))]);
  for (const { handler, release } of lent) {
    assert.equal(await answerOf(handler), '21');
    await release(true);
  }
  assert.deepEqual(counts, { loaded: 2, closed: 1 });
});

test('the least recently used handler is removed first, and none stays forever', async () => {
  const { counts, load } = watched();
  let nowMs = 0;
  const warm = new WarmHandlers(
    { load },
    async () => false,
    () => nowMs,
  );
  const use = async (digest: string) => (await warm.borrow(recordOf(digest))).release(true);
  for (const digest of 'abcdefgh') await use(digest);
  assert.deepEqual(counts, { loaded: 8, closed: 0 });
  await use('a');
  await use('i');
  await use('a');
  assert.deepEqual(counts, { loaded: 9, closed: 1 });
  await use('b');
  assert.deepEqual(counts, { loaded: 10, closed: 2 });
  nowMs += 60_000;
  await use('a');
  assert.deepEqual(counts, { loaded: 11, closed: 3 });
});
