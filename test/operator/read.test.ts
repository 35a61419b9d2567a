import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { measureOf } from '../../scripts/try-candidate.ts';
import { SettingsError, settings } from '../../src/config.ts';
import type { Reading } from '../../src/contract/reading.ts';
import type { Json } from '../../src/kernel/json.ts';
import { read } from '../../src/operator/documents/read.ts';
import { UsageError } from '../../src/operator/shell/command.ts';
import { UnreadableInput } from '../../src/operator/shell/read-input.ts';
import { validReading } from '../../src/readings/valid-reading.ts';
import { readScripts } from '../../src/scripted-model/script.ts';
import { type Behaviour, startScriptedModel } from '../../src/scripted-model/server.ts';
import { commandHere } from '../system/command-here.ts';
import { example, root } from '../system/harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const scripts = readScripts(join(root, 'fixtures/completions/demo'));
const answer = scripts.find(({ to }) => to === 'read')?.reply ?? '';

let behave: () => Behaviour = () => ({ kind: 'script' });
const model = await startScriptedModel({ scripts, behave: () => behave() });
after(() => model.close());

/** What a command may not reach: neither Redis nor a model is asked. */
const nobody = { REDIS_URL: 'redis://127.0.0.1:1', OPENAI_BASE_URL: 'http://127.0.0.1:1' };
const withModel = { ...nobody, OPENAI_BASE_URL: model.baseUrl, PROTOSMITH_MODEL: 'mine' };

function file(name: string, text: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const data = example('anp-product-en.consistent');
const job = file('job.json', JSON.stringify(data));
const recorded = file('answer.jsonl', answer);

test('a model reads a job without Redis, and the reading is a file that loads whole', async () => {
  const { code, stdout, stderr } = await commandHere(['read', job], { environment: withModel });
  assert.equal(code, 0, stderr);
  assert.match(
    stderr,
    /^units 10, covered 10, derived 8, dropped 0, tokens \d{4} in and \d{3} out, seconds \d+\.\d\n$/,
  );
  const reading = JSON.parse(stdout) as Reading;
  assert.deepEqual(
    [reading.version, reading.reader, reading.derived.length, reading.waitMs],
    [1, { kind: 'model', name: 'mine' }, 8, 15_000],
  );
  assert.ok(reading.units.some(({ none }) => none === 'unclear'));
  assert.match(reading.derived[0]?.quote ?? '', /^The product provider returns/);
  const loaded = validReading(JSON.parse(stdout) as Json, measureOf(data).subject);
  assert.deepEqual([loaded.dropped, loaded.reading.derived], [[], reading.derived]);
});

test('the question that is printed is the one that a model is asked', async () => {
  behave = () => ({ kind: 'script' });
  await commandHere(['read', job], { environment: withModel });
  const asked = model.questions.at(-1);
  const count = model.questions.length;
  const { code, stdout, stderr } = await commandHere(['read', '--prompt', job], { environment: nobody });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  const [before, system, user] = stdout.split(/^===== question 1 of 1: (?:system|user) =====$/m);
  assert.equal(before, '');
  assert.equal(system?.trim(), asked?.system.trim());
  assert.equal(user?.trim(), asked?.prompt.trim());
  assert.equal(model.questions.length, count);
});

/** A job whose document is read in two parts. */
function longJob(): object {
  const sentences = Array.from({ length: 100 }, (_, index) => `Rule ${index} stands for itself.`).join('\n\n');
  const text = String(data.agreement.candidateProtocols).replace('# Process', `${sentences}\n\n# Process`);
  return { ...data, agreement: { ...data.agreement, candidateProtocols: text } };
}

test('of a long document all questions are printed, and one file answers them', async () => {
  const long = file('long.json', JSON.stringify(longJob()));
  const { stdout } = await commandHere(['read', '--prompt', long], { environment: nobody });
  assert.match(stdout, /^===== question 2 of 2: user =====$/m);
  assert.match(stdout, /units 1 to 58 alone/);
  assert.match(stdout, /units 59 to 115 alone/);
  const both = file('both.jsonl', '{"units":[3,4],"none":"explains"}\n{"units":[100],"none":"schema"}\n');
  const told = await commandHere(['read', '--answer', both, long], { environment: nobody });
  assert.match(told.stderr, /^units 110, covered 3, derived 0, dropped 0\n$/);
});

test('the parts of a long document keep their cases apart, whatever ids their readers chose', async () => {
  const long = file('apart.json', JSON.stringify(longJob()));
  const text = [
    '{"of":[3],"id":"a","claim":"one","base":2,"set":{"/productId":"X-1"},"answer":{"/status/code":404}}',
    '{"of":[4],"claim":"other","base":2,"set":{"/productId":"X-2"},"alike":{"to":"a","in":["answer"]}}',
  ].join('\n');
  behave = () => ({ kind: 'reply', text });
  const { code, stdout, stderr } = await commandHere(['read', long], { environment: withModel });
  behave = () => ({ kind: 'script' });
  assert.equal(code, 0, stderr);
  const { derived } = JSON.parse(stdout) as Reading;
  assert.deepEqual(
    derived.map(({ id, expect }) => id ?? expect.alike?.to),
    ['a', 'a', '2/a', '2/a'],
  );
});

test('an answer is taken from a file or standard input, and its reader is named', async () => {
  const [named, unnamed] = await Promise.all([
    commandHere(['read', '--answer', recorded, '--by', 'Ada', job], { environment: nobody }),
    commandHere(['read', '--answer', '-', job], { environment: nobody, input: answer }),
  ]);
  assert.equal(named?.code, 0, named?.stderr);
  const [first, second] = [named, unnamed].map(({ stdout }) => JSON.parse(stdout) as Reading);
  assert.deepEqual(first?.reader, { kind: 'recorded', name: 'Ada' });
  assert.deepEqual(second?.reader, { kind: 'recorded', name: 'unknown' });
  assert.deepEqual(first?.derived, second?.derived);
  assert.equal(named?.stderr, 'units 10, covered 10, derived 8, dropped 0\n');
});

test('what cannot be held against a handler is counted by reason', async () => {
  const odd =
    '{"of":[5],"claim":"no tool","base":1,"calls":{"nobody":1}}\n{"of":[99],"claim":"no unit","base":1,"answer":{"/status/code":200}}';
  const { code, stdout, stderr } = await commandHere(['read', '--answer', '-', job], {
    environment: nobody,
    input: `${answer}\n${odd}`,
  });
  assert.deepEqual([code, (JSON.parse(stdout) as Reading).derived.length], [0, 8]);
  assert.match(stderr, /dropped 2 \(tool 1, quote 1\)$/m);
});

test('an answer that comes to its longest is printed as far as it came, and ends with 2', async () => {
  behave = () => ({ kind: 'reply', text: answer.split('\n').slice(0, 5).join('\n'), finishReason: 'length' });
  const { code, stdout, stderr } = await commandHere(['read', job], { environment: withModel });
  behave = () => ({ kind: 'script' });
  assert.equal(code, 2);
  assert.ok((JSON.parse(stdout) as Reading).derived.length < 8);
  assert.match(stderr, /^Cannot read all of the agreement: .*, wanted a complete answer$/m);
});

test('a model that says nothing of any unit ends with 2 and prints no reading', async () => {
  behave = () => ({ kind: 'reply', text: 'I would rather not.' });
  const { code, stdout, stderr } = await commandHere(['read', job], { environment: withModel });
  behave = () => ({ kind: 'script' });
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /contains no derived case/);
});

test('a key that is refused, a limit that is reached, and an agreement that contradicts itself have their exit codes', async () => {
  behave = () => ({ kind: 'status', status: 401 });
  const refused = await commandHere(['read', job], { environment: withModel });
  behave = () => ({ kind: 'script' });
  assert.equal(refused.code, 78);
  assert.match(refused.stderr, /^OPERATOR_MODEL_AUTH: /);
  const limited = await commandHere(['read', job], {
    environment: { ...withModel, [settings.maxTokens.env]: '1000' },
  });
  assert.equal(limited.code, 2, limited.stderr);
  assert.match(limited.stderr, /^Cannot read agreement: .* tokens.* are used up, wanted/);
  const disputed = file('disputed.json', JSON.stringify(example('anp-product-en.disputed')));
  const contradicted = await commandHere(['read', '--prompt', disputed], { environment: nobody });
  assert.deepEqual([contradicted.code, contradicted.stdout], [1, '']);
  assert.match(contradicted.stderr, /^DOCUMENT_CASE_VIOLATES_SCHEMA: /);
  const invalid = await commandHere(['read', file('invalid.json', '{"version":1}')], { environment: nobody });
  assert.deepEqual([invalid.code, invalid.stdout], [65, '']);
  assert.match(invalid.stderr, /^JOB_INVALID: /);
});

test('hostile text of a document is shown as escapes', async () => {
  const text = `${String(data.agreement.candidateProtocols)}\nA \u202e\u009b[2J hostile sentence.\n`;
  const hostile = { ...data, agreement: { ...data.agreement, candidateProtocols: text } };
  const { stdout } = await commandHere(['read', '--prompt', file('hostile.json', JSON.stringify(hostile))], {
    environment: nobody,
  });
  assert.match(stdout, /hostile sentence/);
  assert.doesNotMatch(stdout, /[^\P{C}\n\t]/u);
});

test('without a model, with what is no job or no answer, and with flags that do not go together nothing is read', async () => {
  await assert.rejects(read.run([job]), SettingsError);
  await assert.rejects(read.run([join(folder, 'nowhere.json')]), UnreadableInput);
  await assert.rejects(read.run(['--answer', file('prose.txt', 'None of this is JSON.'), job]), UnreadableInput);
  await assert.rejects(read.run(['--answer', join(folder, 'nowhere.jsonl'), job]), UnreadableInput);
  for (const args of [
    [],
    [job, job],
    ['--prompt', '--answer', recorded, job],
    ['--by', 'Ada', job],
    ['--answer', '-', '-'],
  ])
    await assert.rejects(read.run(args), UsageError);
});
