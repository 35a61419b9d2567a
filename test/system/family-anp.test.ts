import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createProducer, type Producer } from '../../src/client/producer.ts';
import {
  type AgreedCase,
  agreedCases,
  answerVerification,
  decode,
  encode,
  type FramedExchange,
  follow,
  framedExchange,
  type MetaMessage,
  noRounds,
  type Party,
  type ProtocolNegotiation,
  type SourceHello,
  serveHello,
  type TestCasesNegotiation,
  verificationRequests,
} from '../../src/families/anp/door.ts';
import { sha256Hex } from '../../src/kernel/digest.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { loadHandler } from '../../src/sandbox-door.ts';
import { documentOf } from '../analysis/sample-job.ts';
import { example, markedJob, type Rig, soundReply, startRig } from './harness.ts';

let rig: Rig;
let producer: Producer;

before(async () => {
  rig = await startRig();
  producer = createProducer({ url: rig.redis.url });
  await rig.worker({ PROTOSMITH_READING: 'off' });
});

after(async () => {
  await producer?.close();
  await rig?.close();
});

const MARK = 'anp-verification';
const job = () =>
  markedJob(MARK, { tenant: MARK, timeoutMs: 120_000 }) as JsonObject & { agreement: ProtocolNegotiation };

/** The record of the handler that a worker stores for the job. */
async function stored() {
  rig.answer(MARK, () => ({ kind: 'reply', text: soundReply }));
  const outcome = await rig.outcomeOf(job());
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  return producer.handlerOf(outcome.handler?.digest ?? '', MARK);
}

/** The agreed cases, each answered over the wire by the stored handler, with its answers changed on the way. */
async function verified(change = (bytes: Uint8Array) => bytes): Promise<FramedExchange[]> {
  const { agreement, testCases, tools } = job();
  const agreed = agreedCases(agreement, testCases as TestCasesNegotiation);
  assert.ok(agreed.ok);
  const framed = verificationRequests(agreed.cases, agreed.payload);
  assert.ok(framed.ok);
  const [tool] = tools as { examples: { input: JsonObject; output: Json }[] }[];
  const lookupProduct = (input: Json) =>
    tool?.examples.find((one) => one.input.productId === (input as JsonObject).productId)?.output ?? null;
  const handler = await loadHandler(await stored(), { lookupProduct });
  try {
    const exchanges: FramedExchange[] = [];
    for (const request of framed.requests) {
      const answer = await answerVerification(request.bytes, (asked) => handler.run(asked), agreed.payload);
      assert.ok(answer.ok, JSON.stringify(answer));
      exchanges.push(framedExchange(request, change(answer.bytes)));
    }
    return exchanges;
  } finally {
    await handler.close();
  }
}

/** What a requester's observe job says of these exchanges. */
async function observed(exchanges: FramedExchange[]) {
  const { tools: _, ...shared } = job();
  const data = { ...shared, role: 'requester', exchanges };
  const outcome = await rig.outcomeOf(data, { kind: 'observe' });
  return { ...outcome, places: outcome.findings.map(({ code, pointer }) => `${code} ${pointer}`) };
}

test('a stored handler answers the agreed cases in frames, and a worker finds them kept', async () => {
  const exchanges = await verified();
  assert.equal(exchanges.length, 2);
  const { verdict, places } = await observed(exchanges);
  assert.deepEqual([verdict, places], ['clean', []]);
});

test('a worker says where the answers of a peer break the agreement, in a message that can be framed', async () => {
  const cheaper = (bytes: Uint8Array) =>
    Buffer.from(Buffer.from(bytes).toString('latin1').replace('1299.99', '"9"'), 'latin1');
  const { verdict, places, messages } = await observed(await verified(cheaper));
  assert.equal(verdict, 'disputed');
  assert.deepEqual(places, ['DOCUMENT_EXCHANGE_VIOLATES_SCHEMA /0/response/productInfo/price']);
  const encoded = encode({ type: 'meta', message: messages[0] as MetaMessage });
  assert.ok(encoded.ok && decode(encoded.bytes).ok);
});

test('a worker says that a peer answers with another type of message', async () => {
  const asApplication = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte, index) => (index === 0 ? 0x40 : byte));
  const { places } = await observed(await verified(asApplication));
  assert.deepEqual(places, [
    'DOCUMENT_EXCHANGE_FRAME_INVALID /0/response',
    'DOCUMENT_EXCHANGE_FRAME_INVALID /1/response',
  ]);
});

test('the stored handler serves the hash of its document, and its URI as a consensus protocol', async () => {
  const { agreement } = job();
  const uri = 'https://p.example/product';
  const record = await stored();
  const hello: SourceHello = {
    version: '1.0',
    type: 'sourceHello',
    metaProtocol: {
      version: '1.0',
      supportedCapabilities: [],
      usedProtocolHash: sha256Hex(agreement.candidateProtocols),
      candidateProtocols: [uri],
    },
  };
  const served = serveHello(hello, {
    role: 'provider',
    handlers: [record],
    protocols: { [uri]: agreement.candidateProtocols },
  });
  assert.equal(served.used?.digest, record.digest);
  assert.deepEqual(
    served.candidates.map((one) => one.uri),
    [uri],
  );
});

test('a counter-offer of a worker is the next round of the negotiation', async () => {
  const data = example('anp-product-en.disputed');
  const agreement = data.agreement as unknown as ProtocolNegotiation;
  const { verdict, proposals } = await rig.outcomeOf({ ...data, timeoutMs: 120_000 });
  assert.equal(verdict, 'disputed');
  const [counter] = (proposals ?? []).filter(({ action }) => action === 'protocolNegotiation');
  const said: [ProtocolNegotiation, Party][] = [
    [{ ...agreement, sequenceId: 0, status: 'negotiating' }, 'initiator'],
    [agreement, 'responder'],
    [counter as unknown as ProtocolNegotiation, 'responder'],
  ];
  let rounds = noRounds;
  for (const [message, by] of said) {
    const next = follow(rounds, message, by);
    assert.ok(next.ok, JSON.stringify(next));
    rounds = next.rounds;
  }
  assert.deepEqual([rounds.state, rounds.count], ['open', 3]);
});

const BASE = 'https://p.example/seats-1';
const SEATS = 'anp-seats';
const seatsHandler = `import type { Context, Request, Response } from './types';
export async function handle(request: Request, context: Context): Promise<Response> {
  const seat = await context.call.seatOf({ guest: request.guest });
  return seat === null ? { code: 100002, seat: null } : { code: 200, seat };
}`;

test('an agreement that changes a base protocol in words ends with a handler that does what its cases show', async () => {
  rig.answer(SEATS, () => ({ kind: 'reply', text: `\`\`\`ts\n${seatsHandler}\n\`\`\`` }));
  const seat = {
    type: 'object',
    properties: { row: { type: 'integer' }, place: { type: 'string' } },
    required: ['row', 'place'],
  };
  const content = documentOf(
    { type: 'object', properties: { guest: { type: 'string' } }, required: ['guest'] },
    { type: 'object', properties: { code: { type: 'integer' }, seat }, required: ['code', 'seat'] },
    'Ask for the seat of a guest.',
  );
  const cases: Omit<AgreedCase, 'testCase'>[] = [
    { request: { guest: 'Ada' }, response: { code: 200, seat: { row: 4, place: 'C' } } },
    { request: { guest: 'Bob' }, response: { code: 100002, seat: null } },
  ];
  const outcome = await rig.outcomeOf({
    version: 1,
    negotiationId: SEATS,
    tenant: SEATS,
    role: 'provider',
    agreement: {
      action: 'protocolNegotiation',
      sequenceId: 1,
      candidateProtocols: `# Requirements\nAsk for the seat of a guest (${SEATS}).\n\nAs in ${BASE}, but a guest without a seat has the code 100002 and the seat null.\n`,
      status: 'accepted',
    },
    baseProtocols: { [BASE]: { content } },
    testCases: cases,
    tools: [
      {
        name: 'seatOf',
        description: 'The seat of a guest, or null.',
        inputSchema: { type: 'object', properties: { guest: { type: 'string' } }, required: ['guest'] },
        outputSchema: { ...seat, type: ['object', 'null'] },
        annotations: { readOnlyHint: true },
        examples: [{ input: { guest: 'Ada' }, output: { row: 4, place: 'C' } }],
        otherwise: { output: null },
      },
    ],
    timeoutMs: 120_000,
  });
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  assert.deepEqual(outcome.handler?.amendments, [
    { of: 'responseSchema', patch: [{ op: 'replace', path: '/properties/seat/type', value: ['object', 'null'] }] },
  ]);
});
