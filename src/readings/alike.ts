import type { Expectation } from '../contract/reading.ts';
import type { Observation } from '../contract/trial.ts';
import type { Json } from '../kernel/json.ts';
import { differencesOf } from '../schemas/differences.ts';
import { substitute } from '../verification/loose-places.ts';
import { changedTexts, type OtherRun, type WorldRun } from './world.ts';

/** A value of one world and its counterpart in the other. */
interface Renamed {
  from: Json;
  to: Json;
}

/**
 * The first difference between the answers or logs of two runs; `undefined` if they are alike. Ids, times and
 * the places of `but` may differ.
 */
export function differenceOfRuns(
  { world: { base, scenario }, seen }: WorldRun,
  other: OtherRun,
  { but = [], in: places = ['answer', 'logs'] }: NonNullable<Expectation['alike']>,
): { at?: string; message: string; got?: Json } | undefined {
  const renamed = [...idsOf(other.seen, seen), ...changedTexts(other.input, scenario.input)];
  const renamedHere = (value: Json): Json => substitute(value, renamed);
  // The handler creates ids and times anew in each run. A `text` place may vary between cases, but must not differ
  // between two worlds.
  const created = (base?.loose ?? []).flatMap(({ pointer, as }) => (as === 'text' ? [] : [pointer]));
  const free = [...but, ...created];
  if (other.seen.value === undefined || seen.value === undefined) return undefined;
  const isFree = (path: string) => free.some((pointer) => path === pointer || path.startsWith(`${pointer}/`));
  const differences = (there: Json, here: Json) =>
    differencesOf(renamedHere(there), here).filter(({ expected, got }) => !differsByWords(expected, got, renamed));
  const [first] = differences(other.seen.value, seen.value).filter(({ path }) => !isFree(path));
  if (first !== undefined && places.includes('answer')) {
    const { path, got } = first;
    const message = `the answers differ at "${path}", wanted them alike`;
    return { at: path, message, ...(got === undefined ? {} : { got }) };
  }
  const logs = differences(other.seen.logs, seen.logs);
  return logs.length === 0 || !places.includes('logs') ? undefined : { message: 'the logs differ, wanted them alike' };
}

/** Pairs the ids that two runs created, in order. */
function idsOf(one: Observation, other: Observation): Renamed[] {
  return one.issuedIds.flatMap((from, index) => {
    const to = other.issuedIds[index];
    return to === undefined ? [] : [{ from, to }];
  });
}

/** Whether two texts differ only in words that are renamed between the worlds. */
function differsByWords(there: Json | undefined, here: Json | undefined, renamed: readonly Renamed[]): boolean {
  if (typeof there !== 'string' || typeof here !== 'string') return false;
  const names = new Map(renamed.map(({ from, to }) => [from, String(to)]));
  return there.replace(WORD, (word) => names.get(word) ?? word) === here;
}

const WORD = /[\p{L}\p{N}]+(?:[-_.:/@][\p{L}\p{N}]+)*/gu;
