import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readConfig, SettingsError } from '../../src/config.ts';
import { startScriptedModel } from '../../src/scripted-model/server.ts';
import { markedJob, soundReply, startRig } from '../system/harness.ts';

const good = { model: 'good', baseUrl: 'http://127.0.0.1:9/v1' };

function faultsOf(environment: Record<string, string>): string {
  try {
    readConfig(environment, {}, { model: true });
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.message;
  }
  return '';
}

test('several models are read in order, with keys from the named variables and their own prices', () => {
  const { models } = readConfig(
    {
      OPENAI_API_KEY: 'common',
      OTHER_KEY: 'other',
      PROTOSMITH_MODELS: JSON.stringify([
        good,
        { model: 'spare', baseUrl: 'https://example.com/v1', apiKeyEnv: 'OTHER_KEY', inputPrice: 1, outputPrice: 2.5 },
      ]),
    },
    {},
    { model: true },
  );
  assert.deepEqual(models, [
    { ...good, apiKey: 'common', inputPrice: null, cachedInputPrice: null, outputPrice: null },
    {
      model: 'spare',
      baseUrl: 'https://example.com/v1',
      apiKey: 'other',
      inputPrice: 1,
      cachedInputPrice: null,
      outputPrice: 2.5,
    },
  ]);
});

for (const [name, value, wanted] of [
  ['no JSON', 'good@http://127.0.0.1', /a JSON array/],
  ['an empty list', '[]', /a JSON array/],
  ['no model', JSON.stringify([{ baseUrl: good.baseUrl }]), /at \/0\/model a model name/],
  ['a base URL that is none', JSON.stringify([good, { ...good, baseUrl: 'ftp://x' }]), /at \/1\/baseUrl a URL/],
  [
    'a URL with a key in it',
    JSON.stringify([{ ...good, baseUrl: 'http://u:sk-secret@h/v1' }]),
    /at \/0\/baseUrl a URL/,
  ],
  ['a variable that is not set', JSON.stringify([{ ...good, apiKeyEnv: 'NOT_SET' }]), /at \/0\/apiKeyEnv the name/],
  ['a negative price', JSON.stringify([{ ...good, inputPrice: -1 }]), /at \/0\/inputPrice US dollars/],
  ['a key written out', JSON.stringify([{ ...good, apiKey: 'sk-secret' }]), /at \/0\/apiKey nothing/],
] as const) {
  test(`${name} is an operator’s fault, reported without its value`, () => {
    const message = faultsOf({ PROTOSMITH_MODELS: value });
    assert.match(message, wanted);
    assert.doesNotMatch(message, /sk-secret/);
  });
}

test('a cost limit needs the price of every model', () => {
  const models = JSON.stringify([{ ...good, inputPrice: 1, outputPrice: 1 }, good]);
  assert.match(faultsOf({ PROTOSMITH_MODELS: models, PROTOSMITH_MAX_COST_USD: '0.5' }), /PROTOSMITH_MAX_COST_USD: set/);
  const priced = JSON.stringify([{ ...good, inputPrice: 1, outputPrice: 1 }]);
  assert.equal(faultsOf({ PROTOSMITH_MODELS: priced, PROTOSMITH_MAX_COST_USD_PER_HOUR: '5' }), '');
});

test('a cost limit for tenants needs prices too', () => {
  const unpriced = JSON.stringify([good]);
  assert.match(
    faultsOf({ PROTOSMITH_MODELS: unpriced, PROTOSMITH_TENANT_COST_USD_PER_HOUR: '5' }),
    /PROTOSMITH_TENANT_COST_USD_PER_HOUR: set/,
  );
});

test('a worker asks the second model where the first is unavailable', async () => {
  const down = await startScriptedModel({ behave: () => ({ kind: 'status', status: 401 }) });
  const up = await startScriptedModel({ behave: () => ({ kind: 'reply', text: soundReply }) });
  const rig = await startRig();
  after(() => Promise.all([down.close(), up.close(), rig.close()]));
  await rig.worker({
    PROTOSMITH_MODELS: JSON.stringify([
      { model: 'first', baseUrl: down.baseUrl },
      { model: 'second', baseUrl: up.baseUrl, inputPrice: 1, outputPrice: 1 },
    ]),
  });
  const outcome = await rig.outcomeOf(markedJob('models-second'));
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  // Besides a small question, whether it is the key that is refused.
  assert.equal(down.questions.filter(({ prompt }) => prompt.includes('models-second')).length, 1);
  assert.equal(outcome.report.attempts[0]?.model, 'second');
  assert.deepEqual(outcome.report.generator, { kind: 'scripted', model: 'second' });
  assert.ok((outcome.report.usage.costUsd ?? 0) > 0);
});

test('a used-up hourly budget ends the job with an error that blames nobody', async () => {
  const rig = await startRig();
  after(() => rig.close());
  await rig.worker({ PROTOSMITH_MAX_TOKENS_PER_HOUR: '10' });
  const outcome = await rig.outcomeOf(markedJob('hour-used-up'));
  assert.equal(outcome.verdict, 'error');
  assert.deepEqual(
    outcome.findings.map(({ code }) => code),
    ['PLATFORM_BUDGET'],
  );
  assert.equal(rig.questions('hour-used-up').length, 0);
});
