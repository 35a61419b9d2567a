import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import type { Behaviour } from '../../src/scripted-model/server.ts';
import {
  type Asked,
  module,
  productJob,
  soundBut,
  soundSource,
  startGeneration,
  withCaseText,
} from '../generation/rig.ts';

const { play } = await startGeneration();
const sound = module(soundSource);

/** The job with an unsupported keyword in a schema, which causes a warning. */
function warned(job: JsonObject): JsonObject {
  const agreement = job.agreement as JsonObject;
  const text = String(agreement.candidateProtocols);
  const candidateProtocols = text.replace('"productId": {', '"productId": { "tsType": "never",');
  assert.notEqual(candidateProtocols, text);
  return { ...job, agreement: { ...agreement, candidateProtocols } };
}

/** Case 2 asks for 410 where the document says 404. */
const wrongCase = withCaseText(productJob(), (text) =>
  text.replace('"code": 404', '"code": 410').replaceAll('404', '410'),
);

/** A judge who prefers the answer with 404, with other fenced blocks before its answer. */
function judge({ prompt }: Asked): Behaviour {
  const [, first = ''] = prompt.split(/# Answer [12]/);
  const said = { right: first.includes('404') ? 1 : 2, quote: '404 when there is no such product', reason: 'so' };
  const noted = { right: 0, quote: '', reason: 'not decided yet' };
  const block = (language: string, value: JsonObject) => `\`\`\`${language}\n${JSON.stringify(value)}\n\`\`\``;
  return { kind: 'reply', text: [block('text', noted), block('json', said)].join('\n\n') };
}

test('warnings of the preflight come last among the findings, no matter who is at fault', async () => {
  const disputed = await play(warned(wrongCase), (asked) => (asked.purpose === 'judge' ? judge(asked) : sound));
  const failed = await play(warned(productJob()), () => soundBut("message: 'OK'", "message: 'Okay'"));
  for (const [{ conclusion }, verdict, code] of [
    [disputed, 'disputed', 'DOCUMENT_CASE_WRONG'],
    [failed, 'error', 'CANDIDATE_CASES_FAILED'],
  ] as const) {
    assert.equal(conclusion?.verdict, verdict, JSON.stringify(conclusion));
    const { findings } = conclusion;
    assert.deepEqual([findings[0]?.code, findings.at(-1)?.code], [code, 'DOCUMENT_KEYWORD_REMOVED']);
  }
});

test('a note of a judge in a block of another language is no answer', async () => {
  const { conclusion } = await play(wrongCase, (asked) => (asked.purpose === 'judge' ? judge(asked) : sound));
  assert.equal(conclusion?.verdict, 'disputed', JSON.stringify(conclusion));
});
