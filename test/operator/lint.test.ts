import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Finding } from '../../src/contract/finding.ts';
import { commandHere } from '../system/command-here.ts';
import { example, root, runCommand } from '../system/harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a command may not reach: neither Redis nor a model is asked. */
const environment = { REDIS_URL: 'redis://127.0.0.1:1', OPENAI_BASE_URL: 'http://127.0.0.1:1' };

function file(name: string, text: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const disputed = example('anp-product-en.disputed');
const documentText = String(disputed.agreement.candidateProtocols);
const casesText = String(disputed.testCases.testCases);
const soundText = String(example('anp-product-en.consistent').agreement.candidateProtocols);
const document = file('document.md', documentText);
const cases = file('cases.md', casesText);
const sound = file('sound.md', soundText);

test('a contradiction ends with 1 and is told with its place and amendment', async () => {
  const { code, stdout, stderr } = await runCommand(['lint', document, cases], { environment });
  assert.deepEqual({ code, stderr }, { code: 1, stderr: '' });
  assert.match(stdout, /^error: case 2 response \/productInfo: .*\[DOCUMENT_CASE_VIOLATES_SCHEMA\]$/m);
  assert.match(stdout, /^ {2}amend responseSchema: \[\{.*"\/properties\/productInfo\/type"/m);
});

test('findings come as JSON too', async () => {
  const { code, stdout } = await commandHere(['lint', '--json', document, cases], { environment });
  assert.equal(code, 1);
  const [finding, ...others] = JSON.parse(stdout) as Finding[];
  assert.deepEqual(others, []);
  assert.equal(finding?.code, 'DOCUMENT_CASE_VIOLATES_SCHEMA');
  assert.equal(finding.testCase, 2);
  assert.equal(finding.pointer, '/productInfo');
  assert.equal(finding.actual, null);
  assert.deepEqual(finding.amendment, {
    of: 'responseSchema',
    patch: [{ op: 'replace', path: '/properties/productInfo/type', value: ['object', 'null'] }],
  });
});

test('a sound agreement ends with 0', async () => {
  const [both, alone, json] = await Promise.all([
    commandHere(['lint', sound, cases], { environment }),
    commandHere(['lint', document], { environment }),
    commandHere(['lint', '--json', sound, cases], { environment }),
  ]);
  assert.deepEqual([both.code, alone.code, json.code], [0, 0, 0], both.stdout + alone.stdout);
  assert.ok(Array.isArray(JSON.parse(json.stdout)));
});

test('either text may come from standard input', async () => {
  const [first, second] = await Promise.all([
    commandHere(['lint', '--json', '-', cases], { environment, input: documentText }),
    commandHere(['lint', '--json', document, '-'], { environment, input: casesText }),
  ]);
  assert.equal(first.code, 1);
  assert.equal(second.stdout, first.stdout);
});

test('an ANP message may stand in place of its text', async () => {
  const messages = [
    file('agreement.json', JSON.stringify(disputed.agreement)),
    file('cases.json', JSON.stringify(disputed.testCases)),
  ];
  const [fromMessages, fromTexts] = await Promise.all([
    commandHere(['lint', '--json', ...messages], { environment }),
    commandHere(['lint', '--json', document, cases], { environment }),
  ]);
  assert.equal(fromMessages.stdout, fromTexts.stdout);
});

test('a job that is broken off or misspelt is not passed as a document without faults', async () => {
  const whole = JSON.stringify(disputed);
  const brokenOff = whole.slice(0, -200);
  const misspelt = JSON.stringify({ ...disputed, agreement: undefined, agrement: disputed.agreement });
  const [cut, strange, list, fromInput] = await Promise.all([
    commandHere(['lint', file('cut.json', brokenOff)], { environment }),
    commandHere(['lint', '--json', file('misspelt.json', misspelt)], { environment }),
    commandHere(['lint', file('list.json', '[1]')], { environment }),
    commandHere(['lint', '-'], { environment, input: brokenOff }),
  ]);
  for (const { code, stdout } of [cut, strange, list, fromInput])
    assert.deepEqual({ code, stdout }, { code: 65, stdout: '' });
  assert.match(cut.stderr, /JSON.*, wanted a job, or a message with a document/);
  assert.match(strange.stderr, /JSON without agreement, wanted a job/);
});

test('cases that cannot be read are a finding', async () => {
  const { code, stdout } = await commandHere(['lint', sound, file('prose.md', 'We shall test this thoroughly.')], {
    environment,
  });
  assert.equal(code, 1);
  assert.match(stdout, /DOCUMENT_CASE/);
});

test('hostile text is shown as escapes', async () => {
  const hostile = casesText.replace('"productInfo": null', '"productInfo": "\u202e\u2066\u009b[2J owned"');
  assert.notEqual(hostile, casesText);
  const path = file('hostile.md', hostile);
  for (const call of [
    ['lint', document, path],
    ['lint', '--json', document, path],
  ]) {
    const { code, stdout } = await commandHere(call, { environment });
    assert.equal(code, 1);
    assert.doesNotMatch(stdout, /[^\P{C}\n]/u);
    assert.match(stdout, /owned/);
  }
});

test('a document of another kind is no reason to fail', async () => {
  const binary = file('binary.md', Buffer.from([0xff, 0xfe, 0x00, 0x80]).toString('latin1'));
  const { code, stderr } = await commandHere(['lint', binary], { environment });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
});

test('a job is linted with all that it says, not as a text', async () => {
  const job = (name: string, more: object = {}) =>
    file(`${name}.job.json`, JSON.stringify({ ...example('anp-product-en.disputed'), ...more }));
  const jobOf = (name: string) => file(`${name}.json`, JSON.stringify(example(name)));
  const [broken, fine, baseless, requester] = await Promise.all(
    ['disputed', 'consistent', 'base-missing', 'requester'].map((name) =>
      commandHere(['lint', '--json', jobOf(`anp-product-en.${name}`)], { environment }),
    ),
  );
  const codes = (found: { stdout: string } | undefined) =>
    (JSON.parse(found?.stdout ?? '') as Finding[]).map(({ code, testCase }) => [code, testCase]);
  assert.deepEqual([broken?.code, codes(broken)], [1, [['DOCUMENT_CASE_VIOLATES_SCHEMA', 2]]]);
  assert.deepEqual([fine?.code, codes(fine)], [0, []]);
  assert.deepEqual([baseless?.code, codes(baseless)], [1, [['DOCUMENT_BASE_PROTOCOL_MISSING', undefined]]]);
  assert.deepEqual([requester?.code, codes(requester)], [0, []]);
  const [untooled, proposed, faulty, together] = await Promise.all([
    commandHere(['lint', '--json', job('untooled', { ...example('anp-product-en.consistent'), tools: [] })], {
      environment,
    }),
    commandHere(['lint', job('proposed', { agreement: { ...disputed.agreement, status: 'negotiating' } })], {
      environment,
    }),
    commandHere(['lint', '--json', job('faulty', { protocolHash: '0'.repeat(64), role: 'both' })], { environment }),
    commandHere(['lint', job('together'), cases], { environment }),
  ]);
  assert.deepEqual(
    [untooled.code, new Set(codes(untooled).map(([code]) => code))],
    [0, new Set(['DOCUMENT_ANSWER_UNDERIVABLE'])],
  );
  assert.match(proposed.stdout, /DOCUMENT_CASE_VIOLATES_SCHEMA/);
  assert.equal(faulty.code, 1);
  assert.deepEqual(
    codes(faulty)
      .map(([code]) => code)
      .sort(),
    ['JOB_HASH_MISMATCH', 'JOB_INVALID'],
  );
  assert.equal(together.code, 64);
});

test('what has no text in it is not passed as sound', async () => {
  const message = (more: object) => JSON.stringify({ action: 'protocolNegotiation', ...more });
  for (const [name, found, ...given] of [
    ['empty', 'no text', ''],
    ['blank', 'no text', ' \n\t\n'],
    ['silent', 'no text', message({ candidateProtocols: ' ' })],
    ['textless', 'a message without the text of the document', message({})],
    ['misnamed', 'a message without the text of the document', JSON.stringify(disputed.testCases)],
    ['caseless', 'no text', documentText, ''],
    ['swapped', 'a message without the text of the cases', documentText, JSON.stringify(disputed.agreement)],
    ['binary', 'not valid UTF-8', Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x80])],
  ] as const) {
    const paths = given.map((text, index) => file(`${name}-${index}.md`, text));
    const { code, stdout, stderr } = await commandHere(['lint', ...paths], { environment });
    assert.deepEqual({ code, stdout }, { code: 65, stdout: '' }, name);
    assert.match(stderr, new RegExp(`Cannot read ".*": ${found}`), name);
  }
});

test('a manifest of uAgents is looked at as it is published, in a message and in a job', async () => {
  const jobFile = join(root, 'fixtures/families/uagents/weather/job.json');
  const manifest: string = JSON.parse(readFileSync(jobFile, 'utf8')).agreement.manifest;
  const broken = manifest.replace('City name', 'Town name');
  const inMessage = file('message.json', JSON.stringify({ manifest: broken }));
  for (const [path, exit, told] of [
    [file('manifest.json', manifest), 0, /^no findings$/m],
    [jobFile, 0, /^no findings$/m],
    [file('broken.json', broken), 1, /\[DOCUMENT_DIGEST_MISMATCH\]$/m],
    [inMessage, 1, /\[DOCUMENT_DIGEST_MISMATCH\]$/m],
  ] as const) {
    const { code, stdout } = await commandHere(['lint', path], { environment });
    assert.equal(code, exit, stdout);
    assert.match(stdout, told);
  }
  assert.equal((await commandHere(['lint', inMessage, cases], { environment })).code, 64);
});
