import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndedJob } from '../../../queues/index.ts';
import { MINUTES, OutcomeMinutes } from '../../../src/operator/console/outcome-minutes.ts';

const minuteMs = 60_000;
const startMs = 1_000 * minuteMs;

const ended = (atMs: number, verdict: string, codes: string[] = []): EndedJob => ({
  jobId: `j-${atMs}`,
  kind: 'generate',
  negotiationId: null,
  tenant: null,
  verdict,
  codes,
  replyTo: 'default',
  endedAtMs: atMs,
});

/** The list of ended jobs as Redis keeps it. */
const listOf = (jobs: EndedJob[]) =>
  async function* (sinceMs: number) {
    yield* jobs.filter(({ endedAtMs }) => endedAtMs >= sinceMs).reverse();
  };

test('outcomes from before the first look are counted by minute; none is counted twice', async () => {
  const jobs = [
    ended(startMs - MINUTES * minuteMs, 'generated'),
    ended(startMs - 3 * minuteMs, 'error', ['A', 'B']),
    ended(startMs - 3 * minuteMs + 1, 'error', ['A']),
    ended(startMs, 'generated'),
  ];
  const minutes = new OutcomeMinutes();
  await minutes.look(listOf(jobs), startMs + 1_000);
  jobs.push(ended(startMs + 2_000, 'generated'));
  await minutes.look(listOf(jobs), startMs + 3_000);
  const verdicts = minutes.lines('verdicts');
  assert.deepEqual(
    verdicts.map(({ name, shown, tone }) => [name, shown, tone]),
    [
      ['error', 2, 'bad'],
      ['generated', 2, 'good'],
    ],
  );
  assert.equal(verdicts[0]?.values.length, MINUTES);
  assert.deepEqual([verdicts[0]?.values.at(-4), verdicts[1]?.values.at(-1)], [2, 2]);
  assert.deepEqual(
    minutes.lines('codes').map(({ name, shown }) => [name, shown]),
    [
      ['A', 2],
      ['B', 1],
    ],
  );
  jobs.push(ended(startMs + 2 * minuteMs, 'disputed'));
  await minutes.look(listOf(jobs), startMs + (MINUTES - 2) * minuteMs);
  assert.deepEqual(
    minutes.lines('verdicts').map(({ name, shown }) => [name, shown]),
    [
      ['generated', 2],
      ['disputed', 1],
    ],
    'what is older than thirty minutes is forgotten',
  );
});

test('a look that fails changes nothing', async () => {
  const minutes = new OutcomeMinutes();
  await minutes.look(listOf([ended(startMs, 'clean')]), startMs);
  const failing = async function* (): AsyncGenerator<EndedJob> {
    yield ended(startMs, 'clean');
    throw new Error('away');
  };
  await assert.rejects(minutes.look(failing, startMs + 1_000), /away/);
  assert.deepEqual(
    minutes.lines('verdicts').map(({ shown }) => shown),
    [1],
  );
});
