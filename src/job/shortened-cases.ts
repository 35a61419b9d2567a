import type { CaseReport, Difference } from '../contract/outcome.ts';
import type { Json } from '../kernel/json.ts';
import { cut } from '../prompting/cut.ts';

/** Most characters of one value, path or message. */
const mostOfOne = 1_000;

/** Most characters of all differences together: outcomes are kept for days. */
const mostAltogether = 100_000;

/** How the cases went, in so many words however much a handler has answered: a long value is cut as the text of its JSON, and of too many differences the last are left out. */
export function toldCases(cases: readonly CaseReport[]): CaseReport[] {
  let left = mostAltogether;
  return cases.map((one) => {
    const differences: Difference[] = [];
    for (const difference of one.differences) {
      if (left <= 0) break;
      const told = short(difference);
      left -= JSON.stringify(told).length;
      if (left > 0) differences.push(told);
    }
    return { ...one, differences };
  });
}

function short({ path, expected, got, in: place, message }: Difference): Difference {
  return {
    path: cut(path, mostOfOne),
    ...(expected === undefined ? {} : { expected: shortValue(expected) }),
    ...(got === undefined ? {} : { got: shortValue(got) }),
    ...(place === undefined ? {} : { in: place }),
    ...(message === undefined ? {} : { message: cut(message, mostOfOne) }),
  };
}

function shortValue(value: Json): Json {
  const text = JSON.stringify(value);
  return text.length > mostOfOne ? cut(text, mostOfOne) : value;
}
