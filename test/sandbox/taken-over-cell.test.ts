import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cell } from '../../sandbox/cell.ts';
import { HostedHandler } from '../../sandbox/hosted-handler.ts';
import { type Run, resolveLimits } from '../../sandbox/index.ts';
import type { Launch } from '../../sandbox/launch.ts';
import { operatorLimits } from '../../sandbox/policy.ts';
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

/**
 * A program that replaces that of a cell, as after a bug in V8: it acts once it has a run, and again once it has
 * answers.
 */
const program = (onRun: string, onAnswers = '') => `
  const { readSync, writeSync } = require('node:fs');
  const say = (header, texts = []) => {
    const text = JSON.stringify({ plain: [], reports: [], calls: [], ...header, lengths: texts.map(({ length }) => length) }) + '\\n' + texts.join('');
    writeSync(1, text.length.toString(16).padStart(8, '0') + text);
  };
  const inbox = Buffer.alloc(1_048_576);
  say({ op: 'ready' });
  let all = '';
  const heard = (pattern) => {
    for (; !pattern.test(all); all += inbox.toString('latin1', 0, readSync(0, inbox)));
    return pattern.exec(all)[1];
  };
  const run = Number(heard(/"first":(\\d+)/));
  const call = (call, tool) => say({ op: 'news', done: 2, calls: [[run, call, tool]] }, ['{}']);
  ${onRun}
  heard(/"op":"answers"/);
  ${onAnswers}
  setInterval(() => {}, 1_000);`;

/** A handler on cells that run these programs, one after another. */
function handlerOn(programs: string[]) {
  const quarantined: string[] = [];
  let started = 0;
  const pool = {
    async acquire() {
      started += 1;
      return { cell: await Cell.start(plain, programs[started - 1] ?? '', '', operatorLimits({})), release() {} };
    },
    drop() {},
    admit() {},
    enqueue: () => () => {},
    contended: false,
  } as unknown as Pool;
  const handler = new HostedHandler('bundle', 'digest', resolveLimits({ maxCalls: 2 }), {
    pool,
    leaseMs: 1_000,
    canary: async () => true,
    quarantine: async (digest) => {
      quarantined.push(digest);
    },
    isQuarantined: () => false,
    countRuns() {},
  });
  return { handler, quarantined };
}

const run: Run = { input: 'null', seed: 'seed', nowMs: 0, tools: ['look'], send: false };

test('a run that makes other calls when it is made again still gets its answers', async () => {
  const { handler } = handlerOn([
    program("call(0, 'look');", 'process.exit(1);'),
    program("call(1, 'look');", "say({ op: 'news', done: 3, plain: [[run, 1, 0, 0]] }, ['7']); process.exit(0);"),
  ]);
  const { end, value } = await handler.run(run, async () => ({ output: 'null' }));
  assert.deepEqual([end, value], ['returned', '7']);
});

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
    const { handler, quarantined } = handlerOn([program(said)]);
    const { end, message } = await handler.run(run, async ({ tool }) => {
      asked.push(tool);
      return { output: 'null' };
    });
    assert.deepEqual([end, message, quarantined], ['killed', 'its cell sent what no cell sends', ['digest']]);
    assert.ok(asked.length <= 2 && asked.every((tool) => tool === 'look'), `${asked}`);
  });
