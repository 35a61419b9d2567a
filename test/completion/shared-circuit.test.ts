import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connect, disconnect, Endpoints, keysOf, localRedis } from '../../queues/index.ts';
import { CompletionError } from '../../src/completion/completion-error.ts';
import {
  type Circuits,
  patientCoolDown,
  watchCircuits,
  withSharedCircuit,
} from '../../src/completion/shared-circuit.ts';
import type { Completer, Prompt } from '../../src/contract/completion.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import { until } from '../system/harness.ts';

const redis = await localRedis();
const connections = [connect(redis.url, 'worker'), connect(redis.url, 'worker')] as const;
after(async () => {
  await Promise.all(connections.map((connection) => disconnect(connection)));
  await redis.close();
});

const policy = { failures: 3, windowMs: 600_000, openMs: 600_000 };
const [one, other] = connections.map((connection) => new Endpoints(connection, keysOf(), policy)) as [
  Endpoints,
  Endpoints,
];
/** Makes the time pass for which the circuits of an endpoint are open. */
const halfOpen = async (endpoint: string) => {
  await connections[0].del(keysOf().circuit(endpoint, 'open'));
  assert.equal((await one.circuitOf(endpoint)).state, 'half-open');
};
const prompt: Prompt = { system: '', turns: [] };
const deadline = () => new Deadline(Date.now() + 30_000, new AbortController().signal);

/** A completer whose next answers are given: a failure's code, or `null` for an answer. */
function scripted(answers: (string | null)[]): Completer & { asked: number } {
  const completer = {
    generator: 'scripted' as const,
    asked: 0,
    complete: async () => {
      completer.asked += 1;
      const code = answers.shift() ?? null;
      if (code !== null) throw new CompletionError(code as 'PLATFORM_MODEL_STALLED', 'Cannot complete prompt: as told');
      const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: null };
      return { text: '', model: 'm', usage, durationMs: 0 };
    },
  };
  return completer;
}

test('how a question is asked is passed on', async () => {
  const options = { answer: 'text' as const };
  const asked: unknown[] = [];
  const completer = scripted([]);
  const complete: Completer['complete'] = (...question) => {
    asked.push(question[2]);
    return completer.complete(...question);
  };
  await withSharedCircuit({ ...completer, complete }, one, 'options').complete(prompt, deadline(), options);
  assert.deepEqual(asked, [options]);
});

test('a question that was given no leave tells nothing of its endpoint', async () => {
  const told: string[] = [];
  const note = (name: string) => async () => void told.push(name);
  const circuits: Circuits = {
    admit: async () => true,
    circuitOf: async () => ({ state: 'closed', untilMs: 0 }),
    noteFailure: note('failure'),
    noteRefusal: note('refusal'),
    noteSuccess: note('success'),
    release: note('release'),
  };
  const complete = () => Promise.reject(new Error('used up'));
  const guarded = withSharedCircuit({ generator: 'scripted', complete }, circuits, 'leave');
  await assert.rejects(guarded.complete(prompt, deadline()), /used up/);
  assert.deepEqual(told, ['release']);
});

const down = 'PLATFORM_MODEL_UNAVAILABLE';
/** Of one worker or of several: the message claims no more than is known. */
const open = { code: 'PLATFORM_MODEL_CIRCUIT_OPEN', message: /the endpoint failed several times in a row/ };

test('failures of all workers together open the circuit for all of them, and one call at a time looks whether it is back', async () => {
  const broken = scripted([down, down, down]);
  const here = withSharedCircuit(broken, one, 'together');
  for (let nth = 0; nth < 2; nth += 1) await assert.rejects(here.complete(prompt, deadline()), { code: down });
  const healthy = scripted([down]);
  const there = withSharedCircuit(healthy, other, 'together');
  await assert.rejects(there.complete(prompt, deadline()), { code: down });
  for (const each of [here, there]) {
    await assert.rejects(each.complete(prompt, deadline()), (error: CompletionError) => {
      assert.equal(error.code, open.code);
      assert.match(error.message, open.message);
      assert.ok((error.retryAfterMs ?? 0) > 0);
      return true;
    });
  }
  assert.deepEqual([broken.asked, healthy.asked], [2, 1]);

  await halfOpen('together');
  await there.complete(prompt, deadline());
  assert.equal((await one.circuitOf('together')).state, 'closed');
});

test('an endpoint that refuses is up: a rate limit neither opens its circuit nor keeps it half-open', async () => {
  const limited = withSharedCircuit(scripted(Array(9).fill('PLATFORM_MODEL_RATE_LIMITED')), one, 'limited');
  for (let nth = 0; nth < 5; nth += 1)
    await assert.rejects(limited.complete(prompt, deadline()), { code: 'PLATFORM_MODEL_RATE_LIMITED' });
  assert.equal((await one.circuitOf('limited')).state, 'closed');

  for (let nth = 0; nth < policy.failures; nth += 1) await one.noteFailure('limited');
  await halfOpen('limited');
  await assert.rejects(limited.complete(prompt, deadline()), { code: 'PLATFORM_MODEL_RATE_LIMITED' });
  assert.equal((await one.circuitOf('limited')).state, 'closed');
});

test('calls that were called off say nothing of the endpoint', async () => {
  const calledOff = withSharedCircuit(scripted(Array(9).fill('PLATFORM_MODEL_ABORTED')), one, 'called off');
  for (let nth = 0; nth < 5; nth += 1)
    await assert.rejects(calledOff.complete(prompt, deadline()), { code: 'PLATFORM_MODEL_ABORTED' });
  assert.equal((await one.circuitOf('called off')).state, 'closed');
});

test('a call that was called off gives the one try of a half-open circuit to another', async () => {
  for (let nth = 0; nth < policy.failures; nth += 1) await one.noteFailure('given back');
  await halfOpen('given back');
  const calledOff = withSharedCircuit(scripted(['PLATFORM_MODEL_ABORTED']), one, 'given back');
  await assert.rejects(calledOff.complete(prompt, deadline()), { code: 'PLATFORM_MODEL_ABORTED' });
  // What another holds is not given back.
  assert.equal(await other.admit('given back'), true);
  await one.release('given back');
  assert.equal(await one.admit('given back'), false);
});

test('it is told once that no endpoint is left, and once that one is back', async (t) => {
  const told: string[] = [];
  const watch = watchCircuits(one, ['first', 'second'], {
    opened: () => told.push('opened'),
    closed: () => told.push('closed'),
  });
  t.after(() => watch.close());
  for (let nth = 0; nth < policy.failures; nth += 1) await one.noteFailure('first');
  watch.look();
  await one.noteFailure('second');
  assert.deepEqual(told, []);
  for (let nth = 1; nth < policy.failures; nth += 1) await one.noteFailure('second');
  await until(async () => {
    watch.look();
    return told.length === 1;
  });
  watch.look();
  await one.noteSuccess('second');
  await until(() => told.length === 2);
  assert.deepEqual(told, ['opened', 'closed']);
});

test('a shared memory that does not answer holds nobody up', async () => {
  const never = () => new Promise<never>(() => undefined);
  const silent: Circuits = {
    admit: never,
    circuitOf: never,
    noteFailure: never,
    noteRefusal: never,
    noteSuccess: never,
    release: never,
  };
  await withSharedCircuit(scripted([null]), silent, 'x').complete(prompt, deadline());
  const coolDown = patientCoolDown({ until: never, set: () => Promise.reject(new Error('away')) });
  assert.equal(await coolDown.until('x'), 0);
  await coolDown.set('x', 1);
  assert.equal(await coolDown.until('x'), 1, 'what this process was told');
});

const refusedKey = 'OPERATOR_MODEL_AUTH';

test('an endpoint that refuses the key gets no further question, and each call names the refusal', async () => {
  const refusing = scripted(Array(9).fill(refusedKey));
  const guarded = withSharedCircuit(refusing, one, 'refusing');
  await assert.rejects(guarded.complete(prompt, deadline()), { code: refusedKey });
  await until(async () => (await one.circuitOf('refusing')).state === 'open');
  const asked = refusing.asked;
  assert.equal(asked, 2, 'the question, and a small one that tells whether it is the question’s fault');
  const there = withSharedCircuit(scripted([]), other, 'refusing');
  await assert.rejects(there.complete(prompt, deadline()), {
    code: refusedKey,
    message: /Cannot complete prompt: as told/,
  });
  assert.deepEqual((await one.faults()).find(({ endpoint }) => endpoint === 'refusing')?.fault?.refused, true);
  const { sinceMs } = (await one.circuitOf('refusing')).fault ?? assert.fail();

  await halfOpen('refusing');
  await guarded.probe();
  const again = await one.circuitOf('refusing');
  assert.deepEqual([again.state, again.fault?.sinceMs, refusing.asked], ['open', sinceMs, asked + 1]);
  await halfOpen('refusing');
  await there.probe();
  assert.equal((await one.circuitOf('refusing')).state, 'closed');
  assert.equal((await one.failing()).includes('refusing'), false);
});

test('a refusal that concerns one question alone holds nobody', async () => {
  const alone = scripted([refusedKey, null]);
  await assert.rejects(withSharedCircuit(alone, one, 'alone').complete(prompt, deadline()), { code: refusedKey });
  await until(() => alone.asked === 2);
  await withSharedCircuit(scripted([null]), other, 'alone').complete(prompt, deadline());
  assert.equal((await one.circuitOf('alone')).state, 'closed');
});

test('a refusal holds nobody where the small question fails in another way', async () => {
  const strained = scripted([refusedKey, down, refusedKey, 'PLATFORM_MODEL_TIMEOUT']);
  const guarded = withSharedCircuit(strained, one, 'strained');
  for (const asked of [2, 4]) {
    await assert.rejects(guarded.complete(prompt, deadline()), { code: refusedKey });
    await until(() => strained.asked === asked);
  }
  await withSharedCircuit(scripted([null]), other, 'strained').complete(prompt, deadline());
  assert.equal((await one.circuitOf('strained')).state, 'closed');
});

test('an account without credit is believed at once: a small question may be within it', async () => {
  const poor = scripted(['OPERATOR_MODEL_QUOTA', null]);
  await assert.rejects(withSharedCircuit(poor, one, 'poor').complete(prompt, deadline()), {
    code: 'OPERATOR_MODEL_QUOTA',
  });
  assert.deepEqual([(await one.circuitOf('poor')).state, poor.asked], ['open', 1]);
});

test('the first failure that opened a circuit is named where the circuit is', async () => {
  const broken = withSharedCircuit(scripted([down, 'PLATFORM_MODEL_STALLED', down]), one, 'named');
  for (let nth = 0; nth < 3; nth += 1) await assert.rejects(broken.complete(prompt, deadline()));
  await assert.rejects(broken.complete(prompt, deadline()), {
    code: 'PLATFORM_MODEL_CIRCUIT_OPEN',
    message: /first PLATFORM_MODEL_UNAVAILABLE: Cannot complete prompt: as told/,
  });
});

test('an endpoint that refuses is probed, and not left before it answers; one that is down is tried by a job', async (t) => {
  const told: unknown[] = [];
  const watch = watchCircuits(one, ['watched'], {
    opened: (fault) => told.push(fault?.code),
    closed: () => told.push('closed'),
    probe: async () => void told.push('probed'),
  });
  t.after(() => watch.close());
  await one.noteRefusal('watched', { code: refusedKey, message: 'x' });
  watch.look();
  await until(() => told.length === 1);
  await halfOpen('watched');
  await until(() => told.length > 1);
  await one.noteSuccess('watched');
  await until(() => told.includes('closed'));
  assert.deepEqual([...new Set(told)], [refusedKey, 'probed', 'closed']);
});
