import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readComplaint } from '../../src/documents/read-complaint.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { reproduce } from '../../src/kinds/reproduce.ts';
import { probesOf } from '../../src/kinds/reproduce-probes.ts';
import { caseScenarios } from '../../src/verification/case-scenarios.ts';
import { hangMs, productJob, soundSource, withCaseText } from '../generation/rig.ts';
import { heldTo, recordOf, startWorkbench } from '../generation/workbench.ts';

const bench = await startWorkbench();
after(() => bench.close());

const { signal } = new AbortController();
const inTime = new Deadline(Date.now() + 10 * hangMs, signal);
const job = productJob();
const names = ['status', 'code', 'product', 'messageId'];

async function seen(source: string, complaint: string, deadline = inTime, data: JsonObject = job) {
  const record = await recordOf(data, source);
  return reproduce(
    record,
    heldTo(data),
    readComplaint(complaint, names),
    bench.servicesWith(),
    bench.ledger(),
    deadline,
    signal,
  );
}

/** The sound module with an early answer where the condition holds. */
function soundBut(condition: string, does: string, then = ''): string {
  const line = 'const { messageId } = request;';
  assert.ok(soundSource.includes(line));
  return soundSource.replace(line, `${line}\n  if (${condition}) ${does}\n${then}`);
}

/** Rejects a request without its product id. */
const refusing =
  "  if (typeof request.productId !== 'string') return { messageId, status: { code: 400, message: 'Bad Request' }, product: null };";

test('a fault at another place does not confirm the complaint', async () => {
  const source = soundSource.replace('code: 404', "code: '404' as never");
  const at = async (complaint: string) => (await seen(source, complaint)).faults.map(({ pointer }) => pointer);
  assert.deepEqual([...new Set(await at('- `/status/code` is a text'))], ['/status/code']);
  assert.deepEqual(await at('- `/product` is not right'), []);
  assert.ok((await at('- It is all wrong')).includes('/status/code'), 'no place is named: any counts');
});

test('what a broken request lacks, and invalid values that it repeats, are no faults of ours', async () => {
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

test('a generated broken request proves nothing where the document does not say how to answer it', async () => {
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

test('values that a complaint mentions without quoting a message are tried as well, and their ids are checked', async () => {
  const places = async (source: string, complaint: string) =>
    (await seen(source, complaint)).faults.map(({ pointer }) => pointer);
  const broken = soundBut(
    "request.productId === 'P-55100'",
    "return { messageId, status: { code: 'x', message: '' }, product: null } as never;",
  );
  assert.deepEqual(await places(broken, '- status.code is a text for P-55100.'), ['/status/code']);
  assert.deepEqual(await places(broken, '- status.code is a text for P-55200.'), []);
  const short = soundSource.replace(
    'const { messageId } = request;',
    'const messageId = request.messageId.slice(0, 8);',
  );
  assert.ok((await places(short, '- messageId is cut, as "conv-2026-01"')).includes('/messageId'));
});

test('values of other tool examples are tried as well', async () => {
  const [tool] = job.tools as [JsonObject & { examples: Json[] }];
  const other = {
    input: { productId: 'P-77000' },
    output: { productId: 'P-77000', name: 'Pan', price: 999, currency: 'EUR' },
  };
  const data = { ...job, tools: [{ ...tool, examples: [...tool.examples, other] }] };
  const source = soundSource.replace(
    'price: product.price',
    "price: product.price > 900 ? 'much' : product.price as never",
  );
  const complaint = '- product.price is a text';
  const { faults } = await seen(source, complaint, inTime, data);
  assert.deepEqual([...new Set(faults.map(({ pointer }) => pointer))], ['/product/price']);
  assert.deepEqual((await seen(source, complaint)).faults, []);
});

/** The job with a case that rejects a request without its product id. */
function withRefusal(candidateProtocols = String(job.agreement.candidateProtocols)): JsonObject {
  const request = { messageId: 'm-7003', action: 'getProduct' };
  const response = { messageId: 'm-7003', status: { code: 400, message: 'Bad Request' }, product: null };
  const third = `# Test Case 3\n\n- **Test Request Data**:\n${JSON.stringify(request)}\n\n- **Test Response Data**:\n${JSON.stringify(response)}\n\n- **Expected Test Result**:\nRefused, 400.\n`;
  return {
    ...withCaseText(job, (text) => `${text}\n\n${third}`),
    agreement: { ...job.agreement, candidateProtocols },
  };
}

test('no answer to a broken request is a fault where a case rejects one, and so is an answer without a nullable member', async () => {
  const silent = soundBut(
    "typeof request.productId !== 'string' && messageId !== 'm-7003'",
    "throw new Error('no id');",
    refusing,
  );
  const asked = '- It is wrong\n{"messageId":"q","action":"getProduct"}';
  const told = (more: (document: string) => string): JsonObject => ({
    ...job,
    agreement: { ...job.agreement, candidateProtocols: more(String(job.agreement.candidateProtocols)) },
  });
  const answered = withRefusal();
  assert.deepEqual((await seen(silent, asked)).faults, []);
  assert.match(String((await seen(silent, asked, inTime, answered)).faults[0]?.message), /no answer/);

  const lacking = soundBut(
    'request.messageId === undefined',
    "return { status: { code: 400, message: '' }, product: null } as never;",
  );
  const without = '- It is wrong\n{"action":"getProduct","productId":"P-40921"}';
  const nullable = told((text) => {
    const at = text.lastIndexOf('"messageId": {');
    return text.slice(0, at) + text.slice(at).replace('"type": "string"', '"type": ["string", "null"]');
  });
  assert.deepEqual((await seen(lacking, without)).faults, []);
  assert.deepEqual(
    [...new Set((await seen(lacking, without, inTime, nullable)).faults.map(({ pointer }) => pointer))],
    ['/messageId'],
  );
});

test('values just beyond their bounds are tried where a case rejects a broken request', async () => {
  const text = String(job.agreement.candidateProtocols);
  const limited = withRefusal(
    text.replace('"productId": {\n      "type": "string"', '"productId": {\n      "type": "string", "maxLength": 12'),
  );
  const source = soundBut('request.productId?.length > 12', 'return null as never;', refusing);
  assert.ok((await seen(source, '- It is wrong', inTime, limited)).faults.some(({ pointer }) => pointer === ''));
  assert.deepEqual((await seen(source, '- It is wrong')).faults, []);
});

test('a quoted message counts, whatever member names the complaint mentions by chance', async () => {
  const source = soundBut(
    "request.productId === 'P-3'",
    "return { messageId, status: { code: 200, message: 'OK' }, product: 3 } as never;",
  );
  const quoted = '{"messageId":"q","action":"getProduct","productId":"P-3"}';
  const places = async (complaint: string) => (await seen(source, complaint)).faults.map(({ pointer }) => pointer);
  assert.deepEqual(await places(`- Please fix your code: ${quoted}`), ['/product']);
  assert.deepEqual(await places(`- Please fix \`/status/code\`: ${quoted}`), []);
});

test('places that the job declares loose do not differ from any case', async () => {
  const source = soundSource.replace("message: 'OK'", "message: 'Here it is'");
  const asked = '- It is wrong\n{"messageId":"q","action":"getProduct","productId":"P-40921"}';
  const loose = { ...job, loose: [{ pointer: '/status/message', as: 'text' }] };
  assert.deepEqual((await seen(source, asked, inTime, loose)).faults, []);
  assert.ok((await seen(source, asked)).faults.some(({ pointer }) => pointer === '/status/message'));
});

test('the rejection shows our answer to the first case, or to the request that the complaint quotes', async () => {
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

test('where time is short, the runs beyond the cases stop early', async () => {
  const source = soundBut('true', 'for (let step = 0; step < 1e8; step += 1);');
  const complaint = '- `/status/code` is a text';
  const all = caseScenarios(heldTo(job).subject).length + probesOf(heldTo(job), readComplaint(complaint, names)).length;
  bench.disturb(undefined);
  const { faults } = await seen(source, complaint, new Deadline(Date.now(), signal));
  assert.deepEqual(faults, []);
  assert.ok(bench.counts.batches < all, `${bench.counts.batches} of ${all} runs`);
});
