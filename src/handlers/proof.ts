import { type Case, MAX_CASES } from '../contract/agreement.ts';
import type { Proof } from '../contract/handler.ts';
import type { Job, StructuredCase } from '../contract/job.ts';
import type { DerivedCase, KeptReading } from '../contract/reading.ts';
import type { Requirements } from '../job/requirements.ts';
import { canonicalDigest, canonicalJson } from '../kernel/digest.ts';

/** Identifies a case by its request and response. */
export function caseDigest({ request, response }: Pick<Case, 'request' | 'response'>): string {
  return canonicalDigest({ request, response });
}

/** The proof of a handler that satisfies a job's requirements. */
export function proofOf({ subject }: Pick<Requirements, 'subject'>): Proof {
  const { cases, tools, task, loose } = subject;
  return {
    cases: cases.map(({ requestSpan: _request, responseSpan: _response, ...one }) => one),
    tools: [...tools],
    loose: [...loose],
    ...(task === undefined ? {} : { task }),
  };
}

/**
 * Merges two proofs: everything of the first, then what only the second has. Added cases get the next numbers; beyond
 * `MAX_CASES` the last ones are dropped.
 */
export function mergeProof(first: Proof, second: Proof): Proof {
  const known = new Set(first.cases.map(caseDigest));
  const numbers = new Map<number, number>();
  let next = Math.max(0, ...first.cases.map(({ testCase }) => testCase));
  const added = second.cases
    .filter((one) => !known.has(caseDigest(one)))
    .map((one) => {
      next += 1;
      numbers.set(one.testCase, next);
      return { ...one, testCase: next };
    });
  const examples = (second.task?.examples ?? []).flatMap((one) => {
    const testCase = numbers.get(one.testCase);
    return testCase === undefined ? [] : [{ ...one, testCase }];
  });
  const cases = [...first.cases, ...added].slice(0, MAX_CASES);
  return {
    cases,
    tools: first.tools.map((tool) => {
      const other = second.tools.find(({ name }) => name === tool.name);
      const inputs = new Set((tool.examples ?? []).map(({ input }) => canonicalJson(input)));
      const more = (other?.examples ?? []).filter(({ input }) => !inputs.has(canonicalJson(input)));
      const otherwise = tool.otherwise ?? other?.otherwise;
      return {
        ...tool,
        examples: [...(tool.examples ?? []), ...more],
        ...(otherwise === undefined ? {} : { otherwise }),
      };
    }),
    loose: [
      ...first.loose,
      ...second.loose.filter(({ pointer }) => !first.loose.some((one) => one.pointer === pointer)),
    ],
    ...(first.task === undefined
      ? {}
      : { task: { ...first.task, examples: [...(first.task.examples ?? []), ...examples] } }),
    ...readingOf(first, second, cases),
  };
}

/** The reading of the first proof, or else of the second, with the case numbers of the merged proof. */
function readingOf(first: Proof, second: Proof, merged: readonly Case[]): Pick<Proof, 'reading'> {
  const [reading, cases] = first.reading === undefined ? [second.reading, second.cases] : [first.reading, first.cases];
  return reading === undefined ? {} : { reading: rebased(reading, cases, merged) };
}

/**
 * A reading whose derived cases refer to the same negotiated cases by the numbers these have in `to`. Derived cases
 * whose base is missing there are dropped.
 */
export function rebased(kept: KeptReading, from: readonly Case[], to: readonly Case[]): KeptReading {
  const digests = new Map(from.map((one) => [one.testCase, caseDigest(one)]));
  const numbers = new Map(to.map((one) => [caseDigest(one), one.testCase]));
  const numberOf = (testCase: number) => numbers.get(digests.get(testCase) ?? '');
  const derived = kept.reading.derived.flatMap((entry): DerivedCase[] => {
    const base = entry.base === 0 ? 0 : numberOf(entry.base);
    const { alike } = entry.expect;
    const other = typeof alike?.to === 'number' ? numberOf(alike.to) : alike?.to;
    if (base === undefined || (alike !== undefined && other === undefined)) return [];
    return [
      {
        ...entry,
        base,
        expect: { ...entry.expect, ...(alike && other !== undefined ? { alike: { ...alike, to: other } } : {}) },
      },
    ];
  });
  return { ...kept, reading: { ...kept.reading, derived } };
}

/** A job with the cases of a proof in place of its own, as structured cases. */
export function withProof(job: Job, { cases, tools, task, loose }: Proof): Job {
  const structured = cases.map(
    ({ request, response, expected }): StructuredCase => ({
      request,
      response,
      ...(expected === '' ? {} : { expected }),
    }),
  );
  const numberOf = new Map(cases.map(({ testCase }, index) => [testCase, index + 1]));
  const examples = task?.examples?.flatMap((one) => {
    const testCase = numberOf.get(one.testCase);
    return testCase === undefined ? [] : [{ ...one, testCase }];
  });
  return {
    ...job,
    testCases: structured,
    tools,
    loose,
    ...(task === undefined ? {} : { task: { ...task, ...(examples === undefined ? {} : { examples }) } }),
  };
}
