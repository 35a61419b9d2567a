import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import type { DeclineKind } from '../../src/completion/extract-candidate.ts';
import type { Finding } from '../../src/contract/finding.ts';
import type { CaseReport } from '../../src/contract/outcome.ts';
import { assignmentFor } from '../../src/generation/assignment.ts';
import { blame } from '../../src/generation/blame.ts';
import { enoughDeclines, enoughVoters, suspicionOf } from '../../src/generation/blame-suspicion.ts';
import { underivedPlaces } from '../../src/generation/blame-underived.ts';
import { type Declined, type Failed, failed } from '../../src/generation/lane-candidate.ts';
import type { LaneContext } from '../../src/generation/lane-context.ts';
import { readJob } from '../../src/intake/read-job.ts';
import { Budget } from '../../src/job/budget.ts';
import { clear } from '../../src/job/clear.ts';
import { Ledger } from '../../src/job/ledger.ts';
import { requirementsOf } from '../../src/job/requirements.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { example } from '../system/harness.ts';
import { hangMs, processBudgetOf, productJob, withCaseText } from './rig.ts';
import { farOff, noReading, trusting } from './workbench.ts';

const limits = { maxCandidates: 6, maxCompletions: 8, maxTokens: null, maxCostUsd: null };

/** A job whose candidates had these results; the model is unreachable. */
async function workOf(
  data: JsonObject,
  tried: LaneContext['tried'],
  maxCompletions = limits.maxCompletions,
): Promise<LaneContext> {
  const reading = readJob('generate', data);
  assert.ok(reading.ok);
  return {
    assignment: await assignmentFor(requirementsOf(clear(analyze(reading.job)), 'seed'), trusting),
    services: undefined as never,
    ledger: new Ledger({ jobId: 'job', negotiationId: null }, () => undefined),
    budget: new Budget({ ...limits, maxCompletions }, processBudgetOf()),
    tried,
    reading: noReading(),
    peerDeadline: farOff(),
    modules: new Map(),
    running: new Set(),
  };
}

const candidate = (attempted: Failed | Declined, fresh = true): LaneContext['tried'][number] => ({ fresh, attempted });

function declined(decline: DeclineKind): Declined {
  return { kind: 'declined', decline, reason: 'so', quote: '404 when there is no such product' };
}

/** A candidate that fails these cases, with a valid answer where one is given. */
function failing(answers: { [testCase: number]: Json | undefined }, more: Partial<Failed> = {}): Failed {
  const cases = [1, 2].map(
    (testCase): CaseReport => ({ testCase, passed: !Object.hasOwn(answers, testCase), differences: [] }),
  );
  return {
    ...failed('failed-cases', 'CANDIDATE_CASES_FAILED', 'it fails', null),
    tested: { source: '', bundle: '', model: '', tools: [], cases, checks: [], isWholeReading: false },
    objections: new Map(
      Object.entries(answers).flatMap(([testCase, answer]) =>
        answer === undefined ? [] : [[Number(testCase), { answer, calls: [] }]],
      ),
    ),
    ...more,
  };
}

function refused(more: Partial<Failed>): Failed {
  return failing(
    {},
    { result: 'failed-checks', code: 'CANDIDATE_CHECKS_FAILED', message: 'knows it by heart', ...more },
  );
}

async function endOf(data: JsonObject, tried: LaneContext['tried'], maxCompletions?: number): Promise<Finding[]> {
  const work = await workOf(data, tried, maxCompletions);
  const { conclusion } = await blame(work, new Deadline(Date.now() + hangMs, new AbortController().signal));
  assert.equal(conclusion.verdict, 'error');
  for (const { message } of conclusion.findings) assert.match(message, /^Cannot .+: .+, wanted ./s);
  return conclusion.findings.filter(({ severity }) => severity === 'error');
}

const codesOf = (findings: readonly Finding[]): string[] => [...new Set(findings.map(({ code }) => code))];

/** No source provides the answers of these cases. */
const withoutTools = productJob({ tools: [] });

test('answers without a source do not excuse candidates that fail the cases', async () => {
  const findings = await endOf(withoutTools, [candidate(failing({ 2: null }))]);
  assert.deepEqual(codesOf(findings), ['CANDIDATE_CASES_FAILED']);
});

test('a missing tool is reported where every candidate that passed the cases had memorised them, not where one did', async () => {
  const [table, other] = [refused({ memorised: true }), refused({ memorised: false })];
  assert.deepEqual(codesOf(await endOf(withoutTools, [candidate(table), candidate(failing({ 1: null }))])), [
    'CANDIDATE_MISSING_TOOL',
  ]);
  assert.deepEqual(codesOf(await endOf(withoutTools, [candidate(table), candidate(other)])), [
    'CANDIDATE_CHECKS_FAILED',
  ]);
});

test('a wrong output of a requester is reported at the job’s example of it', async () => {
  const job = example('anp-product-en.requester');
  const { examples } = job.task as { examples: { testCase: number }[] };
  const task = { ...(job.task as JsonObject), examples: examples.toReversed() } as JsonObject;
  const failed = failing({ 1: null });
  const [first, ...others] = failed.tested?.cases ?? [];
  assert.ok(first && failed.tested);
  const differences: CaseReport['differences'] = [{ path: '/price', in: 'output', expected: 1299.99, got: 1 }];
  const tested = { ...failed.tested, cases: [{ ...first, differences }, ...others] };
  const [finding] = await endOf({ ...job, task }, [candidate({ ...failed, tested })]);
  assert.deepEqual(
    [finding?.in, finding?.testCase, finding?.pointer, finding?.expected, finding?.actual],
    ['job', 1, '/task/examples/1/output/price', 1299.99, 1],
  );
});

test('a refusal for another reason reports no missing tool', async () => {
  assert.deepEqual(codesOf(await endOf(withoutTools, [candidate(declined('protocol'))])), ['CANDIDATE_DECLINED']);
  assert.deepEqual(codesOf(await endOf(withoutTools, [candidate(declined('missing-tool'))])), [
    'CANDIDATE_MISSING_TOOL',
  ]);
});

test('at most ten values without a source are reported', async () => {
  const list = Array.from({ length: 15 }, (_, n) => `Unheard of ${n}`);
  const job = withCaseText({ ...withoutTools, testCases: productJob().testCases } as never, (text) =>
    text.replace('"currency": "EUR"', `"currency": "EUR", "tags": ${JSON.stringify(list)}`),
  );
  assert.equal((await endOf(job, [candidate(declined('missing-tool'))])).length, 10);
});

test('a number that may be computed counts only where the preflight found it underivable', async () => {
  const { assignment: plain } = await workOf(withoutTools, []);
  const isPrice = ({ pointer }: { pointer: string }) => pointer === '/product/price';
  const warnings = (pointer: string): Finding[] => [
    {
      code: 'DOCUMENT_ANSWER_UNDERIVABLE',
      severity: 'warning',
      in: 'response',
      testCase: 1,
      pointer,
      message: '',
    },
  ];
  const warnedOf = (pointer: string) =>
    underivedPlaces({ ...plain, cleared: { ...plain.cleared, warnings: warnings(pointer) } });
  assert.ok(!warnedOf('/product/name').some(isPrice));
  assert.ok(warnedOf('/product/name').some(({ pointer }) => pointer === '/product/name'));
  assert.ok(warnedOf('/product/price').some(isPrice));
});

test('of failed candidates, the one that passes the most cases is reported', async () => {
  const near = failing({ 2: null }, { message: 'near' });
  const far = failing({ 1: null, 2: null }, { message: 'far' });
  for (const tried of [
    [near, far],
    [far, near],
  ])
    assert.deepEqual(
      (
        await endOf(
          productJob(),
          tried.map((one) => candidate(one)),
        )
      ).map(({ testCase }) => testCase),
      [2],
    );
});

test('of failed candidates that pass the same number of cases, the last one is reported', async () => {
  const tried = ['earlier', 'later'].map((message) => candidate(refused({ message })));
  const [finding, ...others] = await endOf(productJob(), tried);
  assert.match(finding?.message ?? '', /: later, /);
  assert.deepEqual(others, []);
});

test('where the budget has no question left for a judge, nothing is confirmed', async () => {
  const declines = [candidate(declined('protocol')), candidate(declined('protocol'))];
  assert.deepEqual(codesOf(await endOf(productJob(), declines, 0)), ['CANDIDATE_BUDGET', 'CANDIDATE_DECLINED']);
});

test('refusals because of a case prove nothing where the cases are not text', async () => {
  const testCases = [{ request: { messageId: 'm', action: 'a', productId: 'p' }, response: null }];
  const job = productJob({ onContradiction: 'amend', testCases: testCases as unknown as Json });
  const declines = [candidate(declined('case')), candidate(declined('case'))];
  // The budget would refuse a question, and the outcome would say so.
  assert.deepEqual(codesOf(await endOf(job, declines, 0)), ['CANDIDATE_DECLINED']);
});

const subject = (role: 'provider' | 'requester') => ({ subject: { role } }) as LaneContext['assignment'];

function suspected(tried: LaneContext['tried'], role: 'provider' | 'requester' = 'provider') {
  return suspicionOf({ assignment: subject(role), tried });
}

const against = () => candidate(failing({ 2: { code: 404 } }));

test('three independent candidates against one case raise a suspicion, two do not', () => {
  assert.ok(enoughVoters(suspected([against(), against(), against()])));
  assert.ok(!enoughVoters(suspected([against(), against()])));
  assert.equal(suspected([against(), against(), against()])?.testCase, 2);
});

test('no case of a requester is suspected', () => {
  assert.equal(suspected([against(), against(), against()], 'requester'), null);
});

test('a candidate that also fails another case does not count', () => {
  for (const answers of [
    { 1: undefined, 2: { code: 404 } },
    { 1: { code: 1 }, 2: { code: 404 } },
  ]) {
    const other = candidate(failing(answers));
    assert.equal(suspected([other, other, other]), null, JSON.stringify(answers));
    assert.ok(!enoughVoters(suspected([against(), against(), other])));
  }
});

test('a candidate with an invalid answer does not count', () => {
  const invalid = candidate(failing({ 2: undefined }));
  assert.equal(suspected([invalid, invalid, invalid]), null);
});

for (const [name, other] of Object.entries({
  'answers the case differently': failing({ 2: { code: 410 } }),
  'passes the case': refused({}),
  'throws in the case': failing({ 2: undefined }),
})) {
  test(`an independent candidate that ${name} removes the suspicion; a repair does not`, () => {
    const voices = [against(), against(), against()];
    assert.equal(suspected([...voices, candidate(other)]), null);
    assert.ok(enoughVoters(suspected([...voices, candidate(other, false)])));
  });
}

test('two independent refusals are enough; repairs and missing tools do not count', () => {
  const refusals = (decline: DeclineKind, fresh: boolean) => ({
    tried: [1, 2, 3].map(() => candidate(declined(decline), fresh)),
  });
  assert.ok(enoughDeclines({ tried: refusals('protocol', true).tried.slice(1) }));
  assert.ok(!enoughDeclines({ tried: refusals('protocol', true).tried.slice(2) }));
  assert.ok(!enoughDeclines(refusals('protocol', false)));
  assert.ok(!enoughDeclines(refusals('missing-tool', true)));
});
