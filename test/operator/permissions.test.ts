import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Redis } from 'ioredis';
import { leastRules, redisPermissions, redisServerPath } from '../../queues/index.ts';
import { commandHere } from '../system/command-here.ts';
import {
  markedJob,
  type Rig,
  root,
  runCommand,
  soundReply,
  startRig,
  until,
  workerSettings,
} from '../system/harness.ts';

const skip = redisServerPath() === undefined ? 'needs a real redis-server, which has users' : false;

/** A rig, and the URL of a user of its Redis that may do what the rules say. */
async function rigWithUser(t: TestContext, rules: readonly string[]): Promise<Rig & { url: string }> {
  const rig = await startRig();
  t.after(() => rig.close());
  await rig.connection.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>pw', ...rules);
  return { ...rig, url: rig.redis.url.replace('//', '//app:pw@') };
}

async function examined(url: string) {
  const { stdout } = await commandHere(['doctor', '--json'], { environment: { REDIS_URL: url } });
  const rows = JSON.parse(stdout) as { subject: string; state: string; says: string }[];
  const of = (subject: string) => rows.find((row) => row.subject === subject);
  return { redis: of('redis'), permissions: of('permissions') };
}

/** How rules name a command that was given. */
function named([name = '', sub = '']: readonly string[]): string {
  const command = name.toLowerCase();
  return /^(client|cluster|config|xgroup|xinfo)$/.test(command) ? `${command}|${sub.toLowerCase()}` : command;
}

const allowed = leastRules('redis://127.0.0.1').flatMap((rule) => (rule.startsWith('+') ? [rule.slice(1)] : []));

test('the least rules suffice for workers and operators, and what these give is what the rules name', {
  skip,
}, async (t) => {
  const rig = await rigWithUser(t, leastRules('redis://127.0.0.1'));
  const given = new Set<string>();
  const monitor = await (rig.connection as Redis).monitor();
  t.after(() => monitor.disconnect());
  const own = String(await rig.connection.client('INFO')).match(/ addr=(\S+)/)?.[1];
  monitor.on('monitor', (_: string, args: string[], source: string) => {
    if (source !== own) given.add(named(args));
  });
  const worker = await rig.worker({ REDIS_URL: rig.url, PROTOSMITH_PORT: '0', PROTOSMITH_MONITOR: '1' });
  const { port } = await worker.logged(({ msg }) => msg === 'listening');
  const environment = { REDIS_URL: rig.url };
  const run = (...args: string[]) => commandHere(args, { environment });
  rig.answer('permitted', () => ({ kind: 'reply', text: soundReply }));
  const submitted = await commandHere(['submit', '-'], { environment, input: JSON.stringify(markedJob('permitted')) });
  assert.equal(submitted.code, 0, submitted.stderr);
  const { digest } = JSON.parse(submitted.stdout).handler;
  await rig.connection.xadd(rig.keys.intake, '*', 'jobId', 'b', 'data', JSON.stringify(markedJob('permitted')));
  assert.equal((await rig.outcome('b')).verdict, 'generated');
  await rig.left('b');
  await rig.queue.add('generate', markedJob('permitted-other'), { jobId: 'b' });
  await until(async () => (await rig.queue.getJobState('b')) === 'failed');
  await rig.connection.hset(`${rig.keys.queue}:b`, 'failedReason', 'DEFECT_UNCODED: found by a test');
  for (const command of [
    ['status'],
    ['inspect', 'b'],
    ['handlers', 'list'],
    ['handlers', 'show', digest],
    ['handlers', 'pin', digest],
    ['handlers', 'unpin', digest],
    ['handlers', 'withdraw', digest, '--reason', 'x'],
    ['handlers', 'restore', digest],
    ['handlers', 'export', '--all'],
    ['dead-letters', 'list'],
    ['dead-letters', 'requeue', 'b'],
    ['drain', '--for', '5'],
    ['drain', '--resume'],
  ]) {
    const { code, stderr } = await run(...command);
    assert.ok(code === 0, `${command.join(' ')}: ${code} ${stderr}`);
  }
  assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
  assert.match(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), /^protosmith_monitor_up 1$/m);
  const { redis, permissions } = await examined(rig.url);
  assert.equal(permissions?.state, 'well', permissions?.says);
  assert.match(redis?.says ?? '', /restart of Redis/);
  assert.deepEqual(await rig.connection.call('ACL', 'LOG'), []);
  const beyond = [...given].filter((command) => !allowed.includes(command) && !/^(auth|hello|quit)$/.test(command));
  assert.deepEqual(beyond, []);
});

test('the rules name what sources and scripts hold, and nothing else', () => {
  const scripts = createRequire(import.meta.url)('bullmq/dist/cjs/scripts') as Record<
    string,
    { name: string; content: string }
  >;
  // Of those nothing is used.
  const unused = /relay|Scheduler|obliterate/i;
  const files = globSync('{queues,src}/**/*.{ts,lua}', { cwd: root });
  const sources = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const texts = [
    sources,
    ...Object.values(scripts).flatMap(({ name, content }) => (unused.test(name) ? [] : [content])),
  ];
  const called = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/(?:rcall|redis\.p?call)\(\s*["'](\w+)["'](?:,\s*['"](\w+)['"])?/g)].map(([, ...words]) =>
        named(words),
      ),
    ),
  );
  assert.ok(called.size > 40, `${called.size}`);
  assert.deepEqual(
    [...called].filter((command) => !allowed.includes(command)),
    [],
  );
  const { list } = createRequire(createRequire(import.meta.url).resolve('ioredis'))('@ioredis/commands') as {
    list: string[];
  };
  const queues = globSync('queues/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
  const methods = new Set([...queues.join('\n').matchAll(/\.([a-z]+)\(/g)].map(([, name]) => name ?? ''));
  const ours = ['append', 'keys', 'publish', 'sort'];
  const names = allowed.map((command) => command.replace(/\|.*/, ''));
  const unnamed = [...methods].filter((name) => list.includes(name) && !names.includes(name) && !ours.includes(name));
  assert.deepEqual(unnamed, ['quit']);
  // The client's own way to give it, else BullMQ's or the client's own work.
  const given = (command: string) => {
    const [name = '', sub = ''] = command.split('|');
    return new RegExp(`[.'](${name})['(]${sub && `[^)]*'${sub}'`}`, 'i').test(sources);
  };
  const others = allowed.filter((command) => !called.has(command) && !given(command));
  assert.deepEqual(others.sort(), ['bzpopmin', 'client|list', 'client|setname']);
});

test('doctor names what a user may not do, and prints who may do no more than is needed', { skip }, async (t) => {
  const rig = await rigWithUser(t, ['~*', '+@all']);
  const says = async (...rules: string[]) => {
    await rig.connection.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>pw', ...rules);
    return examined(rig.url);
  };
  const { permissions: scripting } = await says('~*', '+@all', '-@scripting');
  assert.equal(scripting?.state, 'ill');
  assert.match(scripting?.says ?? '', /^OPERATOR_REDIS_PERMISSION: .*user app without EVAL, EVALSHA, wanted /);
  const { permissions: dangerous, redis } = await says('~*', '+@all', '-@dangerous');
  assert.equal(dangerous?.state, 'warning');
  assert.match(
    dangerous?.says ?? '',
    /without INFO its version, memory .*; without CONFIG GET .*; without CLIENT LIST /,
  );
  assert.equal(redis?.state, 'warning');
  assert.match(redis?.says ?? '', /does not show its maxmemory-policy/);
  const { permissions: keys } = await says('~{protosmith}:code-generation:*', '+@all');
  assert.match(keys?.says ?? '', /user app without ~\{protosmith\}:intake, .*~\{protosmith\}:deadlines, /);
  const { permissions: multi } = await says('~*', '+@all', '-multi');
  assert.match(multi?.says ?? '', /without MULTI, /);
  const before = await rig.connection.keys('*');
  const { permissions: all } = await says('~*', '+@all');
  assert.equal(all?.state, 'well');
  assert.deepEqual(await rig.connection.keys('*'), before);

  const { code, stdout } = await commandHere(['doctor', '--acl'], {
    environment: { REDIS_URL: 'redis://127.0.0.1:1' },
  });
  assert.equal(code, 0);
  const [acl = '', setuser = '', name = '', ...rules] = stdout.trim().split(' ');
  await rig.connection.call(acl, setuser, name, ...rules);
  const printed = rig.redis.url.replace('//', `//${name}:PASSWORD@`);
  assert.deepEqual(await redisPermissions(printed), { user: name, missing: [], lacking: [] });
});

test('doctor, worker and status say why a Redis cannot be used', { skip }, async (t) => {
  const rig = await rigWithUser(t, ['~*', '+@all', '-evalsha']);
  for (const [url, code, found] of [
    [rig.redis.url.replace('//', '//app:SECRET@'), 'OPERATOR_REDIS_LOGIN', 'WRONGPASS'],
    [`${rig.redis.url}/99`, 'OPERATOR_REDIS_DATABASE', 'out of range: 99'],
    [rig.redis.url.replace('redis:', 'redis+cluster:'), 'OPERATOR_REDIS_CLUSTER', 'cluster support disabled'],
    [rig.redis.url.replace('//', '//app:SECR/ET@'), 'OPERATOR_REDIS_URL_INVALID', 'password'],
    [rig.url, 'OPERATOR_REDIS_PERMISSION', 'evalsha'],
  ] as const) {
    const { redis, permissions } = await examined(url);
    const row = code === 'OPERATOR_REDIS_PERMISSION' ? permissions : redis;
    const told = new RegExp(`${code}: .*${found}.*, wanted `, 'is');
    assert.equal(row?.state, 'ill');
    assert.match(row?.says ?? '', told);
    const status = await commandHere(['status'], { environment: { REDIS_URL: url } });
    const worker = await runCommand(['worker'], { environment: workerSettings(url, rig.modelUrl) });
    for (const ended of [status, worker]) {
      assert.equal(ended.code, 78, ended.stderr);
      assert.match(ended.stderr, told);
      assert.doesNotMatch(JSON.stringify([ended, redis]), /SECR/);
    }
  }
});

test('a worker whose user may not ask INFO works, and says what is not known', { skip }, async (t) => {
  const rig = await rigWithUser(t, ['~{protosmith}:*', '+@all', '-@dangerous']);
  const worker = await rig.worker({ REDIS_URL: rig.url, PROTOSMITH_PORT: '0' });
  const { port } = await worker.logged(({ msg }) => msg === 'listening');
  rig.answer('quiet', () => ({ kind: 'reply', text: soundReply }));
  assert.equal((await rig.outcomeOf(markedJob('quiet'))).verdict, 'generated');
  const lacking = worker.lines.filter(({ msg }) => msg === 'redis-permission').map(({ command }) => command);
  assert.deepEqual(lacking.sort(), ['client|list', 'config|get', 'info']);
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
  assert.equal(ready.status, 200);
  assert.match(await ready.text(), /"redis-policy","well":true,"says":"unknown/);
  assert.doesNotMatch(worker.output(), /ready check|"level":"error"/);
  const { code, stdout } = await commandHere(['status'], { environment: { REDIS_URL: rig.url } });
  assert.equal(code, 0);
  assert.match(stdout, /^workers +unknown$/m);
});

test('a connection that breaks while permissions are tried ends the trial, and nothing of it is executed', {
  skip,
}, async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  const url = await cutOnceBefore(t, rig.redis.url, '$6\r\nrename\r\n');
  await rig.connection.zadd(rig.keys.deadlines, 1, 'job');
  await assert.rejects(redisPermissions(url), { code: 'PLATFORM_REDIS_UNREACHABLE' });
  assert.equal(await rig.connection.type(rig.keys.deadlines), 'zset');
  assert.deepEqual((await redisPermissions(url)).missing, []);
});

test('the operations guide has the least rules', () => {
  const guide = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const [, rules = ''] = /^ACL SETUSER protosmith on >PASSWORD ([^`]*)/m.exec(guide) ?? [];
  assert.deepEqual(rules.trim().split(/\s+/), leastRules('redis://127.0.0.1'));
});

/** The URL of a way to a Redis that breaks once, before these bytes pass. */
async function cutOnceBefore(t: TestContext, redisUrl: string, bytes: string): Promise<string> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    const upstream = connect(Number(new URL(redisUrl).port), '127.0.0.1');
    for (const one of [socket, upstream]) sockets.add(one.on('error', () => undefined));
    upstream.pipe(socket);
    upstream.on('close', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
    socket.on('data', (chunk) => {
      if (isCut || !chunk.includes(bytes)) return void upstream.write(chunk);
      isCut = true;
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    for (const one of sockets) one.destroy();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return redisUrl.replace(/:\d+$/, `:${(server.address() as AddressInfo).port}`);
}
