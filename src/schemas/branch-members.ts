import { isObject, type Json } from '../kernel/json.ts';
import { memberNames } from './member-names.ts';
import { MAX_SUBSCHEMAS, resolveLocalReference } from './schema-walk.ts';

/** Most members of a value that are looked for in each branch. */
const MAX_NAMES = 100;

/** By combination: what each says is asked for every value that breaks it. */
const known = new WeakMap<readonly Json[], BranchMembers>();

/** What the branches of a combination in a schema say of the members of an object; read once. */
export function branchMembersOf(root: Json, branches: readonly Json[]): BranchMembers {
  const members = known.get(branches) ?? new BranchMembers(root, branches);
  known.set(branches, members);
  return members;
}

/** Which members the branches of a combination declare, and the values that they list for them. */
class BranchMembers {
  readonly #declared: readonly (ReadonlySet<string> | undefined)[];
  readonly #listed = new Map<string, { values: Set<Json>; branches: Set<number> }>();

  constructor(root: Json, branches: readonly Json[]) {
    this.#declared = branches.map((branch, index) => this.#read(root, branch, index));
  }

  /** Whether some branch lists that scalar for a member. */
  lists(name: string, value: Json | undefined): boolean {
    return value !== undefined && this.#listed.get(name)?.values.has(value) === true;
  }

  /** Whether more than one branch lists values for a member: then it tells them apart. */
  tellsApart(name: string): boolean {
    return (this.#listed.get(name)?.branches.size ?? 0) > 1;
  }

  /** The members of a value that a branch neither declares nor requires; none where it describes members of any name. */
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
    for (const each of schemasOfPlace(root, branch)) {
      if (!isObject(each)) continue;
      describesAny ||= [each.patternProperties, each.additionalProperties, each.unevaluatedProperties].some(isObject);
      for (const name of Array.isArray(each.required) ? each.required : [])
        if (typeof name === 'string') declared.add(name);
      for (const [name, member] of Object.entries(isObject(each.properties) ? each.properties : {})) {
        declared.add(name);
        const values = schemasOfPlace(root, member).flatMap(valuesListedBy);
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

/** A schema and all those that hold for the same value, also through references. */
function schemasOfPlace(root: Json, schema: Json): Json[] {
  const found = new Set<Json>([schema]);
  for (const each of found) {
    if (!isObject(each) || found.size > MAX_SUBSCHEMAS) continue;
    const target = typeof each.$ref === 'string' ? resolveLocalReference(root, each.$ref)?.schema : undefined;
    const combined = [each.allOf, each.anyOf, each.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
    for (const next of [target, each.if, each.then, each.else, ...combined]) if (next !== undefined) found.add(next);
  }
  return [...found];
}
