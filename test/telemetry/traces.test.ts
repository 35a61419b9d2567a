import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Json } from '../../src/kernel/json.ts';
import { markedJob, reply, soundReply, startRig, stopWorker, until } from '../system/harness.ts';

interface SpanSeen {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code?: number };
  attributes: { key: string; value: Record<string, unknown> }[];
}

/** A receiver of OTLP over HTTP. */
async function receiver() {
  const spans: SpanSeen[] = [];
  const resources: unknown[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      bodies.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`);
      for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
        resources.push(resource);
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resources,
    bodies,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function attributesOf({ attributes }: SpanSeen): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

const rig = await startRig();
after(() => rig.close());
const otlp = await receiver();
after(() => otlp.close());

test('one trace goes from the producer over the job and its stages to the model calls and trials', async () => {
  const worker = await rig.worker({ OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url });
  rig.answer('traced-job', (nth, { prompt }) => {
    if (nth === 1) return { kind: 'status', status: 503 };
    return { kind: 'reply', text: prompt.includes('failed') ? soundReply : reply('product-en-provider-first') };
  });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const { jobId } = await rig.producer.submit('generate', markedJob('traced-job', { timeoutMs: 120_000 }), {
    traceparent,
  });
  const outcome = await rig.outcome(jobId);
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  // A producer without BullMQ, and one whose trace context is none.
  const data = (mark: string): Json => markedJob(mark, { timeoutMs: 120_000 });
  const other = traceparent.replace(traceId, 'ff'.repeat(16));
  const texts = [JSON.stringify(data('xadd-traced')), JSON.stringify(data('xadd-forged'))];
  await rig.connection.xadd(
    rig.keys.intake,
    '*',
    'kind',
    'review',
    'data',
    texts[0] ?? '',
    'jobId',
    'xadd',
    'traceparent',
    other,
  );
  await rig.connection.xadd(
    rig.keys.intake,
    '*',
    'kind',
    'review',
    'data',
    texts[1] ?? '',
    'jobId',
    'forged',
    'traceparent',
    `${other}\n`,
  );
  await Promise.all(['xadd', 'forged'].map((id) => rig.outcome(id)));
  await stopWorker(worker);

  const spans = otlp.spans.filter((one) => one.traceId === traceId);
  const named = (name: string) => spans.filter((one) => one.name === name);
  const [root] = named('process code-generation');
  assert.ok(root, JSON.stringify(otlp.spans.map(({ name }) => name)));
  assert.equal(root.parentSpanId, 'b7ad6b7169203331');
  assert.equal(root.kind, 5);
  const about = attributesOf(root);
  assert.equal(about['messaging.system'], 'bullmq');
  assert.equal(about['messaging.operation.type'], 'process');
  assert.equal(about['messaging.destination.name'], 'code-generation');
  assert.equal(about['messaging.message.id'], jobId);
  assert.equal(about['protosmith.verdict'], 'generated');
  assert.equal(about['protosmith.handler.digest'], outcome.handler?.digest);
  for (const stage of ['intake', 'analyze', 'preflight', 'lookup', 'complete', 'bundle', 'trial', 'judge', 'store']) {
    const [span] = named(stage);
    assert.equal(span?.parentSpanId, root.spanId, stage);
    assert.ok(BigInt(span?.endTimeUnixNano ?? 0) >= BigInt(span?.startTimeUnixNano ?? 1));
  }
  const calls = named('chat scripted');
  const stages = new Set(named('complete').map(({ spanId }) => spanId));
  assert.ok(calls.length >= 3 && calls.every(({ parentSpanId = '' }) => stages.has(parentSpanId)));
  const [failed] = calls.filter(({ status }) => status.code === 2);
  assert.equal(failed && attributesOf(failed)['error.type'], 'PLATFORM_MODEL_UNAVAILABLE');
  const answered = calls.filter(({ status }) => status.code !== 2).map(attributesOf);
  assert.ok(
    answered.every((one) => one['gen_ai.operation.name'] === 'chat' && one['gen_ai.request.model'] === 'scripted'),
  );
  assert.ok(answered.every((one) => 'gen_ai.usage.input_tokens' in one && 'gen_ai.usage.output_tokens' in one));
  const trials = named('trial').map(attributesOf);
  assert.ok(trials.some((one) => Number(one['protosmith.cases.failed']) > 0));
  assert.ok(trials.some((one) => Number(one['protosmith.cases.passed']) > 0));
  assert.ok(JSON.stringify(otlp.resources).includes('"protosmith"'));

  const roots = otlp.spans.filter(({ name }) => name === 'process code-generation');
  const rootOf = (id: string) => roots.find((one) => attributesOf(one)['messaging.message.id'] === id);
  assert.equal(rootOf('xadd')?.traceId, 'ff'.repeat(16));
  assert.ok(!rootOf('forged')?.parentSpanId);
  assert.ok(otlp.bodies.every((one) => one.startsWith('POST /v1/traces application/json')));
  // No text of the agreement, of a prompt, or of a model's module is in any span.
  const sent = otlp.bodies.join('\n');
  for (const text of ['traced-job', 'productInfo', 'export function', 'export async', 'Requirements', 'lookupProduct'])
    assert.ok(!sent.includes(text), text);
});

test('without a receiver nothing of OpenTelemetry is loaded, and a receiver that is away costs no job', async () => {
  const hook =
    "import{registerHooks}from'node:module';registerHooks({load(u,c,n){if(/opentelemetry.(sdk|exporter)/.test(u))console.log('LOADED '+u);return n(u,c)}})";
  const listing = `data:text/javascript,${encodeURIComponent(hook).replaceAll("'", '%27')}`;
  const off = await rig.worker({ NODE_OPTIONS: `--import=${listing}` });
  await rig.outcomeOf(markedJob('untraced', { timeoutMs: 120_000 }), { kind: 'review' });
  await stopWorker(off);
  assert.ok(!off.output().includes('LOADED'), off.output().slice(0, 2_000));
  const on = await rig.worker({
    NODE_OPTIONS: `--import=${listing}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  });
  const outcome = await rig.outcomeOf(markedJob('no-receiver', { timeoutMs: 120_000 }), { kind: 'review' });
  assert.equal(outcome.verdict, 'clean');
  assert.equal((await stopWorker(on)).code, 0);
  // The control: the hook sees what is loaded.
  await until(() => on.output().includes('LOADED'));
});
