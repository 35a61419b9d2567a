import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { DERIVED_NAME } from '../member-names.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { listsOf } from './lists.ts';

/** Whether a request has a number that others of it add up to: a handler may rightly refuse it if one is changed. */
export function saysItTwice(input: Json): boolean {
  if (listsOf(input).some(({ pointer }) => restates(input, pointer))) return true;
  const numbers = leavesOf(input)
    .flatMap(({ value }) => (typeof value === 'number' && value > 1 ? [value] : []))
    .slice(0, 12);
  return numbers.some((sum, index) =>
    numbers.some((a, nth) =>
      numbers.some(
        (b, other) =>
          new Set([index, nth, other]).size === 3 && (Math.abs(a + b - sum) < 0.005 || Math.abs(a * b - sum) < 0.005),
      ),
    ),
  );
}

/** Whether a request states, outside its list, the number of items or their total. */
function restates(input: Json, pointer: string): boolean {
  const items = listAt(input, pointer);
  const names = ['', ...items.flatMap(namesOf)];
  const known = new Set(names.flatMap((name) => measures.map((of) => of(items, name))));
  return leavesOf(input).some(
    ({ pointer: place, name, value }) =>
      DERIVED_NAME.test(name) || (!place.startsWith(`${pointer}/`) && typeof value === 'number' && known.has(value)),
  );
}

/** What a request may state about its list: the number of items, or a total of their numbers. */
const measures: readonly ((items: readonly Json[], name: string) => number | undefined)[] = [
  (items, name) => (name === '' ? items.length : undefined),
  (items, name) => overNumbers(items, name, (all) => all.reduce((sum, one) => sum + one, 0)),
  (items, name) => overNumbers(items, name, (all) => Math.max(...all)),
  (items, name) => overNumbers(items, name, (all) => Math.min(...all)),
  (items, name) => overNumbers(items, name, (all) => all.reduce((sum, one) => sum + one, 0) / all.length),
];

/** Applied to the items' numbers under a name, or to the items themselves if the name is empty. */
function overNumbers(
  items: readonly Json[],
  name: string,
  of: (numbers: readonly number[]) => number,
): number | undefined {
  const numbers = items.map((item) => (name === '' ? item : isObject(item) ? item[name] : undefined));
  return numbers.length > 0 && numbers.every((value) => typeof value === 'number') ? of(numbers) : undefined;
}

function listAt(input: Json, pointer: string): Json[] {
  const list = valueAt(input, pointer);
  return Array.isArray(list) ? list : [];
}

function namesOf(item: Json): string[] {
  return isObject(item) ? Object.keys(item).filter((name) => typeof item[name] === 'number') : [];
}
