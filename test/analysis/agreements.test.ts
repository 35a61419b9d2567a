import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { decide } from '../../src/analysis/decide.ts';
import { lint } from '../../src/analysis/lint.ts';
import { preflight } from '../../src/analysis/rules.ts';
import { told } from '../told.ts';
import { sampleJob } from './sample-job.ts';

const AGREEMENTS = new URL('../../fixtures/agreements/', import.meta.url);

/** The content of a fixture's `expected.json`. */
interface Expected {
  language: 'en' | 'zh';
  payload: 'json' | 'text';
  /** A property of the schema selected for that side; `null` if there is no schema, or a union. */
  request: string | null;
  response: string | null;
  cases: number[];
  negative: number[];
  /** Code, case and pointer of every error. */
  errors: [code: string, testCase: number | null, pointer: string | null][];
  settlement: 'cleared' | 'disputed';
  /** Whether small changes of the schemas resolve all errors. */
  amendable?: boolean;
  /** The number of members in each union. */
  parts?: { request: number; response: number };
}

const folders = readdirSync(AGREEMENTS, { withFileTypes: true }).filter(
  (entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/expected.json`, AGREEMENTS)),
);

test('there are agreements in both languages', () => {
  assert.ok(folders.some(({ name }) => name.endsWith('-en')) && folders.some(({ name }) => name.endsWith('-zh')));
});

for (const { name } of folders) {
  test(`agreement ${name} is read and judged as its file expects`, () => {
    const read = (file: string): string => readFileSync(new URL(`${name}/${file}`, AGREEMENTS), 'utf8');
    const expected = JSON.parse(read('expected.json')) as Expected;
    const analyzed = analyze(sampleJob(read('document.md'), read('cases.md')));
    const { agreement } = analyzed;
    assert.equal(agreement.language, expected.language);
    assert.equal(agreement.payload, expected.payload);
    assert.deepEqual(
      agreement.cases.map(({ testCase }) => testCase),
      expected.cases,
    );
    assert.deepEqual(
      agreement.cases.flatMap(({ testCase, negative }) => (negative ? [testCase] : [])),
      expected.negative,
    );
    for (const side of ['request', 'response'] as const) {
      const located = agreement[`${side}Schema`];
      assert.equal(located?.parts?.length, expected.parts?.[side]);
      const wanted = expected[side];
      if (located?.parts !== undefined) continue;
      assert.equal(located === null, wanted === null, side);
      if (wanted !== null) assert.ok(JSON.stringify(located?.schema).includes(`"${wanted}":{`), side);
    }
    const findings = preflight(analyzed);
    const errors = findings.filter(({ severity }) => severity === 'error');
    assert.deepEqual(
      errors.map(({ code, testCase, pointer }) => [code, testCase ?? null, pointer ?? null]),
      expected.errors,
    );
    assert.deepEqual(
      lint(read('document.md'), read('cases.md')).filter(({ severity }) => severity === 'error'),
      errors,
    );

    const decision = decide(analyzed, findings);
    assert.equal(decision.kind, expected.settlement);
    if (decision.kind === 'cleared') return;
    const end = { ...decision, verdict: decision.kind, language: analyzed.agreement.language };
    const { messages, proposals } = told(end, analyzed.job.kind, analyzed.job);
    const description = String(messages[0]?.errorDescription);
    assert.equal(description.split('\n').length, 1 + errors.length);
    assert.equal(
      /[\u4e00-\u9fff]/.test(
        description
          .split('`')
          .filter((_, index) => index % 2 === 0)
          .join(''),
      ),
      expected.language === 'zh',
    );
    const amended = decide(
      analyze(sampleJob(read('document.md'), read('cases.md'), { onContradiction: 'amend' })),
      findings,
    );
    assert.equal(amended.kind, expected.amendable === true ? 'cleared' : 'disputed');
    if (expected.amendable !== true) return;
    const [proposal] = proposals ?? [];
    assert.deepEqual(
      lint(String(proposal?.candidateProtocols), read('cases.md')).filter(({ severity }) => severity === 'error'),
      [],
    );
  });
}
