import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readAgreementText, writeAgreementText } from '../../../src/families/anp-negotiate/agreement-text.ts';
import { anpNegotiate } from '../../../src/families/anp-negotiate/anp-negotiate.ts';
import { readJob } from '../../../src/intake/read-job.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { codesOf, documentOf, job, result, uri } from './product.ts';

const LAST = '# Words\n\n';

const anyText = fc.oneof(
  fc.string(),
  fc
    .array(fc.constantFrom('```', '````', '\n', '# Schema "x"', '# Words', 'json', 'a', '"', '\r'))
    .map((parts) => parts.join('')),
);

test('the text of an agreement gives back its parts, whatever they hold', () => {
  const part = fc.option(anyText, { nil: undefined });
  const schemas = fc.dictionary(anyText, anyText, { maxKeys: 4 }).map((entries) => new Map(Object.entries(entries)));
  fc.assert(
    fc.property(part, part, schemas, anyText, (artifact, selection, texts, words) => {
      const text = writeAgreementText({
        ...(artifact === undefined ? {} : { artifact }),
        ...(selection === undefined ? {} : { selection }),
        schemas: texts,
        words,
      });
      const read = readAgreementText(text);
      assert.ok(read);
      const textOf = (at: { start: number; end: number } | undefined) => at && text.slice(at.start, at.end);
      assert.deepEqual([textOf(read.artifact), textOf(read.selection), read.words], [artifact, selection, words]);
      assert.deepEqual(new Map([...read.schemas].map(([name, at]) => [name, textOf(at)])), texts);
    }),
    // Each would end its own part if the fences had one length.
    { numRuns: 300, examples: [['x\n```\n\n# Words\n\ny', '\n````\n\n', new Map([['u', '\n```\n\n']]), LAST]] },
  );
});

test('whatever an agreement holds, reading it throws nothing', () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
  const method = fc.record({
    name: fc.constantFrom('a', 'b', '', '__proto__'),
    request_schema_uri: fc.constantFrom<Json>(uri, 'x#/y', '#', '', {}, { $ref: '#/methods/0' }, true, 7),
    response_schema: json,
    errors: json,
    examples: json,
  });
  const artifact = fc.oneof(
    json,
    fc.record({ methods: fc.array(method, { maxLength: 3 }), digest: json, description: json, test_cases: json }),
  );
  const results = fc.oneof(
    json,
    fc.record({ negotiationId: fc.constant('n'), status: fc.constant('accepted'), selected: json, schemas: json }),
  );
  fc.assert(
    fc.property(artifact, results, json, fc.array(fc.string()), (given, negotiated, texts, methods) => {
      const data = JSON.parse(
        JSON.stringify(job({ agreement: { result: negotiated, artifact: given as Json, methods }, supplied: texts })),
      );
      readJob('generate', data);
      codesOf(data);
      anpNegotiate.hashOf(documentOf(data));
      for (const what of ['generated', 'failed'] as const) anpNegotiate.say({ what }, data, 'en');
    }),
    { numRuns: 150 },
  );
});

test('whatever the text of an agreement selects, reading it throws nothing', () => {
  const value = fc.constantFrom<Json>('a', '', 7, null, {}, ['a', 7], true);
  const names = ['methods', 'contentType', 'securityProfile', 'protocolArtifact', 'name', 'requestSchema'];
  const selection = fc.dictionary(fc.constantFrom(...names), value);
  const { artifact } = job().agreement as JsonObject;
  fc.assert(
    fc.property(fc.option(selection), fc.boolean(), (selected, hasArtifact) => {
      const text = writeAgreementText({
        ...(hasArtifact ? { artifact: JSON.stringify(artifact) } : {}),
        selection: JSON.stringify(selected),
        schemas: new Map(),
        words: '',
      });
      codesOf(job({ agreement: { document: text } }));
      anpNegotiate.hashOf(text);
    }),
  );
});

test('texts that are huge, deep or cut off are read in one pass', () => {
  const [first = ''] = documentOf(job()).split('# Words');
  for (const text of [
    '`'.repeat(200_000),
    '# Schema "x"\n\n```json\n'.repeat(9_000),
    first.repeat(60),
    `${first}# Words`,
    '[['.repeat(90_000),
  ]) {
    const data = job({ agreement: { document: text } });
    assert.ok(codesOf(data).length > 0);
    const inside = job({ agreement: { result, artifact: text } });
    assert.deepEqual(codesOf(inside), ['DOCUMENT_ARTIFACT_INVALID ']);
  }
  let deep: Json = {};
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  const data = { agreement: { result: deep, artifact: { methods: deep } }, supplied: { x: deep } } as JsonObject;
  assert.equal(anpNegotiate.documentIn(data), undefined);
  assert.equal(anpNegotiate.say({ what: 'failed' }, { agreement: data.agreement ?? null }, 'en').length, 1);
  assert.equal(typeof anpNegotiate.complaint({ code: 1, message: 'x', data: deep }), 'string');
});
