import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createLatencyRecord } from '../../src/completion/latency.ts';
import { untilLate, type WaitingClock } from '../../src/generation/late-answer.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import { processBudgetOf } from './rig.ts';

/** How much a model has said, so many milliseconds after the question, and how much that will be. */
interface Answer {
  characters: number;
  saidAfter(elapsedMs: number): number;
}

const charactersPerToken = 3.5;
const tickMs = 20;
/** How long the peer waits. */
const timeoutMs = 15_000;

/** An answer that begins after a while and goes on at a steady pace. */
function steady(tokens: number, tokensPerSecond: number, firstPieceMs: number): Answer {
  const characters = Math.round(tokens * charactersPerToken);
  const perMs = (tokensPerSecond * charactersPerToken) / 1_000;
  const saidAfter = (elapsedMs: number) =>
    Math.max(0, Math.min(characters, Math.floor((elapsedMs - firstPieceMs) * perMs)));
  return { characters, saidAfter };
}

const silent: Answer = { characters: 1, saidAfter: () => 0 };

/** A worker with a clock that goes only as told: one job after the other, each with a first answer, which is sound. */
function startWorker() {
  const record = createLatencyRecord();
  const processBudget = processBudgetOf();
  let nowMs = 0;
  let sleepers: { atMs: number; wake: () => void }[] = [];
  const clock: WaitingClock = {
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((wake, reject) => {
        sleepers.push({ atMs: nowMs + ms, wake });
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  };
  return {
    record,
    processBudget,
    /** Plays a job; resolves to when a second answer was asked for, in milliseconds since the first was, or `null`. */
    async play(answer: Answer): Promise<number | null> {
      const startMs = nowMs;
      const answered = new AbortController();
      const over = new AbortController();
      const first = { characters: 0, answered: answered.signal, over: over.signal };
      const peerDeadline = new Deadline(startMs + timeoutMs, over.signal, () => nowMs);
      let secondAtMs: number | null = null;
      processBudget.noteFirst();
      void untilLate({ completer: record, processBudget }, peerDeadline, first, clock).then(() => {
        secondAtMs ??= nowMs - startMs;
      });
      let firstPieceMs: number | undefined;
      while (first.characters < answer.characters && nowMs < startMs + 2 * timeoutMs) {
        nowMs += tickMs;
        first.characters = answer.saidAfter(nowMs - startMs);
        if (first.characters > 0) firstPieceMs ??= nowMs - startMs;
        const due = sleepers.filter(({ atMs }) => atMs <= nowMs);
        sleepers = sleepers.filter(({ atMs }) => atMs > nowMs);
        for (const { wake } of due) wake();
        if (due.length > 0) await setImmediate();
      }
      answered.abort();
      over.abort();
      await setImmediate();
      sleepers = [];
      if (firstPieceMs !== undefined)
        record.add({ durationMs: nowMs - startMs, firstPieceMs, characters: first.characters });
      return secondAtMs;
    },
  };
}

/** From 300 to 900, in no order. */
const tokensOf = (nth: number) => 300 + ((nth * 137) % 601);

/** From 0.3 to 0.9 seconds, in no order. */
const beginningOf = (nth: number) => 300 + ((nth * 71) % 601);

for (const tokensPerSecond of [20, 60, 200, 2_000])
  test(`a steady model of ${tokensPerSecond} tokens a second is asked once`, async () => {
    const worker = startWorker();
    const jobs = 60;
    let questions = 0;
    for (let nth = 0; nth < jobs; nth += 1) {
      const second = await worker.play(steady(tokensOf(nth), tokensPerSecond, beginningOf(nth)));
      questions += second === null ? 1 : 2;
    }
    assert.equal(questions, jobs);
  });

/** A worker that knows its model. */
async function warmWorker(tokensPerSecond = 60) {
  const worker = startWorker();
  for (let nth = 0; nth < 12; nth += 1) await worker.play(steady(tokensOf(nth), tokensPerSecond, beginningOf(nth)));
  return worker;
}

for (const [what, answer] of [
  ['says nothing', silent],
  ['comes at a tenth of the pace', steady(900, 6, 400)],
  ['stops after a few words', { characters: 1_000, saidAfter: (ms) => (ms < 500 ? 0 : 40) }],
] satisfies [string, Answer][])
  test(`a first answer that ${what} has company while another can still end in time`, async () => {
    const worker = await warmWorker();
    const medianMs = worker.record.speed()?.medianMs ?? Number.NaN;
    const secondAtMs = await worker.play(answer);
    assert.ok(secondAtMs !== null && secondAtMs + medianMs < 15_000, String(secondAtMs));
  });

test('a first answer that says nothing has company also where the speed is not known', async () => {
  const secondAtMs = await startWorker().play(silent);
  assert.ok(secondAtMs !== null && secondAtMs <= 7_600, String(secondAtMs));
});

test('a first answer that goes on without end has company, however fast it comes', async () => {
  const worker = await warmWorker(200);
  const secondAtMs = await worker.play(steady(9_000, 200, 400));
  assert.ok(secondAtMs !== null && secondAtMs < 10_000, String(secondAtMs));
});

test('no second answer is asked for that would come too late', async () => {
  const worker = await warmWorker();
  const medianMs = worker.record.speed()?.medianMs ?? Number.NaN;
  // Halts midway: late when it is twice as long under way as it should be.
  const halts: Answer = { characters: 5_000, saidAfter: (ms) => Math.min(1_200, steady(900, 60, 400).saidAfter(ms)) };
  assert.ok(15_000 - medianMs < 7_000);
  assert.equal(await worker.play(halts), null);
});

test('a silence of all jobs at once is met for some of them in advance, and no more than they pay for is asked twice after that', async () => {
  const worker = await warmWorker();
  const jobs = 200;
  let seconds = 0;
  // Silent for longer than ever, then an answer after all: nothing is given back.
  for (let nth = 0; nth < jobs; nth += 1) if ((await worker.play(silent)) !== null) seconds += 1;
  assert.ok(seconds > jobs / 5 && seconds <= jobs / 5 + 10, String(seconds));
});
