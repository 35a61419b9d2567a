import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cell } from '../../sandbox/cell.ts';
import { HostedHandler } from '../../sandbox/hosted-handler.ts';
import { type Run, resolveLimits } from '../../sandbox/index.ts';
import type { Launch } from '../../sandbox/launch.ts';
import type { Pool } from '../../sandbox/pool.ts';

const plain: Launch = {
  level: 'process',
  drops: false,
  strict: [],
  command: process.execPath,
  args: [],
  seccomp: undefined,
  nodeArgs: [],
};

/** A program in place of a cell's, as after a fault of V8: once it has a run, it says this of it. */
const program = (said: string) => `
  const { readSync, writeSync } = require('node:fs');
  const say = (header, texts = []) => {
    const text = JSON.stringify({ ...header, lengths: texts.map(({ length }) => length) }) + '\\n' + texts.join('');
    writeSync(1, text.length.toString(16).padStart(8, '0') + text);
  };
  const inbox = Buffer.alloc(1_048_576);
  say({ op: 'ready' });
  for (let all = ''; ; ) {
    const count = readSync(0, inbox);
    if (count === 0) break;
    all += inbox.toString('latin1', 0, count);
    const [, first] = /"first":(\\d+)/.exec(all) ?? [];
    if (!first) continue;
    const run = Number(first);
    const call = (call, tool) => say({ op: 'news', done: 1, plain: [], reports: [], calls: [[run, call, tool]] }, ['{}']);
    ${said}
    break;
  }
  setInterval(() => {}, 1_000);`;

const forged: [what: string, said: string][] = [
  ['a tool that the run has not', "call(0, 'store');"],
  ['a name that is none', "call(0, ['look']);"],
  ['the peer, which the run does not know', 'call(0, null);'],
  ['more calls than a run may make', "for (let n = 0; n < 3; n += 1) call(n, 'look');"],
  ['a call without a number', "call('a', 'look');"],
];

for (const [what, said] of forged)
  test(`a cell that asks for ${what} is ended, and nobody is asked`, async () => {
    const asked: unknown[] = [];
    const quarantined: string[] = [];
    const pool = {
      acquire: async () => ({ cell: await Cell.start(plain, program(said), ''), release() {} }),
      drop() {},
      contended: false,
    } as unknown as Pool;
    const handler = new HostedHandler('bundle', 'digest', resolveLimits({ maxCalls: 2 }), {
      pool,
      canary: async () => true,
      quarantine: async (digest) => {
        quarantined.push(digest);
      },
      isQuarantined: () => false,
      countRuns() {},
    });
    const run: Run = { input: 'null', seed: 'seed', nowMs: 0, tools: ['look'], send: false };
    const { end, message } = await handler.run(run, async ({ tool }) => {
      asked.push(tool);
      return { output: 'null' };
    });
    assert.deepEqual([end, message, quarantined], ['killed', 'its cell said what no cell says', ['digest']]);
    assert.ok(asked.length <= 2 && asked.every((tool) => tool === 'look'), `${asked}`);
  });
