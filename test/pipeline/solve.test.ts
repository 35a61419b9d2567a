import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Model } from '../../src/completion/create-model.ts';
import type { HandlerStore } from '../../src/contract/ports.ts';
import { solve } from '../../src/generation/solve.ts';
import { EarlyEnd } from '../../src/job/conclusion.ts';
import type { Received } from '../../src/job/received.ts';
import type { Services } from '../../src/job/services.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import { JUDGE_SYSTEM_PROMPT } from '../../src/prompting/judge-prompt.ts';
import { hangMs, module, processBudgetOf, productJob, soundSource, withCaseText } from '../generation/rig.ts';
import { heldTo, startWorkbench } from '../generation/workbench.ts';

const bench = await startWorkbench();
after(() => bench.close());

const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costUsd: null };
const never = new AbortController().signal;

/** Case 2 asks for 410 where the document says 404. */
const wrongCase = withCaseText(productJob(), (text) =>
  text.replace('"code": 404', '"code": 410').replaceAll('404', '410'),
);

/** Generates for the wrong case, under a lease with this signal; records the questions asked. */
async function solved(deadline: Deadline, lease: AbortSignal, complete: Model['complete']) {
  const once: HandlerStore['once'] = async (_tenant, _key, turn) => turn.work(lease);
  const services: Services = {
    ...bench.servicesWith(),
    model: 'm',
    completer: { generator: 'scripted', speed: () => null, complete, other: { complete } },
    handlers: { once } as Partial<HandlerStore> as HandlerStore,
    limits: { maxCandidates: 6, maxCompletions: 8, maxTokens: null, maxCostUsd: null },
    spending: { of: async () => ({}), note: () => undefined },
    unanswered: { of: async () => [], keep: async () => undefined },
    processBudget: processBudgetOf(),
  };
  const received = {
    jobId: 'j',
    peerDeadline: deadline,
    workDeadline: new Deadline(Date.now() + hangMs, never),
  } as Received;
  return solve(heldTo(wrongCase), received, services, bench.ledger());
}

test('after the peer’s deadline candidates are written, but no judge is asked', async () => {
  const systems: string[] = [];
  const passed = new Deadline(0, AbortSignal.abort(new DOMException('the time is up', 'TimeoutError')));
  const working = solved(passed, never, async ({ system }) => {
    systems.push(system);
    return { text: module(soundSource).text, model: 'm', usage, durationMs: 1 };
  });
  await assert.rejects(working, (error) => error instanceof EarlyEnd && error.conclusion.verdict === 'error');
  assert.ok(systems.length >= 3);
  assert.ok(!systems.includes(JUDGE_SYSTEM_PROMPT));
});

test('a generation whose lease is lost is aborted', async () => {
  const lost = new AbortController();
  const reason = new Error('the lease is lost');
  const inTime = new Deadline(Date.now() + hangMs, never);
  const working = solved(inTime, lost.signal, (_, { signal }) => {
    const calledOff = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    lost.abort(reason);
    return calledOff;
  });
  await assert.rejects(working, reason);
});
