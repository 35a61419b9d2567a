import type { Json } from '../kernel/json.ts';
import { ANY, type GeneratorSchema } from './generator-schema.ts';

/**
 * Most alternatives that parts of an intersection come to together. The compiler writes it out as the union of all combinations: sixteen choices of
 * two are 65,536, and hold it up for seconds wherever the type is used.
 */
const MAX_ALTERNATIVES = 64;

/** Most alternatives of any other type. Nobody writes as many; types that refer to one another can double them again and again. */
const MAX_BRANCHES = 128;

/** Steps that looking at one schema may take; a part that none are left for is taken for too much. */
const MAX_STEPS = 20_000;

/** One way to keep a type: the plain types, of objects, lists and scalars, that all hold of the value. */
type Alternative = readonly GeneratorSchema[];

/**
 * Types by name, without those parts of intersections whose alternatives, or those of a member, would multiply beyond 64: what is left allows more,
 * and never less. No type may reach itself but through a member or an element. `memberOf` gives the real name of a member.
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

  /** The alternatives of what all of some types hold for; `null` where they multiply beyond the bound. */
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

  /** Whether all that some types say of one value stays within the bound, and what they say of its members too. */
  const areFew = (parts: readonly GeneratorSchema[], seen = new Set<string>()): boolean => {
    const all = combined(parts);
    if (all === null) return false;
    for (const plain of all) {
      for (const [name, held] of membersOf(plain)) {
        steps += 1;
        // The same members are met in many alternatives, and again and again in a type that holds itself.
        const key = `${name} ${JSON.stringify(held)}`;
        if (held.length < 2 || seen.has(key)) continue;
        seen.add(key);
        if (!areFew(held, seen)) return false;
      }
    }
    return true;
  };

  const membersOf = (plain: Alternative): Map<string, GeneratorSchema[]> => {
    const members = new Map<string, GeneratorSchema[]>();
    const say = (name: string, member: Json | undefined): void => {
      if (isSchema(member)) members.set(name, [...(members.get(name) ?? []), member]);
    };
    for (const type of new Set(plain)) {
      for (const [placeholder, member] of Object.entries(isSchema(type.properties) ? type.properties : {}))
        say(`.${memberOf(placeholder)}`, member);
      // Elements and unnamed members go by names that no member has.
      say('[]', type.items);
      say('*', type.additionalProperties);
    }
    return members;
  };

  const bound = (type: GeneratorSchema): GeneratorSchema => {
    const { allOf, ...rest } = Object.fromEntries(
      Object.entries(type).map(([keyword, value]) => [keyword, keyword === 'enum' ? value : boundIn(value)]),
    );
    if (Array.isArray(allOf)) {
      const kept: GeneratorSchema[] = [];
      // `T & any` is `any`: a part that says nothing must not take the others along.
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

  // What is referred to stands behind what refers to it.
  for (const [name, body] of [...types].reverse()) bounded.set(name, bound(body));
  return bounded;
}

function isSchema(value: Json | undefined): value is GeneratorSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemasOf(list: readonly Json[]): GeneratorSchema[] {
  return list.filter(isSchema);
}
