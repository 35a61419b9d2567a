import type { Observation } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import type { SeenCase } from '../check.ts';
import { leavesOf } from '../scalar-kinds.ts';

/** What a run came to: what is said in so many words, and the numbers of the answer by their places. */
export interface Effect {
  /** End, tools called, texts and truth values, without what merely comes back and without digits in texts. */
  said: string;
  numbers: Map<string, number>;
}

/** Numbers in a value, and in a message that is a text as a whole: there with sign, and with what fills a column before it. */
const [IN_VALUE, IN_TEXT] = [/\d+(?:[.,]\d+)*/g, /[ \t]*[-+]?\d+(?:[.,]\d+)*/g];

/** A plain number of a message that is a text: no part of an id, a date or a time. */
const PLAIN_IN_TEXT = /(?<![\p{L}\p{N}_.,:/-])-?\d{1,12}(?:\.\d{1,6})?(?![\p{L}\p{N}_:/-]|[.,]\d)/gu;

/** Reads an observation of a case with something changed; without what lists hold, where that is how many items there are. */
export function effectOf(seen: Observation, input: Json, { one }: SeenCase, isOfItems = false): Effect | undefined {
  if (seen.end !== 'returned' || seen.value === undefined) return undefined;
  const echoed = new Set(leavesOf(input).map(({ value }) => value));
  const loose = new Set(one.loose.map(({ pointer }) => pointer));
  const numbers = new Map<string, number>();
  const said: Json[] = [seen.end, seen.calls.map(({ tool }) => tool)];
  for (const { pointer, name, value } of leavesOf(seen.value)) {
    if (loose.has(pointer)) continue;
    // Where the number of items is what changes, each answer has other ones.
    if (isOfItems && /\/\d+(?:\/|$)/.test(pointer)) continue;
    if (typeof value === 'number' && !/code|status/i.test(name)) numbers.set(pointer, value);
    else if (typeof value === 'string' && echoed.has(value)) said.push([pointer]);
    else if (typeof value === 'string' && pointer === '') {
      for (const [index, [digits]] of [...value.matchAll(PLAIN_IN_TEXT)].entries())
        numbers.set(`#${index}`, Number(digits));
      said.push([pointer, value.replace(IN_TEXT, '#')]);
    } else said.push([pointer, typeof value === 'string' ? value.replace(IN_VALUE, '#') : value]);
  }
  return { said: JSON.stringify([...said, [...numbers.keys()]]), numbers };
}

/** Effects on either side of a number, in order: two or more to the left, two or more to the right. */
export interface Sides {
  left: readonly (readonly [at: number, Effect | undefined])[];
  right: readonly (readonly [at: number, Effect | undefined])[];
}

/**
 * What changes from the left to the right: what is `said`, or the line on which a `number` lies; `none` where all goes on as before,
 * `slight` where it does but for what may be rounding to whole numbers, and `undefined` where that cannot be told.
 */
export function changeBetween({ left, right }: Sides): 'said' | 'number' | 'none' | 'slight' | undefined {
  if ([...left, ...right].some(([, effect]) => effect === undefined)) return undefined;
  const saidBy = (side: Sides['left']): (string | undefined)[] => [...new Set(side.map(([, effect]) => effect?.said))];
  const [before, after] = [saidBy(left), saidBy(right)];
  if (before.length !== 1 || after.length !== 1) return undefined;
  if (before[0] !== after[0]) return 'said';
  let isSame = true;
  for (const pointer of left[0]?.[1]?.numbers.keys() ?? []) {
    const points = (side: Sides['left']) =>
      side.map(([at, effect]) => [at, effect?.numbers.get(pointer) ?? Number.NaN] as const);
    const [a, b] = [points(left), points(right)];
    const whole = [...a, ...b];
    if (isLine(a) && isLine(b)) {
      if (!isLine(whole)) return 'number';
      continue;
    }
    if (whole.some(([, value]) => !Number.isInteger(value)) || !isNearLine(a) || !isNearLine(b)) return undefined;
    if (!isNearLine(whole)) return 'number';
    isSame = false;
  }
  return isSame ? 'none' : 'slight';
}

type Points = readonly (readonly [at: number, value: number])[];

/** Whether points lie on one line, but for what rounding a few parts to cents makes of them. */
function isLine(points: Points, most = 0.025): boolean {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return false;
  const slope = last[0] === first[0] ? 0 : (last[1] - first[1]) / (last[0] - first[0]);
  return points.every(([at, value]) => {
    const wanted = first[1] + slope * (at - first[0]);
    return Math.abs(value - wanted) <= most + Math.abs(wanted) * 1e-6;
  });
}

/** Whether whole numbers lie on one line, but for what rounding them makes of it. */
function isNearLine(points: Points): boolean {
  return isLine(points, 2);
}
