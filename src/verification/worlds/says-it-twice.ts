import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { DERIVED_NAME } from '../member-names.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { listsOf } from './lists.ts';

/** Whether a request holds a number that others of it come to: where one is changed, it may rightly be turned down. */
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

/** Whether a request says outside of its list how many items that has, what they come to, or that nothing was changed. */
function restates(input: Json, pointer: string): boolean {
  const items = listAt(input, pointer);
  const names = ['', ...items.flatMap(namesOf)];
  const known = new Set(names.flatMap((name) => measures.map((of) => of(items, name))));
  return leavesOf(input).some(
    ({ pointer: place, name, value }) =>
      DERIVED_NAME.test(name) || (!place.startsWith(`${pointer}/`) && typeof value === 'number' && known.has(value)),
  );
}

/** What a request may say of its own list: how many items there are, or what their numbers come to. */
const measures: readonly ((items: readonly Json[], name: string) => number | undefined)[] = [
  (items, name) => (name === '' ? items.length : undefined),
  (items, name) => overNumbers(items, name, (all) => all.reduce((sum, one) => sum + one, 0)),
  (items, name) => overNumbers(items, name, (all) => Math.max(...all)),
  (items, name) => overNumbers(items, name, (all) => Math.min(...all)),
  (items, name) => overNumbers(items, name, (all) => all.reduce((sum, one) => sum + one, 0) / all.length),
];

/** Of the items' numbers under a name; of the items themselves where it is empty. */
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
