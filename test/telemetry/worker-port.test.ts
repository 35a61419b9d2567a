import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Endpoints } from '../../queues/index.ts';
import { example, markedJob, soundReply, startRig, until } from '../system/harness.ts';

interface Health {
  well: boolean;
  checks: { name: string; well: boolean; says: string }[];
}

const rig = await startRig();
after(() => rig.close());

const worker = await rig.worker({
  PROTOSMITH_PORT: '0',
  PROTOSMITH_MONITOR: '1',
  PROTOSMITH_CONCURRENCY: '2',
  PROTOSMITH_TENANT_CLASSES: '{"paying":["acme","globex"]}',
});
const { port, host } = await worker.logged(({ msg }) => msg === 'listening');

const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);

async function health(path: string): Promise<Health & { status: number; of(name: string): Health['checks'][number] }> {
  const response = await get(path);
  const body = (await response.json()) as Health;
  return {
    ...body,
    status: response.status,
    of: (name) => body.checks.find((check) => check.name === name) ?? assert.fail(`${path} has no check ${name}`),
  };
}

/** The samples of one metric: labels as they are written → value. */
async function samples(name: string): Promise<Map<string, number>> {
  const text = await (await get('/metrics')).text();
  return new Map(
    text
      .split('\n')
      .map((line) => /^([a-z_\d]+)(?:\{(.*)\})? (\S+)$/.exec(line))
      .flatMap((match) => (match?.[1] === name ? [[match[2] ?? '', Number(match[3])] as const] : [])),
  );
}

test('the port is on loopback unless told otherwise', () => {
  assert.equal(host, '127.0.0.1');
  assert.ok(Number(port) > 0);
});

test('a worker that fetches is alive and ready', async () => {
  const live = await health('/livez');
  assert.deepEqual([live.status, live.well], [200, true]);
  const ready = await until(async () => {
    const found = await health('/readyz');
    return found.status === 200 && found;
  });
  for (const name of ['connection', 'blocking-connection', 'intake', 'redis', 'redis-policy', 'models', 'sandbox'])
    assert.equal(ready.of(name).well, true, name);
  assert.equal(ready.of('models').says, 'none is rate limited or failing');
  await new Endpoints(rig.connection, rig.keys).coolDown('resting', Date.now() + 300_000);
  const resting = await health('/readyz');
  assert.deepEqual([resting.status, resting.of('models').well], [200, true]);
  assert.match(resting.of('models').says, /rate limited: resting for another \d+ s/);
  assert.match(ready.of('sandbox').says, /known-good handler passes/);
});

test('only what is served is answered', async () => {
  assert.equal((await get('/')).status, 404);
  assert.equal((await get('/metrics/../livez/')).status, 404);
  assert.equal((await get('/livez', { method: 'POST' })).status, 405);
  assert.equal((await get('/livez', { method: 'HEAD' })).status, 200);
  assert.equal((await get('/readyz?verbose=1')).status, 200);
});

test('jobs are counted by verdict, with latency, stages, attempts and tokens', async () => {
  rig.answer('telemetry-counted', () => ({ kind: 'reply', text: soundReply }));
  const outcome = await rig.outcomeOf(markedJob('telemetry-counted'));
  assert.equal(outcome.verdict, 'generated');
  await rig.outcomeOf(markedJob('telemetry-reviewed'), { kind: 'review' });
  await rig.outcomeOf({ version: 1, surprise: 1 }, { kind: 'a name that\nis "no" kind' });
  await until(async () => (await samples('protosmith_jobs_total')).size === 3);
  assert.deepEqual(Object.fromEntries(await samples('protosmith_jobs_total')), {
    'kind="generate",verdict="generated"': 1,
    'kind="review",verdict="clean"': 1,
    'kind="unknown",verdict="error"': 1,
  });
  assert.equal((await samples('protosmith_outcome_latency_seconds_count')).get('verdict="generated"'), 1);
  assert.equal((await samples('protosmith_job_duration_seconds_count')).get('verdict="generated"'), 1);
  assert.equal((await samples('protosmith_job_wait_seconds_count')).get(''), 3);
  const stages = await samples('protosmith_stage_duration_seconds_count');
  for (const stage of ['intake', 'complete', 'bundle', 'trial', 'judge', 'store'])
    assert.ok((stages.get(`stage="${stage}"`) ?? 0) >= 1, stage);
  assert.ok(((await samples('protosmith_attempts_total')).get('result="verified"') ?? 0) >= 1);
  assert.ok(((await samples('protosmith_model_calls_total')).get('result="answered"') ?? 0) >= 1);
  const tokens = await samples('protosmith_tokens_total');
  assert.ok((tokens.get('type="input"') ?? 0) > 0 && (tokens.get('type="output"') ?? 0) > 0);
  // The model has no price here: that is told, and is not 0 dollars.
  assert.ok(((await samples('protosmith_unpriced_calls_total')).get('') ?? 0) >= 1);
  assert.ok(((await samples('protosmith_sandbox_runs_total')).get('') ?? 0) > 0);
  assert.equal((await samples('protosmith_sandbox_cells')).get(''), 1);
  assert.equal([...(await samples('protosmith_sandbox_level')).values()][0], 1);
  const layers = await samples('protosmith_sandbox_layer');
  for (const layer of ['own-process', 'empty-environment']) assert.equal(layers.get(`layer="${layer}"`), 1, layer);
  const delay = async (of: string) => (await samples(`protosmith_event_loop_lag_${of}_seconds`)).get('') ?? -1;
  assert.ok((await delay('p50')) >= 0 && (await delay('p99')) >= 0 && (await delay('max')) >= 0);
});

test('outcomes are counted by class of tenant, errors by code, and a name that no class has makes no label', async () => {
  const before = await samples('protosmith_tenant_jobs_total');
  const review = (tenant: string) => rig.outcomeOf(markedJob(`telemetry-${tenant}`, { tenant }), { kind: 'review' });
  for (const tenant of ['acme', 'globex', 'nobody-1', 'nobody-2']) await review(tenant);
  const counted = await until(async () => {
    const found = await samples('protosmith_tenant_jobs_total');
    return found.get('tenant_class="other",verdict="clean"') === 2 && found;
  });
  assert.equal(counted.get('tenant_class="paying",verdict="clean"'), 2);
  assert.deepEqual(
    counted.get('tenant_class="default",verdict="clean"'),
    before.get('tenant_class="default",verdict="clean"'),
  );
  assert.doesNotMatch([...counted.keys()].join(), /acme|nobody/);

  await rig.outcomeOf(example('anp-product-en.disputed'));
  const disputed = 'verdict="disputed",code="DOCUMENT_CASE_VIOLATES_SCHEMA"';
  await until(async () => (await samples('protosmith_errors_total')).get(disputed) === 1);
});

test('`given up` counts errors on our side, however the job ended, and not those of a caller', async () => {
  const givenUp = () => samples('protosmith_jobs_given_up_total');
  const before = [...(await givenUp()).values()].reduce((sum, one) => sum + one, 0);
  await rig.outcomeOf(markedJob('telemetry-invalid', { role: 'nobody' }));
  const error = { code: 'content_filter', message: 'The prompt violates our content management policy' };
  rig.answer('telemetry-filtered', () => ({ kind: 'status', status: 400, body: { error } }));
  const outcome = await rig.outcomeOf(markedJob('telemetry-filtered', { timeoutMs: 120_000, workMs: 0 }));
  const [code = ''] = outcome.findings.flatMap((finding) => finding.code);
  assert.equal(code, 'PLATFORM_MODEL_PROMPT_FILTERED');
  await until(async () => ((await givenUp()).get(`code="${code}"`) ?? 0) >= 1);
  assert.equal(
    [...(await givenUp()).values()].reduce((sum, one) => sum + one, 0),
    before + 1,
  );
  const errors = await samples('protosmith_errors_total');
  assert.equal(errors.get('verdict="error",code="JOB_INVALID"'), 1);
  assert.equal(errors.get(`verdict="error",code="${code}"`), 1);
});

test('the latency of a job that no worker came to before its deadline is told like that of others', async () => {
  const closed = async () => (await samples('protosmith_outcome_latency_seconds_count')).get('verdict="error"') ?? 0;
  const before = await closed();
  const jobId = 'telemetry-never-taken';
  const data = markedJob(jobId, { timeoutMs: 1_000, replyTo: jobId });
  await rig.queue.add('generate', data, { jobId, delay: 600_000 });
  assert.equal((await rig.outcome(jobId)).findings[0]?.code, 'PLATFORM_DEADLINE');
  await until(async () => (await closed()) > before);
});

test('a completion that comes after its job was answered is counted, too', async () => {
  const verified = async () => (await samples('protosmith_attempts_total')).get('result="verified"') ?? 0;
  const before = await verified();
  rig.answer('telemetry-late', () => ({ kind: 'reply', text: soundReply, pieceCharacters: 400, pauseMs: 700 }));
  const outcome = await rig.outcomeOf(markedJob('telemetry-late', { timeoutMs: 2_000, replyTo: 'telemetry-late' }));
  assert.equal(outcome.findings[0]?.code, 'PLATFORM_DEADLINE');
  await until(async () => (await verified()) > before);
});

test('a counter read twice is not counted twice', async () => {
  const before = (await samples('protosmith_sandbox_runs_total')).get('');
  assert.equal((await samples('protosmith_sandbox_runs_total')).get(''), before);
});

test('the monitor tells of the whole queue: ages, states, readers, memory', async () => {
  await rig.connection.xgroup('CREATE', rig.keys.outcomes('default'), 'reader', '0');
  assert.equal((await samples('protosmith_monitor_up')).get(''), 1);
  assert.equal((await samples('protosmith_queue_oldest_waiting_age_seconds')).get(''), 0);
  assert.equal((await samples('protosmith_queue_jobs')).get('state="waiting"'), 0);
  const published = await rig.connection.xlen(rig.keys.outcomes('default'));
  assert.equal((await samples('protosmith_results_stream_length')).get('stream="default"'), published);
  const lag = await samples('protosmith_results_lag');
  if (rig.redis.pid !== null) assert.equal(lag.get('stream="default",group="reader"'), published);
  await rig.queue.pause();
  assert.equal((await samples('protosmith_queue_paused')).get(''), 1);
  await rig.submit(markedJob('telemetry-waits'), { kind: 'review' });
  await until(async () => ((await samples('protosmith_queue_oldest_waiting_age_seconds')).get('') ?? 0) > 0);
  await rig.queue.resume();
  await until(async () => (await samples('protosmith_queue_oldest_waiting_age_seconds')).get('') === 0);
});

test('a Redis that evicts, or that is away, makes it unready and lets it live', {
  skip: rig.redis.pid === null && 'the embedded Redis evicts nothing, and cannot be frozen',
}, async () => {
  const evicting = await rig.worker({ PROTOSMITH_PORT: '0' });
  const own = (await evicting.logged(({ msg }) => msg === 'listening')).port;
  await rig.connection.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await until(async () => {
    const ready = await fetch(`http://127.0.0.1:${own}/readyz`);
    const policy = ((await ready.json()) as Health).checks.find(({ name }) => name === 'redis-policy');
    return ready.status === 503 && /allkeys-lru/.test(policy?.says ?? '');
  }, 'the policy to be told');
  await rig.connection.config('SET', 'maxmemory-policy', 'noeviction');

  process.kill(rig.redis.pid ?? 0, 'SIGSTOP');
  try {
    const frozen = await health('/readyz');
    assert.equal(frozen.status, 503);
    assert.equal(frozen.of('redis').well, false);
    assert.equal((await health('/livez')).status, 200);
  } finally {
    process.kill(rig.redis.pid ?? 0, 'SIGCONT');
  }
  await until(async () => (await health('/readyz')).status === 200);
});

test('with every endpoint down intake pauses, says so, and goes on when one answers again', async () => {
  rig.answer('telemetry-down', () => ({ kind: 'status', status: 503 }));
  const jobs = [1, 2, 3].map((nth) => markedJob(`telemetry-down ${nth}`, { timeoutMs: 60_000, workMs: 0 }));
  for (const job of jobs) await rig.submit(job);
  const paused = await worker.logged(({ msg, message }) => msg === 'paused' && /circuit/.test(String(message)));
  assert.match(String(paused.message), /no model endpoint answers/);
  const ready = await health('/readyz');
  if (ready.status === 503) assert.match(ready.of('intake').says, /circuits are open/);
  rig.answer('telemetry-down', () => ({ kind: 'reply', text: soundReply }));
  await worker.logged(({ msg, message }) => msg === 'resumed' && /circuit/.test(String(message)));
  for (const job of jobs) assert.equal((await rig.outcomeOf(job)).verdict, 'generated');
});

test('a port that is taken ends the worker with 78', async () => {
  await assert.rejects(rig.worker({ PROTOSMITH_PORT: String(port) }), /OPERATOR_PORT_TAKEN/);
});
