import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { redisServerPath } from '../../queues/index.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import type { Concern, ConcernCode } from '../../src/operator/situation/concerns.ts';
import type { Behaviour } from '../../src/scripted-model/server.ts';
import { commandHere } from './command-here.ts';
import { soundReply, startRig, until } from './harness.ts';

/** Why these tests are skipped; `false` where they run. */
export const skip = redisServerPath() === undefined ? 'needs a real redis-server to kill, fill or forbid' : false;
/** A job that waits longer than any fault lasts here. */
export const patient: JsonObject = { timeoutMs: 300_000 };
/** The answer of a model that works. */
export const sound: Behaviour = { kind: 'reply', text: soundReply };
/** The answer of a model whose handler kills its sandbox. */
export const killer =
  '```ts\nexport function handle(): never {\n  return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 } as never, 1) as never;\n}\n```';
/** What a worker asks to learn whether an endpoint still refuses. */
export const probe = 'Say: ready';

/** A rig whose workers are warm: the sandbox and the compiler run. */
export async function warmRig(t: TestContext, settings: Record<string, string> = {}) {
  const rig = await startRig();
  t.after(() => rig.close());
  const worker = await rig.worker(settings);
  return { rig, worker };
}

/** The state of an installation as `status` tells it. */
export async function statusOf(url: string) {
  const { code, stdout, stderr } = await commandHere(['status', '--json'], { environment: { REDIS_URL: url } });
  return { code, stderr, concerns: JSON.parse(stdout).concerns as Concern[] };
}

/**
 * Waits until `status` names a fault with this code and cause, with its cost and remedy, and prints how long that
 * took. The line for a person must say the same.
 */
export async function named(
  url: string,
  fault: string,
  code: ConcernCode,
  cause: RegExp,
  sinceMs = Date.now(),
): Promise<Concern> {
  let last: Concern[] = [];
  let text = '';
  // A call that was asked before a fault may end well after it, and hide it for a moment: both must name it in a row.
  const found = await until(async () => {
    last = (await statusOf(url)).concerns;
    const concern = last.find((one) => one.code === code && cause.test(one.cause));
    if (concern === undefined) return null;
    text = (await commandHere(['status'], { environment: { REDIS_URL: url } })).stdout;
    const lines = text.split('\n').filter((line) => line.startsWith('! ') && cause.test(line));
    return lines.some((line) => line.includes('; costs: ') && line.includes('; mend: ')) ? concern : null;
  }, `status to name ${fault} as ${code}`).catch((error: Error) => {
    throw new Error(`${error.message}; it named ${JSON.stringify(last, null, 1)}, and said ${text}`);
  });
  console.log(`named: ${fault}; code: ${code}; after: ${Date.now() - sinceMs} ms; cause: ${found.cause}`);
  assert.ok(found.cost.length > 5 && found.remedy.length > 5, JSON.stringify(found));
  assert.doesNotMatch(text, /[^\P{C}\n]/u);
  return found;
}

/** Waits until `status` names a concern no more: none with this code and cause. */
export async function gone(url: string, code: ConcernCode, cause = /^/): Promise<void> {
  const isThere = (concern: Concern) => concern.code === code && cause.test(concern.cause);
  await until(async () => !(await statusOf(url)).concerns.some(isThere), `${code} to end`);
}
