import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { candidatesFolder, measureOf, tryCandidate } from '../../scripts/try-candidate.ts';
import { analyze } from '../../src/analysis/analyze.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { jobFrom } from '../analysis/sample-job.ts';

const folder = new URL('product-lookup/', candidatesFolder);

/** Sentences with words that rules use, none of which states anything that a handler could break. */
const sentences = [
  'An account whose owner has not logged in for a year is closed.',
  'Do not forget to log the owner of a product.',
  'No account is read without a log entry that names its owner.',
  'A response that repeats the messageId of another request is a duplicate, and the requester drops it.',
  'Ein Händler, der nie mit Code 410 antwortet, wenn das Lager 503 meldet, verliert seinen Eintrag nicht.',
  'Une réponse sans `product`, ou dont `product` est `"GONE"`, est celle d’un autre service que personne n’appelle plus.',
  'Nadie debe enviar una petición que no cumpla el esquema; si `status` es `ERROR`, el cliente espera.',
  '旧系统不存在商品时返回状态码 410，product 为空字符串；本协议取代该系统。',
  'Ни один ответ не повторяет messageId без изменений, если запрос неверен: так было в старом протоколе.',
];

let sandbox: Sandbox;
let sound: string;
let job: JsonObject & { agreement: JsonObject };
before(async () => {
  const [text, source] = await Promise.all(
    ['job.json', 'sound.ts'].map((file) => readFile(new URL(file, folder), 'utf8')),
  );
  job = JSON.parse(text as string);
  sound = source as string;
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/**
 * The agreement with these sentences, and with a schema that lists the codes of its answers, so that any other code
 * breaks it.
 */
function withSentences(...added: string[]): JsonObject {
  const heading = '# Data Format Description';
  const [open, listed] = [/("code": \{\s+)"type": "integer"/, '$1"enum": [200, 404, 500]'];
  const before = String(job.agreement.candidateProtocols);
  const document = before.replace(open, listed);
  assert.ok(document.includes(heading) && document !== before);
  const candidateProtocols = document.replace(heading, `${added.join('\n')}\n\n${heading}`);
  return { ...job, agreement: { ...job.agreement, candidateProtocols } };
}

for (const sentence of sentences)
  test(`misleads nobody: ${sentence}`, async () => {
    const data = withSentences(sentence);
    assert.deepEqual(preflight(analyze(jobFrom(data))), []);
    const { refusedFor, verification } = await tryCandidate(measureOf(data), sound, sandbox);
    assert.deepEqual([refusedFor, verification?.failures], [[], []]);
  });

test('nor do all of them together', async () => {
  const data = withSentences(...sentences);
  assert.deepEqual(preflight(analyze(jobFrom(data))), []);
  assert.deepEqual((await tryCandidate(measureOf(data), sound, sandbox)).refusedFor, []);
});
