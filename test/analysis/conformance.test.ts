import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { decide } from '../../src/analysis/decide.ts';
import { lint } from '../../src/analysis/lint.ts';
import { preflight } from '../../src/analysis/rules.ts';
import { sha256Hex } from '../../src/kernel/digest.ts';
import type { Json } from '../../src/kernel/json.ts';
import { createValidator } from '../../src/schemas/validator.ts';
import { told } from '../told.ts';
import { jobFrom, sampleJob } from './sample-job.ts';

const SHARED = new URL('../../../shared/', import.meta.url);
const skip = existsSync(SHARED) ? false : 'the shared vectors are not beside the project';
const read = (path: string): string => readFileSync(new URL(path, SHARED), 'utf8');
const LEGACY = 'conformance/anp/meta-protocol-legacy/';

interface Vector {
  cases: {
    request: Json;
    response: Json;
    request_valid: boolean;
    response_valid: boolean;
    response_errors?: { path: string }[];
  }[];
  candidateProtocols_sha256: string;
  candidateProtocols_sha256_stripped: string;
  candidateProtocols_sha256_crlf: string;
}

for (const language of ['en', 'zh'] as const) {
  test(`the specification's own example is read as its vectors expect (${language})`, { skip }, () => {
    const vector = (JSON.parse(read(`${LEGACY}validation.json`)) as Record<string, Vector>)[language];
    assert.ok(vector);
    const document = read(`${LEGACY}${language}/candidateProtocols.product-info.full.md`);
    const cases = read(`${LEGACY}${language}/testCases.product-info.md`);
    const analyzed = analyze(sampleJob(document, cases));
    const { agreement } = analyzed;

    assert.equal(agreement.language, language);
    assert.equal(agreement.payload, 'json');
    assert.deepEqual(agreement.baseUris, []);
    assert.equal(agreement.protocolHash, vector.candidateProtocols_sha256);
    assert.equal(sha256Hex(document.trim()), vector.candidateProtocols_sha256_stripped);
    assert.equal(sha256Hex(document.replaceAll('\n', '\r\n')), vector.candidateProtocols_sha256_crlf);
    assert.deepEqual(
      agreement.cases.map(({ request, response }) => ({ request, response })),
      vector.cases.map(({ request, response }) => ({ request, response })),
    );
    for (const side of ['request', 'response'] as const) {
      const located = agreement[`${side}Schema`];
      assert.ok(located);
      assert.deepEqual(located.schema, JSON.parse(read(`${LEGACY}${language}/product-info.${side}.schema.json`)));
      assert.deepEqual(
        JSON.parse(document.slice(located.start, located.end)),
        located.schema,
        'its span holds it exactly',
      );
      const validator = createValidator(located.schema);
      assert.ok(validator.ok);
      for (const each of vector.cases) {
        assert.equal(validator.validate(each[side]).length === 0, each[`${side}_valid`]);
      }
    }
    const findings = preflight(analyzed).filter(({ severity }) => severity === 'error');
    assert.deepEqual(
      findings.map(({ testCase, in: root, pointer }) => ({ testCase, root, pointer })),
      vector.cases.flatMap(({ response_errors = [] }, index) =>
        response_errors.map(({ path }) => ({ testCase: index + 1, root: 'response', pointer: path })),
      ),
    );
  });

  test(`a document that modifies another is linked to it by its URI (${language})`, { skip }, () => {
    const uri = 'https://agent-network-protocol.com/protocols/product-info-0-1-1';
    const document = read(`${LEGACY}${language}/candidateProtocols.product-info.modification-by-uri.md`);
    const alone = analyze(sampleJob(document));
    assert.deepEqual(alone.agreement.baseUris, [uri]);
    assert.deepEqual(
      preflight(alone).map(({ code }) => code),
      ['DOCUMENT_BASE_PROTOCOL_MISSING'],
    );

    const content = read(`${LEGACY}${language}/candidateProtocols.product-info.full.md`);
    const resolved = analyze(sampleJob(document, undefined, { baseProtocols: { [uri]: { content } } }));
    assert.deepEqual(preflight(resolved), []);
    assert.equal(resolved.agreement.requestSchema?.baseUri, uri);
    assert.equal(resolved.agreement.responseSchema?.baseUri, uri);
    assert.equal(resolved.agreement.language, language);
  });
}

const EXPECTED = {
  'anp-product-en.disputed': 'disputed',
  'anp-product-en.amended': 'cleared',
  'anp-product-zh.amended': 'cleared',
  'anp-product-en.unsupported-peer': 'cleared',
  'anp-product-en.consistent': 'cleared',
  'anp-product-en.requester': 'cleared',
  'anp-product-en.base-missing': 'disputed',
} as const;

for (const [name, kind] of Object.entries(EXPECTED)) {
  test(`example job ${name} is ${kind} before a model is asked`, { skip }, () => {
    const analyzed = analyze(jobFrom(JSON.parse(read(`examples/${name}.job.json`)) as Json));
    const decision = decide(analyzed, preflight(analyzed));
    assert.equal(decision.kind, kind);
    const amendment = {
      of: 'responseSchema',
      patch: [{ op: 'replace', path: '/properties/productInfo/type', value: ['object', 'null'] }],
    };
    if (decision.kind === 'cleared') {
      const amended = name.endsWith('.amended') || name.endsWith('unsupported-peer');
      assert.deepEqual(decision.amendments, amended ? [amendment] : []);
      const validator = createValidator(decision.agreement.responseSchema?.schema ?? false);
      assert.ok(validator.ok);
      for (const { response } of decision.agreement.cases) assert.deepEqual(validator.validate(response), []);
    } else if (name.endsWith('disputed')) {
      const [finding] = decision.findings;
      assert.equal(finding?.testCase, 2);
      assert.equal(finding?.pointer, '/productInfo');
      assert.equal(finding?.actual, null);
      assert.deepEqual(finding?.amendment, amendment);
      const end = { ...decision, verdict: decision.kind, language: analyzed.agreement.language };
      const { messages, proposals = [] } = told(end, analyzed.job.kind, analyzed.job);
      const [message] = messages;
      assert.deepEqual(Object.keys(message ?? {}), ['action', 'errorDescription', 'status']);
      assert.match(
        String(message?.errorDescription),
        /^# Error Description\n- .*test case 2.*`\/productInfo`.*`null`.*object/,
      );
      const [proposal] = proposals;
      assert.equal(proposal?.status, 'negotiating');
      assert.equal(proposal?.sequenceId, 2);
      const before = analyzed.agreement.text;
      const after = String(proposal?.candidateProtocols);
      assert.equal(
        after,
        before.replace(
          '"productInfo": {\n      "type": "object"',
          '"productInfo": {\n      "type": ["object", "null"]',
        ),
      );
      assert.deepEqual(lint(after, String(analyzed.agreement.caseText)), []);
    }
  });
}
