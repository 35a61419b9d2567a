import { Queue, Worker } from 'bullmq';
import { type Connection, connect, createConsumer, createProducer, disconnect, keysOf } from '../queues/index.ts';
import { readJob } from '../src/intake/read-job.ts';
import { jobReader } from '../src/pipeline/job-reader.ts';
import { errorEnvelope } from '../src/pipeline/outcome-of.ts';

const sizes = { '1 KB': 1_024, '20 KB': 20_480, '200 KB': 204_800 } as const;
const concurrency = 10;
const jobs = 300;

/** A job of about this many bytes. Only the text of its agreement varies. */
function sized(job: { agreement: object }, bytes: number, index: number): object {
  const rest = { ...job, tools: [], testCases: [], negotiationId: `sized-${bytes}-${index}` };
  const room = bytes - JSON.stringify({ ...rest, agreement: { ...job.agreement, candidateProtocols: '' } }).length;
  const candidateProtocols = 'A sentence of the agreement. '.repeat(Math.ceil(room / 29)).slice(0, room);
  return { ...rest, agreement: { ...job.agreement, candidateProtocols } };
}

/**
 * Measures the cost of a job in the queue with our envelope, schemas and publication, and with bare BullMQ and the same
 * data. The jobs do nothing else. Includes the producers.
 */
export async function measureEnvelopes(url: string, job: { agreement: object }): Promise<Record<string, object>> {
  const connection = connect(url, 'worker');
  const rows: Record<string, object> = {};
  try {
    for (const [size, bytes] of Object.entries(sizes)) {
      const data = Array.from({ length: jobs }, (_, index) => sized(job, bytes, index));
      const [withUs, without] = [
        await costOf(connection, () => ours(url, `{ours-${bytes}}`, data)),
        await costOf(connection, () => bare(connection, `bare-${bytes}`, data)),
      ];
      rows[`a job of ${size}`] = {
        'with ours': rounded(withUs),
        'bare BullMQ': rounded(without),
        added: rounded(withUs - without),
        'bytes while it waits': await bytesWaiting(connection, `waiting-${bytes}`, data.slice(0, 50)),
      };
    }
  } finally {
    await disconnect(connection);
  }
  rows['an outcome'] = { 'bytes while it is kept': await meanBytes(url, keysOf().outcome('*')) };
  rows['a handler'] = { 'bytes while it is kept': await meanBytes(url, keysOf().handler('bench*', '*')) };
  return rows;
}

/** CPU time of this process and of Redis for one job, in milliseconds: the lowest of three rounds. */
async function costOf(connection: Connection, round: () => Promise<void>): Promise<number> {
  const found: number[] = [];
  for (let index = 0; index < 3; index += 1) {
    const before = { own: process.cpuUsage(), redis: await redisMs(connection) };
    await round();
    const { user, system } = process.cpuUsage(before.own);
    found.push(((user + system) / 1_000 + (await redisMs(connection)) - before.redis) / jobs);
  }
  return Math.min(...found);
}

async function ours(url: string, prefix: string, data: readonly object[]): Promise<void> {
  let left = data.length;
  const all = Promise.withResolvers<void>();
  const consumer = createConsumer({
    jobs: jobReader,
    url,
    prefix,
    concurrency,
    process: async (delivery) => {
      const reading = readJob(delivery.kind, delivery.data, delivery.rawBytes);
      if (!reading.ok) all.reject(new Error(`Cannot measure envelopes: found ${JSON.stringify(reading.faults)}`));
      left -= 1;
      if (left === 0) all.resolve();
      return errorEnvelope(delivery.kind, delivery.data, { code: 'DEFECT_NO_OUTCOME', message: 'measured' });
    },
  });
  const producer = createProducer({ jobs: jobReader, url, prefix });
  await consumer.ready();
  const mark = `${performance.now()}`.replace('.', '-');
  await inGroups(data, (one, index) => producer.submit('review', one, { jobId: `m-${mark}-${index}` }));
  await all.promise;
  await Promise.all([consumer.close(), producer.close()]);
}

async function bare(connection: Connection, name: string, data: readonly object[]): Promise<void> {
  let left = data.length;
  const all = Promise.withResolvers<void>();
  const queue = new Queue(name, { connection });
  const done = async () => {
    left -= 1;
    if (left === 0) all.resolve();
    return 1;
  };
  const worker = new Worker(name, done, { connection, concurrency, removeOnComplete: { count: 0 } });
  await worker.waitUntilReady();
  await inGroups(data, (one) => queue.add('review', one));
  await all.promise;
  await worker.close();
  await queue.close();
}

/** Runs work in groups, so that no command waits long behind others. */
async function inGroups<One>(all: readonly One[], work: (one: One, index: number) => Promise<unknown>): Promise<void> {
  const size = 25;
  for (let at = 0; at < all.length; at += size)
    await Promise.all(all.slice(at, at + size).map((one, index) => work(one, at + index)));
}

async function bytesWaiting(connection: Connection, name: string, data: readonly object[]): Promise<number> {
  const queue = new Queue(name, { connection });
  const before = await usedBytes(connection);
  for (const one of data) await queue.add('review', one);
  const bytes = Math.round(((await usedBytes(connection)) - before) / data.length);
  await queue.obliterate({ force: true });
  await queue.close();
  return bytes;
}

/** The mean size of a sample of the keys that match a pattern. */
async function meanBytes(url: string, pattern: string): Promise<number> {
  const connection = connect(url, 'worker');
  const sizesFound: number[] = [];
  for (let cursor = '0'; sizesFound.length < 200; ) {
    const [next, keys] = await connection.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
    for (const key of keys) sizesFound.push(Number(await connection.memory('USAGE', key, 'SAMPLES', 0)));
    cursor = next;
    if (cursor === '0') break;
  }
  await disconnect(connection);
  return Math.round(sizesFound.reduce((sum, each) => sum + each, 0) / sizesFound.length);
}

async function usedBytes(connection: Connection): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await connection.info('memory'))?.[1]);
}

async function redisMs(connection: Connection): Promise<number> {
  const text = await connection.info('cpu');
  return [...text.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)].reduce((sum, [, s]) => sum + 1_000 * Number(s), 0);
}

const rounded = (ms: number): number => Math.round(100 * ms) / 100;
