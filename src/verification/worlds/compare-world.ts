import type { Loose } from '../../contract/job.ts';
import type { Observation } from '../../contract/trial.ts';
import { escapeToken, isObject, type Json } from '../../kernel/json.ts';
import { equalJson, equalText } from '../../schemas/equal-json.ts';
import type { SeenCase } from '../check.ts';
import { looseDifferences, looseReplacements, substitute } from '../loose-places.ts';
import type { RunnableCase } from '../runnable-cases.ts';
import { decodedText } from '../scalar-kinds.ts';
import { toldLeaves, type World } from './renamed-world.ts';

/** What one place of an answer holds in a renamed world. */
export interface PlaceResult {
  pointer: string;
  in: 'response' | 'output' | 'request';
  expected: Json;
  got: Json | undefined;
  original: Json;
}

/** The places of an answer in a renamed world, sorted by what they hold. */
export interface WorldResult {
  world: World;
  seen: Observation;
  /** Places that hold the fresh value. */
  fresh: PlaceResult[];
  /** Places that still hold the replaced value. */
  stale: PlaceResult[];
  /** Places that hold neither value, are missing, or changed although they should not. */
  other: PlaceResult[];
  /** Places whose value is computed: they may change or not. */
  computed: PlaceResult[];
  /** Whether no place is `stale` or `other`. */
  followed: boolean;
  /** Whether the answer equals the one of the original case. */
  unchanged: boolean;
}

/** Compares a run in a renamed world with what a handler that only carries data along would give. */
export function compareWorld(world: World, seen: Observation): WorldResult {
  const { one: original, seen: before } = world.seenCase;
  const isProvider = world.scenario.peer === undefined;
  const sent = nearestSent(world, seen);
  const place: PlaceResult['in'] = isProvider ? 'response' : 'output';
  const result: WorldResult = {
    world,
    seen,
    fresh: [],
    stale: [],
    other: [],
    computed: [],
    followed: false,
    unchanged: false,
  };
  const known = knownValues(world.seenCase);
  if (seen.end !== 'returned' || seen.value === undefined) {
    const [was, wanted] = [original.output, world.one.output];
    result.other.push({ pointer: '', in: place, expected: wanted, got: undefined, original: was });
  } else {
    const comparison: Comparison = { result, in: place, loose: isProvider ? original.loose : [], known };
    const [was, wanted] = [withSent(original.output, original, sent), withSent(world.one.output, world.one, sent)];
    comparePlaces(comparison, '', was, wanted, seen.value);
    result.unchanged =
      equalJson(seen.value, before.value ?? null) && (isProvider || equalJson(sentOf(seen), sentOf(before)));
  }
  if (!isProvider) {
    const [was, wanted] = [original.case.request, world.one.case.request];
    if (sent === undefined)
      result.other.push({ pointer: '', in: 'request', expected: wanted, got: undefined, original: was });
    else comparePlaces({ result, in: 'request', loose: original.loose, known }, '', was, wanted, sent);
  }
  result.followed = result.stale.length === 0 && result.other.length === 0;
  return result;
}

function sentOf(seen: Observation): Json {
  return seen.sends.map(({ request }) => request);
}

/** The request that matches the case's, apart from loose places; otherwise the first one. */
function nearestSent({ one }: World, seen: Observation): Json | undefined {
  const matching = seen.sends.find(
    ({ request }) => looseDifferences(one.case.request, request, one.loose).length === 0,
  );
  return (matching ?? seen.sends[0])?.request;
}

/** An expected output with the values that the candidate sent at the loose places of its request. */
function withSent(output: Json, { case: { request }, loose }: RunnableCase, sent: Json | undefined): Json {
  return sent === undefined ? output : substitute(output, looseReplacements(request, sent, loose));
}

/** What the candidate is told in the original case. */
interface Known {
  numbers: ReadonlySet<number>;
  text: string;
}

function knownValues(seenCase: SeenCase): Known {
  const { asked, answered } = toldLeaves(seenCase);
  const leaves = [...asked, ...answered];
  return {
    numbers: new Set(leaves.flatMap(({ value }) => (typeof value === 'number' ? [value] : []))),
    text: leaves
      .map(({ value }) => String(value))
      .join('\n')
      .toLowerCase(),
  };
}

/** One message that is compared, and where its places are noted. */
interface Comparison {
  result: WorldResult;
  in: PlaceResult['in'];
  loose: readonly Loose[];
  known: Known;
}

function comparePlaces(
  comparison: Comparison,
  pointer: string,
  original: Json,
  expected: Json,
  got: Json | undefined,
): void {
  const { result, loose } = comparison;
  if (loose.some((one) => one.pointer === pointer)) return;
  const entry: PlaceResult = { pointer, in: comparison.in, expected, got, original };
  if (Array.isArray(original) && Array.isArray(expected)) {
    if (!Array.isArray(got) || got.length !== expected.length) {
      result.other.push(entry);
      return;
    }
    for (const [index, item] of expected.entries())
      comparePlaces(comparison, `${pointer}/${index}`, original[index] as Json, item, got[index]);
  } else if (isObject(original) && isObject(expected)) compareMembers(comparison, entry, original, expected);
  else if (equalJson(original, expected)) compareUnchanged(comparison, entry);
  else compareRenamed(comparison, entry);
}

function compareMembers(
  comparison: Comparison,
  entry: PlaceResult,
  original: Record<string, Json>,
  expected: Record<string, Json>,
): void {
  const { result } = comparison;
  const { pointer, got } = entry;
  if (!isObject(got)) {
    result.other.push(entry);
    return;
  }
  for (const name of Object.keys(got))
    if (!Object.hasOwn(expected, name)) result.other.push({ ...entry, pointer: `${pointer}/${escapeToken(name)}` });
  // Names may be renamed too: both objects have them in the same order.
  const originalNames = Object.keys(original);
  for (const [index, name] of Object.keys(expected).entries())
    comparePlaces(
      comparison,
      `${pointer}/${escapeToken(name)}`,
      original[originalNames[index] as string] as Json,
      expected[name] as Json,
      Object.hasOwn(got, name) ? got[name] : undefined,
    );
}

/** Sorts a place whose value the world renamed. */
function compareRenamed({ result, known }: Comparison, entry: PlaceResult): void {
  const { original, expected, got } = entry;
  if (got !== undefined && sameScalar(expected, got)) result.fresh.push(entry);
  else if (typeof original === 'number' && typeof got === 'number' && got !== original) result.computed.push(entry);
  else if (
    typeof got === 'string' &&
    typeof expected === 'string' &&
    typeof original === 'string' &&
    matchesText(original, expected, got, known)
  )
    result.fresh.push(entry);
  else if (got !== undefined && sameScalar(original, got)) result.stale.push(entry);
  else result.other.push(entry);
}

/** Sorts a place whose value the world leaves as it is. */
function compareUnchanged({ result, known }: Comparison, entry: PlaceResult): void {
  const { original, expected, got } = entry;
  if (isComputed(original, known)) {
    if (typeof got === typeof original) result.computed.push(entry);
    else result.other.push(entry);
    return;
  }
  if (got !== undefined && sameScalar(expected, got)) return;
  if (typeof got === 'string' && typeof original === 'string' && matchesText(original, original, got, known))
    result.computed.push(entry);
  else result.other.push(entry);
}

function sameScalar(wanted: Json, got: Json): boolean {
  if (typeof wanted === 'string' && typeof got === 'string') return equalText(wanted, got);
  if (typeof wanted === 'number' && typeof got === 'number')
    return Math.abs(wanted - got) <= 1e-9 * Math.max(1, Math.abs(wanted));
  return equalJson(wanted, got);
}

/** Whether a value of an answer was computed: the candidate was not told it, and it is not a word. */
function isComputed(value: Json, known: Known): boolean {
  if (typeof value === 'number')
    return !known.numbers.has(value) && (!Number.isInteger(value) || Math.abs(value) >= 1000);
  if (typeof value !== 'string' || value === '' || known.text.includes(value.toLowerCase()) || /\s/.test(value.trim()))
    return false;
  return /\d/.test(value) || decodedText(value) !== undefined || (value.length >= 12 && /[a-z][A-Z]/.test(value));
}

/** Whether a text is as expected, apart from computed numbers and template words that are data by chance. */
function matchesText(original: string, expected: string, got: string, known: Known): boolean {
  const split = /(\d+(?:\.\d+)?|[\p{L}\p{M}]+)/gu;
  const [before, after, seen] = [original.split(split), expected.split(split), got.split(split)];
  if (before.length !== after.length || after.length !== seen.length) return false;
  let carried = original === expected;
  for (const [index, part] of after.entries()) {
    const was = before[index];
    if (seen[index] === part) carried ||= part !== was;
    else if (/^\d/.test(part) && /^\d/.test(seen[index] ?? '') && !known.text.includes(was ?? '')) continue;
    else if (seen[index] !== was || !/^\p{L}/u.test(part)) return false;
  }
  return carried;
}
