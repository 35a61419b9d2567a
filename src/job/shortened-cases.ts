import type { CaseReport, Difference } from '../contract/outcome.ts';
import type { Json } from '../kernel/json.ts';
import { cut } from '../prompting/cut.ts';

/** Most characters of one value, path or message. */
const maxCharactersOfOne = 1_000;

/** Most characters of all differences together: outcomes are kept for days. */
const maxCharacters = 100_000;

/**
 * Case reports of limited size, however much a handler answered. A long value is cut as JSON text; when there are too
 * many differences, the last ones are dropped.
 */
export function shortenedCases(cases: readonly CaseReport[]): CaseReport[] {
  let left = maxCharacters;
  return cases.map((one) => {
    const differences: Difference[] = [];
    for (const difference of one.differences) {
      if (left <= 0) break;
      const shortened = shortenedDifference(difference);
      left -= JSON.stringify(shortened).length;
      if (left > 0) differences.push(shortened);
    }
    return { ...one, differences };
  });
}

function shortenedDifference({ path, expected, got, in: place, message }: Difference): Difference {
  return {
    path: cut(path, maxCharactersOfOne),
    ...(expected === undefined ? {} : { expected: shortenedValue(expected) }),
    ...(got === undefined ? {} : { got: shortenedValue(got) }),
    ...(place === undefined ? {} : { in: place }),
    ...(message === undefined ? {} : { message: cut(message, maxCharactersOfOne) }),
  };
}

function shortenedValue(value: Json): Json {
  const text = JSON.stringify(value);
  return text.length > maxCharactersOfOne ? cut(text, maxCharactersOfOne) : value;
}
