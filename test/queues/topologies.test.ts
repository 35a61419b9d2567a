import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  connect,
  createConsumer,
  createProducer,
  disconnect,
  leastRules,
  openOperator,
  type QueueEvent,
  redisPermissions,
  redisServerPath,
  whenReady,
} from '../../queues/index.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { tellFault } from '../system/fault-report.ts';
import { certificate } from './certificate.ts';
import { freePorts } from './free-ports.ts';
import { envelope, jobData, until } from './queue-under-test.ts';

const server = redisServerPath();
const skip = server === undefined ? 'needs a real redis-server: cluster and Sentinel are its own' : false;

/** The Redis processes of one test, in their own folder, killed after it. */
async function redisProcesses(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'protosmith-topology-'));
  const children: ChildProcess[] = [];
  const endings: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const end of endings.reverse()) await end();
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    await rm(dir, { recursive: true, force: true });
  });
  return {
    dir,
    /** Runs `end` after the test while the processes are still up, last one first. */
    atEnd(end: () => Promise<unknown>) {
      endings.push(end);
    },
    start(port: number, ...args: string[]): ChildProcess {
      const common = [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        dir,
        '--save',
        '',
        '--protected-mode',
        'no',
      ];
      const child = spawn(server ?? '', [...args, ...common], { stdio: 'ignore' });
      children.push(child);
      return child;
    },
  };
}

test('a cluster of three masters carries jobs, intake and operators', { skip }, async (t) => {
  const redis = await redisProcesses(t);
  const ports = await freePorts(3);
  for (const port of ports)
    redis.start(port, '--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${port}.conf`);
  const nodes = ports.map((port) => connect(`redis://127.0.0.1:${port}`, 'worker'));
  redis.atEnd(() => Promise.all(nodes.map((node) => disconnect(node))));
  const bounds = [0, 5_461, 10_923, 16_384];
  for (const [index, node] of nodes.entries()) {
    await node.call('CLUSTER', 'ADDSLOTSRANGE', String(bounds[index]), String((bounds[index + 1] ?? 0) - 1));
    if (index > 0) await node.call('CLUSTER', 'MEET', '127.0.0.1', String(ports[0]));
  }
  for (const node of nodes) {
    await until(async () => String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok'), 30_000);
    await until(async () => String(await node.call('CLUSTER', 'INFO')).includes('cluster_known_nodes:3'), 30_000);
  }

  const url = `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
  const consumer = createConsumer({ jobs: jobReader, url, process: async ({ kind, data }) => envelope(kind, data) });
  redis.atEnd(() => consumer.close());
  await consumer.ready();
  const producer = createProducer({ jobs: jobReader, url });
  redis.atEnd(() => producer.close());
  const jobIds = Array.from({ length: 50 }, (_, index) => `job-${index}`);
  await Promise.all(jobIds.map((jobId) => producer.submit('generate', jobData(), { jobId })));
  for (const jobId of jobIds) {
    assert.equal((await producer.waitForOutcome(jobId, { untilMs: Date.now() + 20_000 }))?.verdict, 'generated');
  }
  const cluster = connect(url, 'worker');
  redis.atEnd(() => disconnect(cluster));
  await cluster.xadd('{protosmith}:intake', '*', 'jobId', 'by-stream', 'data', JSON.stringify(jobData()));
  assert.equal((await producer.waitForOutcome('by-stream', { untilMs: Date.now() + 20_000 }))?.verdict, 'generated');
  const operator = await openOperator({ jobs: jobReader, url });
  redis.atEnd(() => operator.close());
  const snapshot = await operator.snapshot();
  assert.deepEqual(
    snapshot.outcomes.map(({ replyTo, length }) => ({ replyTo, length })),
    [{ replyTo: 'default', length: 51 }],
  );
  tellFault('none: a cluster of three masters', 51, 51, 0, 0);

  // One of the nodes alone holds the slot of the prefix.
  const alone = await Promise.all(
    ports.map((port) =>
      redisPermissions(`redis://127.0.0.1:${port}`).then(
        () => 'well',
        ({ code }) => code,
      ),
    ),
  );
  assert.deepEqual(alone.sort(), ['OPERATOR_REDIS_CLUSTER', 'OPERATOR_REDIS_CLUSTER', 'well']);

  // Each node has its own users.
  for (const node of nodes)
    await node.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>pw', ...leastRules(url), '-cluster|slots', '-info');
  const as = (login: string) => url.replace('//', `//${login}@`);
  await assert.rejects(redisPermissions(as('app:wrong'), { withinMs: 20_000 }), { code: 'OPERATOR_REDIS_LOGIN' });
  for (const node of nodes) await node.call('ACL', 'SETUSER', 'app', '+cluster|slots');
  const { missing, lacking } = await redisPermissions(as('app:pw'), { withinMs: 20_000 });
  assert.deepEqual({ missing, lacking: lacking.map(({ command }) => command) }, { missing: [], lacking: ['info'] });
});

test('what a cluster that lost a part of its slots cannot answer brings a job back', { skip }, async (t) => {
  const redis = await redisProcesses(t);
  const [port = 0] = await freePorts(1);
  const settings = ['--cluster-announce-ip', '127.0.0.1', '--cluster-require-full-coverage', 'no'];
  redis.start(port, '--cluster-enabled', 'yes', ...settings);
  const node = connect(`redis://127.0.0.1:${port}`, 'worker');
  redis.atEnd(() => disconnect(node));
  const lost = Number(await node.call('CLUSTER', 'KEYSLOT', 'elsewhere'));
  await node.call('CLUSTER', 'ADDSLOTSRANGE', '0', String(lost - 1), String(lost + 1), '16383');
  await until(async () => String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok'), 30_000);

  const url = `redis+cluster://127.0.0.1:${port}`;
  const cluster = connect(url, 'worker');
  redis.atEnd(() => disconnect(cluster));
  const events: QueueEvent[] = [];
  let worked = 0;
  const consumer = createConsumer({
    jobs: jobReader,
    url,
    onEvent: (event) => events.push(event),
    process: async ({ kind, data }) => {
      worked += 1;
      if (worked === 1) await cluster.get('elsewhere');
      return envelope(kind, data);
    },
  });
  redis.atEnd(() => consumer.close());
  await consumer.ready();
  const producer = createProducer({ jobs: jobReader, url });
  redis.atEnd(() => producer.close());
  await producer.submit('generate', jobData({ timeoutMs: 120_000 }), { jobId: 'a' });
  assert.equal((await producer.waitForOutcome('a', { untilMs: Date.now() + 60_000 }))?.verdict, 'generated');
  const retried = events.find(({ event }) => event === 'retried');
  assert.equal(retried?.code, 'PLATFORM_REDIS_UNREACHABLE', JSON.stringify(events));
});

test('a Sentinel group fails over, and jobs go on', { skip }, async (t) => {
  const redis = await redisProcesses(t);
  const [masterPort = 0, replicaPort = 0, sentinelPort = 0] = await freePorts(3);
  const master = redis.start(masterPort);
  redis.start(replicaPort, '--replicaof', '127.0.0.1', String(masterPort));
  const replica = connect(`redis://127.0.0.1:${replicaPort}`, 'worker');
  redis.atEnd(() => disconnect(replica));
  await until(async () => (await replica.info('replication')).includes('master_link_status:up'), 30_000);
  const settings = join(redis.dir, 'sentinel.conf');
  const lines = [
    `monitor main 127.0.0.1 ${masterPort} 1`,
    'down-after-milliseconds main 500',
    'failover-timeout main 2000',
  ];
  await writeFile(settings, lines.map((line) => `sentinel ${line}\n`).join(''));
  redis.start(sentinelPort, settings, '--sentinel');
  const sentinel = connect(`redis://127.0.0.1:${sentinelPort}`, 'worker');
  redis.atEnd(() => disconnect(sentinel));
  await until(
    async () => String(await sentinel.call('SENTINEL', 'REPLICAS', 'main')).includes(String(replicaPort)),
    30_000,
  );

  const url = `redis+sentinel://127.0.0.1:${sentinelPort}/main`;
  for (const wrong of [url.replace('/main', '/other'), url.replace(`${sentinelPort}`, `${masterPort}`)])
    await assert.rejects(redisPermissions(wrong, { withinMs: 20_000 }), { code: 'OPERATOR_REDIS_URL_INVALID' });
  const consumer = createConsumer({ jobs: jobReader, url, process: async ({ kind, data }) => envelope(kind, data) });
  redis.atEnd(() => consumer.close());
  await consumer.ready();
  const producer = createProducer({ jobs: jobReader, url, connectWithinMs: 30_000 });
  redis.atEnd(() => producer.close());
  await producer.submit('generate', jobData(), { jobId: 'before' });
  assert.equal((await producer.waitForOutcome('before', { untilMs: Date.now() + 20_000 }))?.verdict, 'generated');
  // Replication is delayed: the replica that takes over must have received the write.
  const first = connect(`redis://127.0.0.1:${masterPort}`, 'worker');
  await first.set('last', '1');
  assert.equal(await first.wait(1, 10_000), 1);
  await disconnect(first);
  master.kill('SIGKILL');
  const sinceMs = Date.now();
  await until(async () => (await replica.info('replication')).includes('role:master'), 30_000);
  await until(() => producer.submit('generate', jobData(), { jobId: 'after' }).catch(() => null), 30_000);
  assert.equal((await producer.waitForOutcome('after', { untilMs: Date.now() + 30_000 }))?.verdict, 'generated');
  assert.equal((await producer.outcomeOf('before'))?.verdict, 'generated');
  tellFault('master of a Sentinel group killed', 2, 2, 0, Date.now() - sinceMs);
});

test('Sentinels and servers with logins of their own, over TLS, carry a job', { skip }, async (t) => {
  const redis = await redisProcesses(t);
  const made = certificate(redis.dir);
  if (made === null) return t.skip('needs openssl to make a certificate');
  const [plainPort = 0, tlsPort = 0, plainSentinel = 0, tlsSentinel = 0] = await freePorts(4);
  const tls = ['--tls-cert-file', made.cert, '--tls-key-file', made.key, '--tls-ca-cert-file', made.cert];
  const unasked = ['--tls-auth-clients', 'no'];
  redis.start(
    plainPort,
    '--tls-port',
    String(tlsPort),
    ...tls,
    ...unasked,
    '--user',
    'app',
    'on',
    '>server',
    '~*',
    '+@all',
  );
  const sentinelOn = async (port: number, tlsAt: number, masterPort: number, login: string[]) => {
    const settings = join(redis.dir, `sentinel-${port}.conf`);
    await writeFile(settings, [`sentinel monitor main 127.0.0.1 ${masterPort} 1`, ...login, ''].join('\n'));
    redis.start(port, settings, '--sentinel', '--tls-port', String(tlsAt), ...tls, ...unasked);
  };
  const [secondPort = 0, secondTls = 0] = await freePorts(2);
  await sentinelOn(plainSentinel, tlsSentinel, tlsPort, [
    'user default off',
    'user watch on >sentinel allchannels +@all',
  ]);
  await sentinelOn(secondPort, secondTls, plainPort, ['requirepass server']);

  const script = `
    import { connect, disconnect, whenReady } from ${JSON.stringify(import.meta.resolve('../../queues/index.ts'))};
    const connection = connect(process.argv[1], 'worker');
    const said = await whenReady(connection, 20_000).then(() => connection.ping(), ({ code, message }) => code + ' ' + message);
    console.log(said);
    await disconnect(connection);`;
  const ask = async (url: string) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script, url], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // Trust the test's certificate as an operator would.
      env: { ...process.env, NODE_EXTRA_CA_CERTS: made.cert },
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await once(child, 'close');
    return said.trim();
  };
  const login = 'sentinelUsername=watch&sentinelPassword=sentinel';
  const overTls = `rediss+sentinel://app:server@127.0.0.1:${tlsSentinel}/main`;
  assert.equal(await ask(`${overTls}?${login}`), 'PONG');
  // The plain port of the Sentinel tells where the server listens for TLS.
  assert.equal(
    await ask(`rediss+sentinel://app:server@127.0.0.1:${plainSentinel}/main?${login}&sentinelTls=0`),
    'PONG',
  );
  assert.match(await ask(overTls), /^OPERATOR_REDIS_LOGIN .*NOAUTH/);
  assert.match(
    await ask(`${overTls}?sentinelUsername=watch&sentinelPassword=wrong`),
    /^OPERATOR_REDIS_LOGIN .*WRONGPASS/,
  );
  // Nothing is sent in plain text: a plain port does not understand TLS.
  assert.match(
    await ask(`rediss+sentinel://app:server@127.0.0.1:${plainSentinel}/main`),
    /^PLATFORM_REDIS_UNREACHABLE/,
  );
  // The Sentinel uses the default user's password unless it has its own.
  const shared = connect(`redis+sentinel://:server@127.0.0.1:${secondPort}/main`, 'worker');
  redis.atEnd(() => disconnect(shared));
  await whenReady(shared, 20_000);
  const consumer = createConsumer({
    jobs: jobReader,
    url: `redis+sentinel://app:server@127.0.0.1:${secondPort}/main?sentinelPassword=server`,
    process: async ({ kind, data }) => envelope(kind, data),
  });
  redis.atEnd(() => consumer.close());
  await consumer.ready();
  const producer = createProducer({ jobs: jobReader, url: `redis://app:server@127.0.0.1:${plainPort}` });
  redis.atEnd(() => producer.close());
  await producer.submit('generate', jobData(), { jobId: 'a' });
  assert.equal((await producer.waitForOutcome('a', { untilMs: Date.now() + 30_000 }))?.verdict, 'generated');
});
