import type { Case } from '../contract/agreement.ts';
import { type Json, valueAt } from '../kernel/json.ts';
import type { LoosePlace } from './loose-places.ts';
import { ownLoosePlaces } from './own-loose-places.ts';
import type { Subject } from './subject.ts';

/** A case with the candidate's input and the expected output. */
export interface RunnableCase {
  testCase: number;
  /** The case's request (provider) or the task example's input (requester). */
  input: Json;
  /** The case's response (provider) or the task example's output (requester). */
  output: Json;
  case: Case;
  /** Loose places: in the response (provider) or the request (requester). */
  loose: LoosePlace[];
}

/** The cases that can be run: a provider's all; a requester's those with a task example. */
export function runnableCases(subject: Subject): readonly RunnableCase[] {
  const cases = runnable.get(subject) ?? runnableOf(subject);
  runnable.set(subject, cases);
  return cases;
}

/** The numbers of a requester's cases that have no task example and cannot be run. */
export function unrunnableCases(subject: Subject): number[] {
  const runnable = new Set(runnableCases(subject).map(({ testCase }) => testCase));
  return subject.cases.map(({ testCase }) => testCase).filter((testCase) => !runnable.has(testCase));
}

/** A cache: every scenario of a subject needs its cases. */
const runnable = new WeakMap<Subject, RunnableCase[]>();

function runnableOf(subject: Subject): RunnableCase[] {
  if (subject.role === 'provider') {
    return subject.cases.map((one) => ({
      testCase: one.testCase,
      input: one.request,
      output: one.response,
      case: one,
      loose: subject.loose.filter(({ pointer }) => valueAt(one.response, pointer) !== undefined),
    }));
  }
  const inferred = ownLoosePlaces(subject);
  return subject.cases.flatMap((one) => {
    const example = subject.task?.examples?.find(({ testCase }) => testCase === one.testCase);
    if (!example) return [];
    const loose = [...subject.loose, ...inferred.filter(({ testCase }) => testCase === one.testCase)]
      .filter(
        (place: LoosePlace, index, all: readonly LoosePlace[]) =>
          all.findIndex((other) => other.pointer === place.pointer && other.word === place.word) === index,
      )
      .filter(({ pointer }) => valueAt(one.request, pointer) !== undefined)
      .map(({ testCase: _, ...place }: LoosePlace & { testCase?: number }) => place);
    return [{ testCase: one.testCase, input: example.input, output: example.output, case: one, loose }];
  });
}
