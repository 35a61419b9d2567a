import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readComplaint } from '../../src/analysis/read-complaint.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import { reproduce } from '../../src/pipeline/reproduce.ts';
import { probesOf } from '../../src/pipeline/reproduce-probes.ts';
import { caseScenarios } from '../../src/verification/case-scenarios.ts';
import { hangMs, productJob, soundSource } from '../generation/rig.ts';
import { heldTo, recordOf, startWorkbench } from '../generation/workbench.ts';

const bench = await startWorkbench();
after(() => bench.close());

const { signal } = new AbortController();
const inTime = new Deadline(Date.now() + 10 * hangMs, signal);
const job = productJob();
const names = ['status', 'code', 'product', 'messageId'];

async function seen(source: string, complaint: string, deadline = inTime) {
  const record = await recordOf(job, source);
  return reproduce(
    record,
    heldTo(job),
    readComplaint(complaint, names),
    bench.shopWith(),
    bench.ledger(),
    deadline,
    signal,
  );
}

/** The sound module, which answers as given where the condition holds. */
function soundBut(condition: string, does: string): string {
  const line = 'const { messageId } = request;';
  assert.ok(soundSource.includes(line));
  return soundSource.replace(line, `${line}\n  if (${condition}) ${does}`);
}

test('a fault at another place than the one that is complained of is not what was complained of', async () => {
  const source = soundSource.replace('code: 404', "code: '404' as never");
  const at = async (complaint: string) => (await seen(source, complaint)).faults.map(({ pointer }) => pointer);
  assert.deepEqual([...new Set(await at('- `/status/code` is a text'))], ['/status/code']);
  assert.deepEqual(await at('- `/product` is not right'), []);
  assert.ok((await at('- It is all wrong')).includes('/status/code'), 'no place is named: any counts');
});

test('what a broken request lacks, and what comes back as broken as it came, is no fault of ours', async () => {
  const sound = async (complaint: string) => (await seen(soundSource, complaint)).faults;
  assert.deepEqual(await sound('- The messageId is wrong'), []);
  assert.deepEqual(await sound('- All of it. We sent {"action":"getProduct","productId":"P-40921"}'), []);
  const own = soundBut(
    'request.messageId === undefined',
    "return { messageId: 'none', status: { code: 'x' } } as never;",
  );
  const { faults } = await seen(own, '- All of it. We sent {"action":"getProduct","productId":"P-40921"}');
  assert.ok(faults.some(({ pointer }) => pointer === '/status/code'));
});

test('a broken request of our own making shows nothing where the document does not say how those are answered', async () => {
  const source = soundBut(
    "typeof request.productId !== 'string'",
    "return { messageId, status: { code: 'x' } } as never;",
  );
  const places = async (complaint: string) => (await seen(source, complaint)).faults.map(({ pointer }) => pointer);
  assert.deepEqual(await places('- `/status/code` is a text'), []);
  assert.deepEqual(
    [...new Set(await places('- `/status/code` is a text\n{"messageId":"q","action":"getProduct","productId":7}'))],
    ['/status/code'],
    'what the peer sent does',
  );
});

test('what is shown of us is our answer to the first case, but where the complaint quotes what was asked', async () => {
  const first = JSON.stringify(heldTo(job).subject.cases[0]?.request);
  const failure = "{ messageId, status: { code: 404, message: 'Not Found' }, product: null }";
  const knowsOne = soundBut(`JSON.stringify(request) !== '${first}'`, `return ${failure};`);
  const code = async (quoted: string) => {
    const { sent } = await seen(knowsOne, `- \`/product\` is wrong\n${quoted}`);
    return (sent as { status: { code: number } }).status.code;
  };
  assert.equal(await code(''), 200);
  assert.equal(await code(JSON.stringify({ messageId: 'q', action: 'getProduct', productId: 'P-40921' })), 404);
});

test('where time is short, runs beyond the cases end before all were made', async () => {
  const source = soundBut('true', 'for (let step = 0; step < 1e8; step += 1);');
  const complaint = '- `/status/code` is a text';
  const all = caseScenarios(heldTo(job).subject).length + probesOf(heldTo(job), readComplaint(complaint, names)).length;
  bench.disturb(undefined);
  const { faults } = await seen(source, complaint, new Deadline(Date.now(), signal));
  assert.deepEqual(faults, []);
  assert.ok(bench.counts.batches < all, `${bench.counts.batches} of ${all} runs`);
});
