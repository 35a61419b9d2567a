import { isObject, type Json } from '../kernel/json.ts';
import { memberNames } from './member-names.ts';
import { MAX_SUBSCHEMAS, resolveLocalReference } from './schema-walk.ts';

/** Most members of a value checked against each branch. */
const MAX_NAMES = 100;

/** Cached per combination, because it is needed for every value that breaks it. */
const cache = new WeakMap<readonly Json[], BranchMembers>();

/** The members that the branches of a combination declare; read once per combination. */
export function branchMembersOf(root: Json, branches: readonly Json[]): BranchMembers {
  const members = cache.get(branches) ?? new BranchMembers(root, branches);
  cache.set(branches, members);
  return members;
}

/** The members that the branches of a combination declare, with the values listed for them. */
class BranchMembers {
  readonly #declared: readonly (ReadonlySet<string> | undefined)[];
  readonly #listed = new Map<string, { values: Set<Json>; branches: Set<number> }>();

  constructor(root: Json, branches: readonly Json[]) {
    this.#declared = branches.map((branch, index) => this.#read(root, branch, index));
  }

  /** Whether some branch lists this scalar for a member. */
  lists(name: string, value: Json | undefined): boolean {
    return value !== undefined && this.#listed.get(name)?.values.has(value) === true;
  }

  /** Whether several branches list values for a member, so that it distinguishes them. */
  tellsApart(name: string): boolean {
    return (this.#listed.get(name)?.branches.size ?? 0) > 1;
  }

  /** The members of a value that a branch neither declares nor requires; none if it allows members of any name. */
  undeclared(branch: number, value: Json | undefined): readonly string[] {
    const declared = this.#declared[branch];
    if (declared === undefined || !isObject(value)) return [];
    return memberNames(value)
      .slice(0, MAX_NAMES)
      .filter((name) => !declared.has(name));
  }

  #read(root: Json, branch: Json, index: number): ReadonlySet<string> | undefined {
    const declared = new Set<string>();
    let describesAny = false;
    for (const each of schemasOfSameValue(root, branch)) {
      if (!isObject(each)) continue;
      describesAny ||= [each.patternProperties, each.additionalProperties, each.unevaluatedProperties].some(isObject);
      for (const name of Array.isArray(each.required) ? each.required : [])
        if (typeof name === 'string') declared.add(name);
      for (const [name, member] of Object.entries(isObject(each.properties) ? each.properties : {})) {
        declared.add(name);
        const values = schemasOfSameValue(root, member).flatMap(valuesListedBy);
        if (values.length === 0) continue;
        const known = this.#listed.get(name) ?? { values: new Set(), branches: new Set() };
        this.#listed.set(name, known);
        for (const value of values) known.values.add(value);
        known.branches.add(index);
      }
    }
    return describesAny ? undefined : declared;
  }
}

function valuesListedBy(schema: Json): Json[] {
  if (!isObject(schema)) return [];
  return [...(Array.isArray(schema.enum) ? schema.enum : []), ...(schema.const === undefined ? [] : [schema.const])];
}

/** A schema and all schemas applied to the same value, including through references. */
function schemasOfSameValue(root: Json, schema: Json): Json[] {
  const found = new Set<Json>([schema]);
  for (const each of found) {
    if (!isObject(each) || found.size > MAX_SUBSCHEMAS) continue;
    const target = typeof each.$ref === 'string' ? resolveLocalReference(root, each.$ref)?.schema : undefined;
    const combined = [each.allOf, each.anyOf, each.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
    for (const next of [target, each.if, each.then, each.else, ...combined]) if (next !== undefined) found.add(next);
  }
  return [...found];
}
