import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { bundleHandler, createSandbox } from '../../sandbox/index.ts';
import { hostHandler } from '../../src/hosting/load-handler.ts';
import { Surface } from '../../src/hosting/surface.ts';
import { CodedError } from '../../src/kernel/errors.ts';
import { serveStdio } from '../../src/operator/run/run-stdio.ts';
import { linesOf } from '../../src/operator/shell/read-input.ts';

const sandbox = await createSandbox({ cells: 1 });
after(() => sandbox.close());

const source = `export async function handle(request: any, context: any) {
  if (!request.ask) return { said: request };
  try {
    return { found: await context.call.find(request.ask) };
  } catch (error: any) {
    return { failed: [error.code, error.message] };
  }
}`;

let loaded = 0;
/** Handlers that an operator has withdrawn. */
const withdrawn = new Set<string>();

async function open(digest: string) {
  if (withdrawn.has(digest)) throw new CodedError('JOB_HANDLER_UNKNOWN', 'Cannot serve handler: it was withdrawn');
  if (digest === 'lost') throw new CodedError('PLATFORM_SANDBOX_LOST', 'Cannot run handler: its cell died');
  if (digest !== 'known') throw new CodedError('JOB_HANDLER_UNKNOWN', 'Cannot load handler: not stored');
  const bundled = await bundleHandler(source, 'handle');
  assert.ok(bundled.ok);
  const toolSchemas = { find: { readOnly: true } };
  const surface = new Surface({ role: 'provider', requestSchema: null, responseSchema: null, toolSchemas });
  const handler = hostHandler(await sandbox.load(bundled.bundle, 'handle'), surface, {
    sendTimeoutMs: 60_000,
    toolTimeoutMs: 60_000,
  });
  loaded += 1;
  return { handler, isServed: async () => !withdrawn.has(digest) };
}

type Said = Record<string, unknown>;

/** A conversation: what is written goes in, and lines that come out can be waited for. */
function talk() {
  const input = new PassThrough();
  const said: Said[] = [];
  const news = new PassThrough({ objectMode: true });
  const print = (line: object) => {
    said.push(JSON.parse(JSON.stringify(line)));
    news.emit('line');
  };
  const served = serveStdio({ lines: linesOf(input), print, open });
  return {
    said,
    write: (line: unknown) => input.write(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`),
    async line(isIt: (line: Said) => boolean): Promise<Said> {
      for (;;) {
        const found = said.find(isIt);
        if (found) return found;
        await once(news, 'line');
      }
    },
    async end(): Promise<Said[]> {
      input.end();
      await served;
      return said;
    },
  };
}

const asks = (id: unknown, ask: unknown) => ({ id, digest: 'known', request: { ask } });
const callOf = (id: unknown) => (line: Said) => line.id === id && line.call !== undefined;
const endOf = (id: unknown) => (line: Said) => line.id === id && line.end !== undefined;

test('many at once, answered in any order, each to its own run', async () => {
  const host = talk();
  const ids = [1, 2, 3, 'four', 'five'];
  for (const id of ids) host.write(asks(id, { id }));
  const calls = await Promise.all(ids.map((id) => host.line(callOf(id))));
  for (const { id, call, input } of calls.reverse()) host.write({ id, call, output: { of: input } });
  for (const id of ids) {
    const { end, value } = await host.line(endOf(id));
    assert.deepEqual([end, value], ['returned', { found: { of: { id } } }]);
  }
  await host.end();
});

test('an answer with an error, one with nothing, one too late and one to nobody', async () => {
  const host = talk();
  host.write({ id: 'nobody', call: 1, output: 1 });
  host.write(asks('error', 1));
  host.write({
    id: 'error',
    call: (await host.line(callOf('error'))).call,
    error: { code: 'TIMEOUT', message: 'slow' },
  });
  assert.deepEqual((await host.line(endOf('error'))).value, { failed: ['TIMEOUT', 'slow'] });
  host.write({ id: 'error', call: 1, output: 'too late' });
  host.write(asks('word', 1));
  host.write({ id: 'word', call: (await host.line(callOf('word'))).call, error: 'no luck' });
  assert.deepEqual((await host.line(endOf('word'))).value, { failed: ['FAILED', 'no luck'] });
  host.write(asks('nothing', 1));
  const { call } = await host.line(callOf('nothing'));
  host.write({ id: 'nothing', call });
  assert.deepEqual((await host.line(endOf('nothing'))).value, { found: null });
  const said = await host.end();
  assert.equal(said.filter((line) => line.end !== undefined).length, 3);
});

test('lines that are none, and what cannot be run, are told by their id and end nothing', async () => {
  const host = talk();
  host.write('nonsense\n[1]\n\r\n');
  host.write(`{"id":"deep","digest":"known","request":${'['.repeat(5_000)}${']'.repeat(5_000)}}\n`);
  host.write(`{"id":"said","call":1,"output":${'['.repeat(5_000)}${']'.repeat(5_000)}}\n`);
  host.write({ id: 'unknown', digest: 'none', request: 1 });
  host.write({ id: 'lost', digest: 'lost', request: 1 });
  host.write({ id: 'no digest', request: 1 });
  host.write({ id: 'large', digest: 'known', request: 'x'.repeat(17_000_000) });
  host.write(`${JSON.stringify({ id: 'said', digest: 'known', request: 'a\u2028b' })}\r\n`);
  await Promise.all(['unknown', 'lost', 'large', 'said'].map((id) => host.line(endOf(id))));
  const said = await host.end();
  assert.deepEqual(
    said.slice(0, 4).map(({ id, end }) => [id, end]),
    [
      [null, 'refused'],
      [null, 'refused'],
      ['deep', 'refused'],
      [null, 'refused'],
    ],
  );
  const byId = Object.fromEntries(said.map((line) => [String(line.id), line]));
  assert.deepEqual(
    ['unknown', 'lost', 'no digest', 'large', 'said'].map((id) => byId[id]?.end),
    ['refused', null, 'refused', 'refused', 'returned'],
  );
  assert.equal((byId.lost?.error as { code: string } | undefined)?.code, 'PLATFORM_SANDBOX_LOST');
  assert.deepEqual(byId.said?.value, { said: 'a\u2028b' });
});

test('a handler stays loaded until it is withdrawn: what it has begun it finishes, and it is served no more', async (t) => {
  t.after(() => withdrawn.clear());
  const host = talk();
  const before = loaded;
  for (const id of ['one', 'two']) {
    host.write({ id, digest: 'known', request: id });
    assert.equal((await host.line(endOf(id))).end, 'returned');
  }
  assert.equal(loaded, before + 1);
  host.write(asks('begun', 1));
  const { call } = await host.line(callOf('begun'));
  withdrawn.add('known');
  host.write({ id: 'late', digest: 'known', request: 1 });
  const { end, message } = await host.line(endOf('late'));
  assert.equal(end, 'refused');
  assert.match(String(message), /^JOB_HANDLER_UNKNOWN: /);
  host.write({ id: 'begun', call, output: 'there' });
  assert.deepEqual((await host.line(endOf('begun'))).value, { found: 'there' });
  withdrawn.clear();
  host.write({ id: 'restored', digest: 'known', request: 1 });
  assert.equal((await host.line(endOf('restored'))).end, 'returned');
  await host.end();
});

test('an id that is in use is refused a second run, and the first goes on', async () => {
  const host = talk();
  host.write(asks('twice', 1));
  const { call } = await host.line(callOf('twice'));
  host.write({ id: 'twice', digest: 'known', request: 2 });
  assert.match(String((await host.line(endOf('twice'))).message), /an id that is still in use/);
  host.write({ id: 'twice', call, output: 'there' });
  await host.line((line) => line.end === 'returned');
  const said = await host.end();
  assert.deepEqual(
    said.filter(endOf('twice')).map(({ end, value }) => [end, value]),
    [
      ['refused', undefined],
      ['returned', { found: 'there' }],
    ],
  );
});

test('where the input ends, calls that wait fail and runs come to their end', async () => {
  const host = talk();
  host.write(asks('waits', 1));
  await host.line(callOf('waits'));
  // The last line need not be ended.
  host.write(JSON.stringify(asks('later', 1)));
  const said = await host.end();
  for (const id of ['waits', 'later']) {
    assert.deepEqual(said.find(endOf(id))?.value, { failed: ['FAILED', 'standard input has ended'] }, id);
  }
});
