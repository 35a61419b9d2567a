import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSandbox, loadHandler } from '../../src/sandbox-door.ts';
import { wordHandler } from './word-handler.ts';

const asks = `export async function handle(request: any, context: any) {
  try { return await context.call.echo(request); } catch (error: any) { return { word: error.code + ' ' + error.message }; }
}`;

test('a handler runs with the functions of its embedder, and every value that crosses is validated', async () => {
  const told: unknown[] = [];
  const handler = await loadHandler(await wordHandler(asks), {
    echo: async (input) => {
      told.push(input);
      return { word: 'from outside' };
    },
  });
  const wrong = await loadHandler(await wordHandler(asks), { echo: () => ({ word: 1 }) });
  const none = await loadHandler(await wordHandler(asks), {});
  try {
    const { end, value, calls } = await handler.run({ word: 'a' });
    assert.deepEqual([end, value], ['returned', { word: 'from outside' }]);
    assert.deepEqual(calls, [{ tool: 'echo', input: { word: 'a' }, output: { word: 'from outside' } }]);
    assert.deepEqual(told, [{ word: 'a' }]);
    assert.match(JSON.stringify((await wrong.run({ word: 'a' })).value), /INVALID/);
    assert.match(JSON.stringify((await none.run({ word: 'a' })).value), /FAILED there is no echo here/);
  } finally {
    for (const one of [handler, wrong, none]) await one.close();
  }
  await assert.rejects(handler.run({ word: 'a' }));
});

test('a wanted sandbox level holds here too, and the layers in force are reported', async () => {
  const settings = ['PROTOSMITH_SANDBOX_LEVEL', 'PROTOSMITH_SANDBOX_LIMITS', 'PROTOSMITH_SANDBOX_STRICT'] as const;
  const before = settings.map((name) => process.env[name]);
  const stored = await wordHandler('export const handle = () => ({ word: "four" })');
  const refuses = async (code: string) => {
    const opening = loadHandler(stored, {});
    // Else one that is not refused keeps the process.
    opening.then((handler) => handler.close()).catch(() => {});
    await assert.rejects(opening, { code });
  };
  try {
    process.env.PROTOSMITH_SANDBOX_LEVEL = 'thick';
    await refuses('OPERATOR_SETTINGS');
    process.env.PROTOSMITH_SANDBOX_LEVEL = 'process';
    process.env.PROTOSMITH_SANDBOX_LIMITS = '{"memoryMb":1000000}';
    await refuses('OPERATOR_SANDBOX_LIMITS');
    process.env.PROTOSMITH_SANDBOX_LIMITS = '{"maxResultBytes":4}';
    process.env.PROTOSMITH_SANDBOX_STRICT = 'fresh-contexts';
    const handler = await loadHandler(stored, {});
    const { message } = await handler.run({ word: 'a' }).finally(() => handler.close());
    assert.match(message ?? '', /too large/);
    for (const layer of ['own-process', 'fresh-contexts']) assert.ok(handler.layers.inForce.includes(layer));
  } finally {
    for (const [index, value] of before.entries()) {
      const name = settings[index] ?? '';
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});

test('a level below the best gives a warning', async (t) => {
  const programs = await mkdtemp(join(tmpdir(), 'no-bwrap-'));
  await writeFile(join(programs, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const path = process.env.PATH;
  t.after(async () => {
    process.env.PATH = path;
    await rm(programs, { recursive: true });
  });
  process.env.PATH = `${programs}:${path}`;
  const warned = once(process, 'warning', { signal: AbortSignal.timeout(30_000) });
  const handler = await loadHandler(await wordHandler('export const handle = () => ({ word: "four" })'), {});
  await handler.close();
  const [{ code, message }] = await warned;
  assert.equal(code, 'PROTOSMITH_SANDBOX_LEVEL');
  assert.match(message, /^The sandbox is at level "(namespaces|permission|process)", since no better one starts: /);
});

test('closing a handler twice leaves the sandbox to the others', async () => {
  const [one, other] = [await loadHandler(await wordHandler(asks), {}), await loadHandler(await wordHandler(asks), {})];
  await one.close();
  await one.close();
  assert.equal((await other.run({ word: 'a' })).end, 'returned');
  await other.close();
});

test("a requester sends through its embedder, in the embedder's sandbox", async () => {
  const sandbox = await createSandbox({ cells: 1 });
  try {
    const source = 'export async function perform(task: any, context: any) { return context.send({ word: task }); }';
    const send = async (request: unknown) => ({ word: JSON.stringify(request) });
    const handler = await loadHandler(await wordHandler(source, 'requester'), {}, { send, sandbox });
    assert.deepEqual((await handler.run('b')).value, { word: '{"word":"b"}' });
    await handler.close();
    assert.equal(await sandbox.canary(), true);
  } finally {
    await sandbox.close();
  }
});

test('a record that does not match its digest is refused, and nothing is left behind', async () => {
  const sound = await wordHandler(asks);
  const changed = loadHandler({ ...sound, bundle: `${sound.bundle};` }, {});
  await assert.rejects(changed, { code: 'PLATFORM_HANDLER_CORRUPT' });
});
