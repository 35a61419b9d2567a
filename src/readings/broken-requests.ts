import type { PatchOperation } from '../contract/finding.ts';
import type { Assertion, CallExpectation, DerivedCase } from '../contract/reading.ts';
import { patched } from '../documents/apply-patch.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { escapeToken, isObject, type Json, valueAt } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { leavesOf } from '../verification/scalar-kinds.ts';
import type { Subject } from '../verification/subject.ts';
import { type World, worldOf } from './world.ts';

/** Fewest derived cases of broken requests that must agree before their common demands apply to others. */
const minExamples = 3;

/** Most further broken requests. */
const maxVariants = 24;

/** The demands that all derived cases of broken requests share. */
interface CommonDemands {
  /** By pointer of the answer: a value that is always the same. */
  constants: ReadonlyMap<string, Json>;
  /** By pointer of the answer: the pointer of the request that its value comes from. */
  echoes: ReadonlyMap<string, string>;
  /** Tools that must not be called. */
  uncalled: readonly string[];
}

/**
 * Further derived cases, whose requests break the agreed schema in other places. The demands that all derived cases of
 * broken requests share apply to them too. Empty if there are fewer than three such cases, or they share no
 * constant.
 */
export function brokenRequestCases(worlds: readonly World[], subject: Subject): DerivedCase[] {
  if (subject.role !== 'provider' || subject.requestSchema === null) return [];
  const broken = worlds.filter((world) => isBroken(world, subject));
  const [first] = broken;
  if (first === undefined || broken.length < minExamples) return [];
  const common = commonDemands(broken);
  if (common.constants.size === 0) return [];
  const known = new Set(broken.map(({ scenario }) => canonicalJson(scenario.input)));
  const bases = [...new Map(broken.map((world) => [world.entry.base, world])).values()];
  const quote = [...new Set(broken.flatMap(({ entry }) => entry.quote))].join(' … ').slice(0, 2_000);
  return bases
    .flatMap(({ base }) => (base === null ? [] : variantsOf(base.testCase, base.input, subject)))
    .filter(({ input }) => !known.has(canonicalJson(input)))
    .slice(0, maxVariants)
    .map(({ base, patch, input }) => ({
      quote,
      claim: 'A request that breaks its schema in another place is answered as the other broken ones are.',
      base,
      request: [patch],
      broken: true,
      expect: expectationFor(common, input, subject),
    }));
}

/** Whether the request of a world is broken on purpose. Readings in the older form do not say so. */
function isBroken({ entry, base, scenario }: World, { surface }: Subject): boolean {
  if (entry.broken !== undefined && !entry.broken) return false;
  const isValid = surface.requestIssues(scenario.input).length === 0;
  return (
    base !== null && !isValid && surface.requestIssues(base.input).length === 0 && entry.expect.anyOf === undefined
  );
}

function commonDemands(broken: readonly World[]): CommonDemands {
  const demands = broken.map(answerDemands);
  const [first = new Map<string, Json>(), ...others] = demands;
  const shared = [...first].filter(([at]) => others.every((one) => one.has(at)));
  const constants = new Map<string, Json>();
  const echoes = new Map<string, string>();
  for (const [at, value] of shared) {
    const source = echoSource(broken, demands, at);
    if (source !== undefined) echoes.set(at, source);
    else if (others.every((one) => equalJson(one.get(at) as Json, value))) constants.set(at, value);
  }
  const uncalled = broken.map(({ entry }) =>
    (entry.expect.calls ?? []).flatMap((one) => (isNever(one) ? [one.tool] : [])),
  );
  const [names = [], ...rest] = uncalled;
  return { constants, echoes, uncalled: names.filter((name) => rest.every((one) => one.includes(name))) };
}

function isNever({ when, times, atMost }: CallExpectation): boolean {
  return when === undefined && (times === 0 || atMost === 0);
}

/** The values that a derived case demands at single places of the answer. */
function answerDemands({ entry, baseAnswers }: World): Map<string, Json> {
  const demands = new Map<string, Json>();
  for (const { at = '', equals, sameAsBase } of entry.expect.answer ?? []) {
    const value = equals ?? (sameAsBase === true ? valueAt(baseAnswers.at(-1) ?? null, at) : undefined);
    if (value === undefined) continue;
    if (isObject(value)) for (const leaf of leavesOf(value)) demands.set(at + leaf.pointer, leaf.value);
    else demands.set(at, value);
  }
  return demands;
}

/** The place of the request whose value every derived case demands at this place of the answer. */
function echoSource(
  broken: readonly World[],
  demands: readonly ReadonlyMap<string, Json>[],
  at: string,
): string | undefined {
  const sources = broken.map(({ scenario }, index) => {
    const wanted = demands[index]?.get(at);
    return leavesOf(scenario.input).flatMap(({ pointer, value }) =>
      value === wanted && value !== null && typeof value !== 'boolean' ? [pointer] : [],
    );
  });
  return sources[0]?.find((pointer) => sources.every((one) => one.includes(pointer)));
}

interface Variant {
  base: number;
  patch: PatchOperation;
  input: Json;
}

/** Versions of a case's request with one fault each: a missing member, or a value of another type. */
function variantsOf(base: number, input: Json, { surface }: Subject): Variant[] {
  const places = placesOf(input, '', 0);
  const patches: PatchOperation[] = [
    ...places.map((path): PatchOperation => ({ op: 'remove', path })),
    ...places.flatMap((path) => wrongValues.map((value): PatchOperation => ({ op: 'replace', path, value }))),
  ];
  const broken = new Map<string, Variant>();
  for (const patch of patches) {
    const changed = patched(input, [patch]);
    const key = `${patch.op} ${patch.path}`;
    if (changed === undefined || broken.has(key) || surface.requestIssues(changed).length === 0) continue;
    broken.set(key, { base, patch, input: changed });
  }
  return [...broken.values()];
}

/** Values whose types most members do not have. */
const wrongValues: readonly Json[] = [7, 'seven', true, []];

function placesOf(value: Json, pointer: string, depth: number): string[] {
  if (!isObject(value) || depth > 2) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const place = `${pointer}/${escapeToken(name)}`;
    return [place, ...placesOf(member, place, depth + 1)];
  });
}

function expectationFor(
  { constants, echoes, uncalled }: CommonDemands,
  input: Json,
  subject: Subject,
): DerivedCase['expect'] {
  const broken = subject.surface.requestIssues(input).map(({ pointer }) => pointer);
  const repeated = [...echoes].flatMap(([at, from]): Assertion[] => {
    const value = valueAt(input, from);
    return value === undefined || broken.includes(from) ? [] : [{ at, equals: value }];
  });
  return {
    answer: [...[...constants].map(([at, equals]): Assertion => ({ at, equals })), ...repeated],
    ...(uncalled.length === 0 ? {} : { calls: uncalled.map((tool) => ({ tool, times: 0 })) }),
  };
}

/** The worlds of the derived cases that can be run. */
export function worldsOf(entries: readonly DerivedCase[], subject: Subject): World[] {
  return entries.flatMap((entry) => {
    const world = worldOf(entry, subject);
    return typeof world === 'string' ? [] : [world];
  });
}
