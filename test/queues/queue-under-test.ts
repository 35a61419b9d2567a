import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import {
  type Connection,
  type ConsumerOptions,
  connect,
  createConsumer,
  createProducer,
  DEFAULT_PREFIX,
  disconnect,
  type Envelope,
  type LocalRedisOptions,
  localRedis,
  type Producer,
  QUEUE_NAME,
  type QueueEvent,
} from '../../queues/index.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { errorEnvelope } from '../../src/pipeline/outcome-of.ts';

/** Valid job data. */
export function jobData(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    version: 1,
    negotiationId: 'n-1',
    role: 'provider',
    agreement: { action: 'protocolNegotiation', sequenceId: 1, candidateProtocols: '# X', status: 'accepted' },
    ...more,
  };
}

/** An outcome with the verdict given. */
export function envelope(kind: string, data: unknown, verdict: Envelope['verdict'] = 'generated'): Envelope {
  const messages = [{ action: 'codeGeneration', status: 'generated' }];
  return { ...errorEnvelope(kind, data, { code: 'JOB_X', message: 'x' }), verdict, messages, findings: [] };
}

/** The codes of the findings. */
export function codes(found: { findings: readonly object[] }): unknown[] {
  return found.findings.map((finding) => 'code' in finding && finding.code);
}

/**
 * A real Redis with a producer, a plain connection and the queue as a foreign producer sees it; all are closed after
 * the test.
 */
export async function queueUnderTest(t: TestContext, options: LocalRedisOptions = {}) {
  const redis = await localRedis(options);
  const connection: Connection = connect(redis.url, 'worker');
  const producer: Producer = createProducer({ jobs: jobReader, url: redis.url });
  const queue = new Queue(QUEUE_NAME, { connection, prefix: DEFAULT_PREFIX });
  queue.on('error', () => {});
  const consumers: { close(options?: { drainMs?: number }): Promise<void> }[] = [];
  const events: QueueEvent[] = [];
  const endings: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    await Promise.all(consumers.map((consumer) => consumer.close({ drainMs: 0 })));
    for (const end of endings) await end();
    await queue.close();
    await producer.close();
    await disconnect(connection);
    await redis.close();
  });
  return {
    redis,
    connection,
    producer,
    queue,
    events,
    /** Runs `end` after the test while Redis is still up. */
    atEnd(end: () => Promise<unknown>) {
      endings.push(end);
    },
    /** Starts a consumer, by default one that answers each job with `generated`. */
    async consume(more: Partial<ConsumerOptions> = {}) {
      const consumer = createConsumer({
        jobs: jobReader,
        url: redis.url,
        process: async (delivery) => envelope(delivery.kind, delivery.data),
        onEvent: (event) => events.push(event),
        ...more,
      });
      consumers.push(consumer);
      await consumer.ready();
      return consumer;
    },
    /** Waits for a job's outcome. */
    async outcome(jobId: string, withinMs = 60_000) {
      const found = await producer.waitForOutcome(jobId, { untilMs: Date.now() + withinMs });
      if (found === null) throw new Error(`no outcome of ${jobId} within ${withinMs} ms`);
      return found;
    },
    /** The entries of an outcome stream, as objects. */
    async entries(replyTo = 'default') {
      const entries = await connection.xrange(`${DEFAULT_PREFIX}:outcomes:${replyTo}`, '-', '+');
      return entries.map(([, fields]) => fieldsOf(fields));
    },
  };
}

/** When a job that a worker has was taken, by Redis' clock, which is that of this machine. */
export async function takenAt(connection: Connection, jobId: string): Promise<number> {
  return Number(await connection.hget(`${DEFAULT_PREFIX}:${QUEUE_NAME}:${jobId}`, 'takenAtMs'));
}

/** Asserts that something happened between two moments. Each clock is rounded to a millisecond. */
export function assertBetween(beforeMs: number, atMs: number | undefined, afterMs: number): void {
  assert.ok(atMs !== undefined && atMs >= beforeMs - 2 && atMs <= afterMs + 2, `${beforeMs} ${atMs} ${afterMs}`);
}

/** Waits until a condition holds. */
export async function until<Value>(
  condition: () => Promise<Value | false | null | undefined> | Value | false | null | undefined,
  withinMs = 60_000,
): Promise<Value> {
  const untilMs = Date.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > untilMs) throw new Error(`waited ${withinMs} ms in vain`);
    await sleep(20);
  }
}

/** An object of the flat list of names and values that Redis returns. */
export function fieldsOf(flat: string[]): Record<string, string> {
  const pairs: [string, string][] = [];
  for (let index = 0; index < flat.length; index += 2) pairs.push([flat[index] ?? '', flat[index + 1] ?? '']);
  return Object.fromEntries(pairs);
}
