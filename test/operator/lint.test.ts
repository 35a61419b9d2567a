import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Finding } from '../../src/contract/finding.ts';
import { example, runCommand } from '../system/harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a command may not reach: neither Redis nor a model is asked. */
const environment = { REDIS_URL: 'redis://127.0.0.1:1', OPENAI_BASE_URL: 'http://127.0.0.1:1' };

function file(name: string, text: string): string {
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
  const { code, stdout } = await runCommand(['lint', '--json', document, cases], { environment });
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
    runCommand(['lint', sound, cases], { environment }),
    runCommand(['lint', document], { environment }),
    runCommand(['lint', '--json', sound, cases], { environment }),
  ]);
  assert.deepEqual([both.code, alone.code, json.code], [0, 0, 0], both.stdout + alone.stdout);
  assert.ok(Array.isArray(JSON.parse(json.stdout)));
});

test('either text may come from standard input', async () => {
  const [first, second] = await Promise.all([
    runCommand(['lint', '--json', '-', cases], { environment, input: documentText }),
    runCommand(['lint', '--json', document, '-'], { environment, input: casesText }),
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
    runCommand(['lint', '--json', ...messages], { environment }),
    runCommand(['lint', '--json', document, cases], { environment }),
  ]);
  assert.equal(fromMessages.stdout, fromTexts.stdout);
});

test('cases that cannot be read are a finding', async () => {
  const { code, stdout } = await runCommand(['lint', sound, file('prose.md', 'We shall test this thoroughly.')], {
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
    const { code, stdout } = await runCommand(call, { environment });
    assert.equal(code, 1);
    assert.doesNotMatch(stdout, /[^\P{C}\n]/u);
    assert.match(stdout, /owned/);
  }
});

test('a document of another kind is no reason to fail', async () => {
  const binary = file('binary.md', Buffer.from([0xff, 0xfe, 0x00, 0x80]).toString('latin1'));
  const { code, stderr } = await runCommand(['lint', binary], { environment });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
});
