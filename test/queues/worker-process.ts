/**
 * A worker process that tests kill: it answers each job as the job's name says. argv: Redis URL, lock in ms, interval
 * of the search for stalled jobs in ms, clock offset in ms.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createConsumer } from '../../queues/index.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { envelope } from './queue-under-test.ts';

const [url = '', lock = '1000', stalled = '500', clockOff = '0'] = process.argv.slice(2);

if (clockOff !== '0') {
  const now = Date.now.bind(Date);
  Date.now = () => now() + Number(clockOff);
}

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

const retried = new Set<string>();

const consumer = createConsumer({
  jobs: jobReader,
  url,
  lockDurationMs: Number(lock),
  stalledIntervalMs: Number(stalled),
  onEvent: (event) => say(event),
  async process(delivery, signal) {
    const { jobId, kind, data, takenAtMs, publishNow } = delivery;
    say({ event: 'work', jobId, kind, sinceTakenMs: Date.now() - takenAtMs });
    const outcome = envelope(kind, data);
    // The name says what happens to the worker.
    if (jobId.endsWith('announced')) {
      const messages = [{ action: 'fixErrorNegotiation', status: 'accepted' }];
      await delivery.announceEarly({ negotiationId: 'n-1', messages, protocolHash: 'h' });
    }
    if (jobId.startsWith('poison')) process.kill(process.pid, 'SIGKILL');
    if (jobId.startsWith('die-after-publication')) {
      await publishNow(outcome);
      process.kill(process.pid, 'SIGKILL');
    }
    if (jobId.startsWith('retry') && !retried.has(jobId)) {
      retried.add(jobId);
      throw Object.assign(new Error('once'), {
        code: 'PLATFORM_ONCE',
        retryAfterMs: Number(/^retry(\d+)/.exec(jobId)?.[1] ?? 1_000),
      });
    }
    const workMs = Number(/-(\d+)ms/.exec(jobId)?.[1] ?? 0);
    if (jobId.startsWith('deaf')) {
      await sleep(workMs);
      await publishNow(outcome);
      return undefined;
    }
    await sleep(workMs, undefined, { signal });
    return outcome;
  },
});

process.once('SIGTERM', async () => {
  const drainMs = Number(process.env.DRAIN_MS ?? 10_000);
  await consumer.close({ drainMs });
  // Nothing keeps the process alive.
  say({ event: 'closed' });
});

await consumer.ready();
say({ event: 'ready' });
