import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Finding } from '../../src/contract/finding.ts';
import type { Statement } from '../../src/contract/statement.ts';
import { CaseValidation } from '../../src/documents/case-validation.ts';
import { families, familyNamed } from '../../src/families/families.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { menu } from '../system/sixth-family/menu.ts';

const finding: Finding = { code: 'DOCUMENT_CASE_WRONG', severity: 'error', in: 'response', message: '', testCase: 1 };

/** Everything that can be said, with a text where one is needed. */
function everything(text: string): Record<Statement['what'], Statement> {
  const findings = [finding];
  return {
    generated: { what: 'generated' },
    failed: { what: 'failed' },
    dispute: { what: 'dispute', findings },
    'complaint-accepted': { what: 'complaint-accepted', findings },
    'complaint-rejected': { what: 'complaint-rejected', findings },
    'amended-document': { what: 'amended-document', text, settled: findings },
    'amended-cases': { what: 'amended-cases', text, settled: findings },
    'further-cases': { what: 'further-cases', text, added: [{ testCase: 2, expected: 'x' }] },
  };
}

test('every family has a unique name and is found by it', () => {
  for (const family of families) assert.equal(familyNamed(family.name), family);
  for (const name of ['', 'x', '__proto__', 'constructor']) assert.equal(familyNamed(name), undefined);
});

for (const family of [...families, menu]) {
  const document = family === menu ? JSON.stringify({ questions: [] }) : '# A\r\n\u200bdocument';
  const cases = family.writeCases === undefined ? null : 'The cases.\n';

  test(`${family.name}: open is the inverse of carry, and messages match their schemas`, () => {
    const texts = { document, cases };
    const carried = JSON.parse(JSON.stringify(family.carry(texts)));
    assert.deepEqual(family.open(carried), texts);
    assert.deepEqual(family.documentIn(carried)?.text, document);
    const { agreement, testCases } = family.schemas;
    const ajv = new Ajv2020({ allowUnionTypes: true });
    assert.ok(ajv.validate(agreement, carried.agreement), ajv.errorsText());
    if (carried.testCases !== undefined && testCases !== undefined)
      assert.ok(ajv.validate(testCases, carried.testCases), ajv.errorsText());
    for (const kind of ['generate', 'review'] as const) assert.deepEqual(family.faults(kind, carried), []);
  });

  test(`${family.name}: everything can be said in both languages`, () => {
    const { agreement } = family.carry({ document, cases });
    for (const said of Object.values(everything('the text')))
      for (const language of ['en', 'zh'] as const) {
        const messages = family.say(said, { agreement }, language);
        assert.ok(messages.length > 0 || !family.canSay(said.what, {}), said.what);
        assert.deepEqual(JSON.parse(JSON.stringify(messages)), messages, said.what);
      }
  });

  test(`${family.name}: a counter-offer contains its text, unless the family negotiates none`, () => {
    if (family.writeCases === undefined) return;
    const { agreement } = family.carry({ document, cases });
    for (const [what, part] of [
      ['amended-document', 'document'],
      ['amended-cases', 'cases'],
      ['further-cases', 'cases'],
    ] as const) {
      const [message = {}] = family.say(everything('a new\ntext\u200b')[what], { agreement }, 'en');
      assert.equal(family.textsIn(message)?.[part], 'a new\ntext\u200b', what);
    }
  });

  test(`${family.name}: unknown members do no harm`, () => {
    const carried = family.carry({ document: family === menu ? '{"questions":[],"x":1}' : document, cases });
    const extended = { ...(carried.agreement as JsonObject), 'x-extension': { kept: true } };
    const opened = family.open({ ...carried, agreement: extended });
    assert.ok(new Ajv2020({ allowUnionTypes: true }).validate(family.schemas.agreement, extended));
    assert.equal(typeof opened.document, 'string');
  });

  test(`${family.name}: invalid messages are faults or ignored, never an exception`, () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 3 }), (agreement, other) => {
        const data = JSON.parse(JSON.stringify({ agreement, testCases: other, complaint: other })) as JsonObject;
        family.documentIn(data);
        family.faults('fix', data);
        family.faults('generate', data);
        if (typeof other === 'object' && other !== null && !Array.isArray(other)) {
          family.complaint(JSON.parse(JSON.stringify(other)));
          family.textsIn(JSON.parse(JSON.stringify(other)));
        }
        for (const said of Object.values(everything('x')))
          family.say(said, { agreement: data.agreement ?? null }, 'en');
      }),
      { numRuns: 200 },
    );
  });

  test(`${family.name}: a reading has an interaction, and reading again gives the same`, () => {
    const texts = { document, cases };
    const about = () => ({ payload: undefined, baseProtocols: {}, validation: new CaseValidation() });
    const first = family.read(texts, about());
    if (family !== menu) assert.ok(first.interactions.length > 0);
    const before = { texts, about: { payload: undefined, baseProtocols: {} }, reading: first };
    assert.deepEqual(family.read({ ...texts }, about(), before), first);
  });
}
