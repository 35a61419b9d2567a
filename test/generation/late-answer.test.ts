import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createLatencyRecord } from '../../src/completion/latency.ts';
import { untilLate, type WaitingClock } from '../../src/generation/late-answer.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import { processBudgetOf } from './rig.ts';

/** The characters a model has written after this many milliseconds, and the length of its answer. */
interface Answer {
  characters: number;
  saidAfter(elapsedMs: number): number;
}

const charactersPerToken = 3.5;
const tickMs = 20;
/** How long the peer waits. */
const timeoutMs = 15_000;

/** An answer that begins after a while and arrives at a steady speed. */
function steady(tokens: number, tokensPerSecond: number, firstPieceMs: number): Answer {
  const characters = Math.round(tokens * charactersPerToken);
  const perMs = (tokensPerSecond * charactersPerToken) / 1_000;
  const saidAfter = (elapsedMs: number) =>
    Math.max(0, Math.min(characters, Math.floor((elapsedMs - firstPieceMs) * perMs)));
  return { characters, saidAfter };
}

const silent: Answer = { characters: 1, saidAfter: () => 0 };

/** A worker with a fake clock that runs one job after the other, each with a sound first answer. */
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
    /** Runs a job; resolves to the time of the second question, in milliseconds since the first one, or `null`. */
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

/** From 300 to 900, shuffled. */
const tokensOf = (nth: number) => 300 + ((nth * 137) % 601);

/** From 0.3 to 0.9 seconds, shuffled. */
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

/** A worker that knows the model's speed. */
async function warmWorker(tokensPerSecond = 60) {
  const worker = startWorker();
  for (let nth = 0; nth < 12; nth += 1) await worker.play(steady(tokensOf(nth), tokensPerSecond, beginningOf(nth)));
  return worker;
}

for (const [what, answer] of [
  ['says nothing', silent],
  ['comes at a tenth of the speed', steady(900, 6, 400)],
  ['stops after a few words', { characters: 1_000, saidAfter: (ms) => (ms < 500 ? 0 : 40) }],
] satisfies [string, Answer][])
  test(`when a first answer ${what}, a second one is requested while it can still finish in time`, async () => {
    const worker = await warmWorker();
    const medianMs = worker.record.speed()?.medianMs ?? Number.NaN;
    const secondAtMs = await worker.play(answer);
    assert.ok(secondAtMs !== null && secondAtMs + medianMs < 15_000, String(secondAtMs));
  });

test('for a silent first answer, a second one is requested even if the speed is unknown', async () => {
  const secondAtMs = await startWorker().play(silent);
  assert.ok(secondAtMs !== null && secondAtMs <= 7_600, String(secondAtMs));
});

test('for an endless first answer, a second one is requested, however fast it arrives', async () => {
  const worker = await warmWorker(200);
  const secondAtMs = await worker.play(steady(9_000, 200, 400));
  assert.ok(secondAtMs !== null && secondAtMs < 10_000, String(secondAtMs));
});

test('a second answer that would come too late is not requested', async () => {
  const worker = await warmWorker();
  const medianMs = worker.record.speed()?.medianMs ?? Number.NaN;
  // Stops midway: late after twice its expected time.
  const halts: Answer = { characters: 5_000, saidAfter: (ms) => Math.min(1_200, steady(900, 60, 400).saidAfter(ms)) };
  assert.ok(15_000 - medianMs < 7_000);
  assert.equal(await worker.play(halts), null);
});

test('when all jobs meet silence at once, some may hedge in advance, and later jobs pay for that', async () => {
  const worker = await warmWorker();
  const jobs = 200;
  let seconds = 0;
  // Longer silence than ever before, then an answer after all: no right to hedge is returned.
  for (let nth = 0; nth < jobs; nth += 1) if ((await worker.play(silent)) !== null) seconds += 1;
  assert.ok(seconds > jobs / 5 && seconds <= jobs / 5 + 10, String(seconds));
});
