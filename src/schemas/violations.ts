import type { ErrorObject } from 'ajv';
import type { SchemaIssue } from '../contract/trial.ts';
import { isObject, type Json, pointerTokens, valueAt } from '../kernel/json.ts';
import { branchMembersOf } from './branch-members.ts';
import { allSubschemas, MAX_SUBSCHEMAS, resolveLocalReference } from './schema-walk.ts';

/** Most issues reported for one value. */
export const MAX_ISSUES = 50;

/** A place where a value breaks its schema, with the missing or undeclared property. */
export interface Violation extends SchemaIssue {
  property?: string;
}

/** Most errors of the compiled validator that are examined. */
const MAX_ERRORS = 1_000;

/** A keyword of a schema: its place and value, and for a combination the places of its branches. */
interface Keyword {
  place: string;
  value: Json | undefined;
  owners?: BranchPlaces;
}

/** An error of the compiled validator with its keyword. */
interface ErrorAt {
  error: ErrorObject;
  keyword: Keyword;
}

const keywords = new WeakMap<object, Map<string, Keyword>>();

/** The keyword of an error; cached per schema. */
function keywordAt(schema: Json, { schemaPath, parentSchema }: ErrorObject): Keyword {
  if (!isObject(schema)) return { place: schemaPointerOf(schemaPath), value: undefined };
  const owner: object | undefined = isObject(parentSchema) ? parentSchema : undefined;
  const known = keywords.get(owner ?? schema) ?? new Map<string, Keyword>();
  keywords.set(owner ?? schema, known);
  const before = known.get(schemaPath);
  if (before !== undefined) return before;
  const reported = schemaPointerOf(schemaPath);
  const place = owner === undefined ? reported : placeIn(schema, reported, owner);
  const keyword = { place, value: valueAt(schema, place) };
  known.set(schemaPath, keyword);
  return keyword;
}

/**
 * The issues behind validator errors, at most `MAX_ISSUES`. For a failed `anyOf` or `oneOf`, reports the issues of the
 * branch that the value means, if there is one, else the combination itself; never those of all branches.
 */
export function violationsOf(schema: Json, value: Json, errors: readonly ErrorObject[]): Violation[] {
  const reported: ErrorAt[] = [];
  for (const error of errors.slice(0, MAX_ERRORS)) {
    if (error.keyword === '$ref' || error.keyword === 'if') continue;
    const each = { error, keyword: keywordAt(schema, error) };
    // Ajv reports a combination right after its branches, inner ones first.
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf')
      reported.push(...closestBranch(schema, reported, each, value));
    else reported.push(each);
  }
  const values = new Map<string, Json | undefined>();
  return reported.slice(0, MAX_ISSUES).map((each) => {
    const { instancePath } = each.error;
    if (!values.has(instancePath)) values.set(instancePath, valueAt(value, instancePath));
    return violationOf(each, values.get(instancePath));
  });
}

/**
 * Removes the errors of a failed combination's branches from the end of a list. Returns those of the intended branch,
 * or the combination itself.
 */
function closestBranch(schema: Json, reported: ErrorAt[], whole: ErrorAt, value: Json): ErrorAt[] {
  const { keyword } = whole;
  if (!Array.isArray(keyword.value)) return [whole];
  keyword.owners ??= new BranchPlaces(schema, keyword.value, keyword.place);
  const { owners } = keyword;
  const members = branchMembersOf(schema, keyword.value);
  const byBranch = new Map<number, ErrorAt[]>();
  for (let last = reported.at(-1); last !== undefined; last = reported.at(-1)) {
    const inside = last.error.instancePath.startsWith(whole.error.instancePath)
      ? owners.containing(last.keyword.place)
      : [];
    if (inside.length === 0) break;
    reported.pop();
    for (const branch of inside) {
      const errors = byBranch.get(branch);
      if (errors === undefined) byBranch.set(branch, [last]);
      else errors.push(last);
    }
  }
  const here = valueAt(value, whole.error.instancePath);
  const ofType = [...byBranch]
    .map(([branch, errors]) => ({ branch, errors }))
    .filter(({ errors }) => !errors.some(({ error }) => isOfOtherType(error, whole.error)));
  // An enum distinguishes kinds only if another branch lists the value.
  const isOfOtherKind = ({ error }: ErrorAt): boolean => {
    const name = constantIn(error, whole.error);
    return name === '' || (name !== undefined && members.lists(name, valueAt(value, error.instancePath)));
  };
  const ofKind = ofType.filter(
    ({ errors }) => !errors.some(isOfOtherKind) && !deniesAll(errors, whole.error.instancePath, here),
  );
  const listed = ofType.filter(({ errors }) => errors.every(({ error }) => error.keyword === 'enum'));
  // If constants and enums exclude all branches, a branch is still intended if it alone breaks only an enum, or if it
  // alone has the value's type.
  const meant = [ofKind, listed.length === 1 ? listed : [], ofType.length === 1 ? ofType : []].find(
    ({ length }) => length > 0,
  );
  const [closest, second] = (meant ?? [])
    .map(({ branch, errors }) => ({ errors, ...breaksOf(errors, members.undeclared(branch, here), whole.error) }))
    .sort((a, b) => a.places - b.places || b.depth - a.depth);
  if (closest === undefined) return [whole];
  // If two branches fit equally well, neither is intended.
  const isTie = closest.places === second?.places && closest.depth === second.depth;
  // Nor is a branch intended if the value matches none of several kinds.
  const isOfNoKind = closest.errors.some(({ error }) => {
    const name = error.keyword === 'const' ? constantIn(error, whole.error) : undefined;
    return name !== undefined && members.tellsApart(name);
  });
  return isTie || isOfNoKind ? [whole] : closest.errors.reverse();
}

/**
 * In how many places a branch is broken, including undeclared members, and the depth of the outermost break. A branch
 * broken deep inside fits better than one broken at its root.
 */
function breaksOf(
  errors: readonly ErrorAt[],
  undeclared: readonly string[],
  whole: ErrorObject,
): { places: number; depth: number } {
  const places = new Set(undeclared.map((name) => `${whole.instancePath}/${name}`));
  for (const {
    error: { instancePath, params },
  } of errors)
    places.add(`${instancePath}/${String(params.missingProperty ?? params.additionalProperty ?? '')}`);
  const depths = errors.map(({ error }) => error.instancePath.split('/').length);
  return { places: places.size, depth: Math.min(...depths) };
}

/** Whether an error shows that a branch is for another type. */
function isOfOtherType({ keyword, instancePath }: ErrorObject, whole: ErrorObject): boolean {
  return keyword === 'type' && instancePath === whole.instancePath;
}

/** The member whose constant or enum an error is about; empty for the value itself. `undefined` for other errors. */
function constantIn({ keyword, instancePath }: ErrorObject, whole: ErrorObject): string | undefined {
  if (keyword !== 'const' && keyword !== 'enum') return undefined;
  const [name = '', ...deeper] = pointerTokens(instancePath.slice(whole.instancePath.length));
  return deeper.length === 0 ? name : undefined;
}

/** Whether a branch declares none of a value's members. */
function deniesAll(errors: readonly ErrorAt[], place: string, value: Json | undefined): boolean {
  const denied = errors.filter(
    ({ error }) => error.keyword === 'additionalProperties' && error.instancePath === place,
  ).length;
  return denied > 0 && isObject(value) && denied === Object.keys(value).length;
}

/** The branches of a combination by the places they consist of: their own, and those that their references point to. */
class BranchPlaces {
  readonly #owners = new Map<string, number[]>();
  readonly #known = new Map<string, number[]>();

  constructor(schema: Json, branches: readonly Json[], pointer: string) {
    for (const [index, branch] of branches.entries())
      for (const place of [`${pointer}/${index}`, ...referencedPlaces(schema, branch)])
        this.#owners.set(place, [...(this.#owners.get(place) ?? []), index]);
  }

  /** The branches that contain a place. */
  containing(place: string): readonly number[] {
    const known = this.#known.get(place);
    if (known !== undefined) return known;
    const found = new Set<number>();
    for (let slash = 0; slash >= 0; slash = place.indexOf('/', slash + 1))
      for (const branch of this.#owners.get(place.slice(0, slash)) ?? []) found.add(branch);
    const branches = [...found];
    this.#known.set(place, branches);
    return branches;
  }
}

/** The targets of a schema's references, including indirect ones. */
function referencedPlaces(root: Json, branch: Json): string[] {
  const places: string[] = [];
  const pending: Json[] = [branch];
  for (let next = pending.pop(); next !== undefined && places.length < 50; next = pending.pop()) {
    for (const { schema } of allSubschemas(next, MAX_SUBSCHEMAS)) {
      const target =
        isObject(schema) && typeof schema.$ref === 'string' ? resolveLocalReference(root, schema.$ref) : undefined;
      if (target === undefined || places.includes(target.pointer)) continue;
      places.push(target.pointer);
      pending.push(target.schema);
    }
  }
  return places;
}

/** The place of a keyword in the whole schema; behind some references, Ajv reports it relative to the target. */
function placeIn(schema: Json, reported: string, owner: object): string {
  const slash = reported.lastIndexOf('/');
  if (valueAt(schema, reported.slice(0, slash)) === owner) return reported;
  const found = allSubschemas(schema).find((each) => each.schema === owner);
  return found === undefined ? reported : `${found.pointer}${reported.slice(slash)}`;
}

function schemaPointerOf(schemaPath: string): string {
  const pointer = schemaPath.slice(schemaPath.indexOf('#') + 1);
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}

function violationOf({ error, keyword }: ErrorAt, actual: Json | undefined): Violation {
  const property: unknown =
    error.params.missingProperty ??
    error.params.additionalProperty ??
    error.params.unevaluatedProperty ??
    error.params.propertyName;
  const named = typeof property === 'string' ? property : undefined;
  return {
    pointer: error.instancePath,
    schemaPointer: keyword.place,
    keyword: error.keyword,
    message:
      named === undefined ? `must keep "${error.keyword}"` : `must keep "${error.keyword}": ${JSON.stringify(named)}`,
    expected: expectedBy(error, keyword.value, named),
    ...(actual === undefined ? {} : { actual }),
    ...(named === undefined ? {} : { property: named }),
  };
}

function expectedBy(error: ErrorObject, keywordValue: Json | undefined, property: string | undefined): Json {
  if (error.keyword === 'required' && property !== undefined) return property;
  if (error.keyword === 'false schema') return false;
  return keywordValue ?? null;
}
