import type { Json } from '../kernel/json.ts';
import { ANY, type GeneratorSchema } from './generator-schema.ts';

/**
 * Most combined alternatives of an intersection. The compiler expands it to a union of all combinations: sixteen
 * choices of two are 65,536, which block the compiler for seconds at each use of the type.
 */
const MAX_ALTERNATIVES = 64;

/**
 * Most alternatives of any other type. No author writes that many, but types that reference each other can double them
 * repeatedly.
 */
const MAX_BRANCHES = 128;

/** Most steps spent on one schema; parts beyond that count as too large. */
const MAX_STEPS = 20_000;

/** One alternative of a type: the plain types (objects, lists, scalars) that all apply to the value. */
type Alternative = readonly GeneratorSchema[];

/**
 * Removes those parts of intersections whose alternatives, or those of a member, would multiply beyond 64. The result
 * allows more values, never fewer. A type may reach itself only through a member or an element. `memberOf` returns the
 * real name of a member.
 */
export function boundAlternatives(
  types: ReadonlyMap<string, GeneratorSchema>,
  memberOf: (placeholder: string) => string,
): Map<string, GeneratorSchema> {
  const bounded = new Map(types);
  let steps = 0;

  const alternativesOf = (type: GeneratorSchema): readonly Alternative[] | null => {
    steps += 1;
    if (steps > MAX_STEPS) return null;
    if (typeof type.tsType === 'string') {
      const named = bounded.get(type.tsType);
      return named === undefined ? [[]] : alternativesOf(named);
    }
    if (Array.isArray(type.anyOf)) {
      const all: Alternative[] = [];
      for (const branch of schemasOf(type.anyOf)) {
        const more = alternativesOf(branch);
        if (more === null || all.length + more.length > MAX_BRANCHES) return null;
        all.push(...more);
      }
      return all;
    }
    if (Array.isArray(type.allOf)) return combined(schemasOf(type.allOf));
    const count = Array.isArray(type.enum) ? type.enum.length : type.type === 'boolean' ? 2 : 1;
    return Array(count).fill([type]);
  };

  const isAny = ({ tsType }: GeneratorSchema): boolean =>
    typeof tsType === 'string' && (bounded.get(tsType)?.tsType ?? tsType) === 'any';

  /** The combined alternatives of several types; `null` if there are too many. */
  const combined = (parts: readonly GeneratorSchema[]): readonly Alternative[] | null => {
    let all: readonly Alternative[] = [[]];
    for (const part of parts) {
      const more = alternativesOf(part);
      if (more === null) return null;
      const isProduct = all.length > 1 && more.length > 1;
      if (isProduct && all.length * more.length > MAX_ALTERNATIVES) return null;
      all = all.flatMap((one) => more.map((other) => [...one, ...other]));
      steps += all.length;
    }
    return all;
  };

  /** Whether the combined alternatives of several types, and those of their members, stay within the bound. */
  const areFew = (parts: readonly GeneratorSchema[], seen = new Set<string>()): boolean => {
    const all = combined(parts);
    if (all === null) return false;
    for (const plain of all) {
      for (const [name, memberTypes] of membersOf(plain)) {
        steps += 1;
        // The same members occur in many alternatives, and repeatedly in a recursive type.
        const key = `${name} ${JSON.stringify(memberTypes)}`;
        if (memberTypes.length < 2 || seen.has(key)) continue;
        seen.add(key);
        if (!areFew(memberTypes, seen)) return false;
      }
    }
    return true;
  };

  const membersOf = (plain: Alternative): Map<string, GeneratorSchema[]> => {
    const members = new Map<string, GeneratorSchema[]>();
    const addMember = (name: string, member: Json | undefined): void => {
      if (isSchema(member)) members.set(name, [...(members.get(name) ?? []), member]);
    };
    for (const type of new Set(plain)) {
      for (const [placeholder, member] of Object.entries(isSchema(type.properties) ? type.properties : {}))
        addMember(`.${memberOf(placeholder)}`, member);
      // Elements and unnamed members use names that no member can have.
      addMember('[]', type.items);
      addMember('*', type.additionalProperties);
    }
    return members;
  };

  const bound = (type: GeneratorSchema): GeneratorSchema => {
    const { allOf, ...rest } = Object.fromEntries(
      Object.entries(type).map(([keyword, value]) => [keyword, keyword === 'enum' ? value : boundIn(value)]),
    );
    if (Array.isArray(allOf)) {
      const kept: GeneratorSchema[] = [];
      // `T & any` is `any`, so an empty part would erase the others.
      for (const part of schemasOf(allOf)) if (!isAny(part) && areFew([...kept, part])) kept.push(part);
      const [only = ANY] = kept;
      return kept.length < 2 ? { ...rest, ...only } : { ...rest, allOf: kept };
    }
    return Array.isArray(rest.anyOf) && alternativesOf(rest) === null ? ANY : rest;
  };

  const boundIn = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(boundIn);
    return isSchema(value) ? bound(value) : value;
  };

  // Referenced types come after the types that reference them.
  for (const [name, body] of [...types].reverse()) bounded.set(name, bound(body));
  return bounded;
}

function isSchema(value: Json | undefined): value is GeneratorSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemasOf(list: readonly Json[]): GeneratorSchema[] {
  return list.filter(isSchema);
}
