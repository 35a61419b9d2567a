import type { ErrorObject } from 'ajv';
import type { SchemaIssue } from '../contract/trial.ts';
import { isObject, type Json, pointerTokens, valueAt } from '../kernel/json.ts';
import { branchMembersOf } from './branch-members.ts';
import { allSubschemas, MAX_SUBSCHEMAS, resolveLocalReference } from './schema-walk.ts';

/** Most issues reported for one value. */
export const MAX_ISSUES = 50;

/** A place where a value breaks its schema, with the property that is missing or not declared. */
export interface Violation extends SchemaIssue {
  property?: string;
}

/** Most errors of the compiled validator that are looked through for issues. */
const MAX_ERRORS = 1_000;

/** A keyword of a schema: where it stands, what it says, and for a combination the branches by the places they are made of. */
interface Keyword {
  place: string;
  value: Json | undefined;
  owners?: BranchPlaces;
}

/** An error of the compiled validator with the keyword that was broken. */
interface Told {
  error: ErrorObject;
  keyword: Keyword;
}

const keywords = new WeakMap<object, Map<string, Keyword>>();

/** The keyword that an error is about; found out once for a schema. */
function keywordAt(schema: Json, { schemaPath, parentSchema }: ErrorObject): Keyword {
  if (!isObject(schema)) return { place: schemaPointerOf(schemaPath), value: undefined };
  const owner: object | undefined = isObject(parentSchema) ? parentSchema : undefined;
  const known = keywords.get(owner ?? schema) ?? new Map<string, Keyword>();
  keywords.set(owner ?? schema, known);
  const before = known.get(schemaPath);
  if (before !== undefined) return before;
  const told = schemaPointerOf(schemaPath);
  const place = owner === undefined ? told : placeIn(schema, told, owner);
  const keyword = { place, value: valueAt(schema, place) };
  known.set(schemaPath, keyword);
  return keyword;
}

/**
 * The issues that errors stand for, at most `MAX_ISSUES`. Of an `anyOf` or `oneOf` that failed, the issues of the branch that fits best where one
 * is meant, else the combination itself: never those of all branches.
 */
export function violationsOf(schema: Json, value: Json, errors: readonly ErrorObject[]): Violation[] {
  const told: Told[] = [];
  for (const error of errors.slice(0, MAX_ERRORS)) {
    if (error.keyword === '$ref' || error.keyword === 'if') continue;
    const each = { error, keyword: keywordAt(schema, error) };
    // A combination is reported right after its branches, inner ones first.
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') told.push(...closestBranch(schema, told, each, value));
    else told.push(each);
  }
  const values = new Map<string, Json | undefined>();
  return told.slice(0, MAX_ISSUES).map((each) => {
    const { instancePath } = each.error;
    if (!values.has(instancePath)) values.set(instancePath, valueAt(value, instancePath));
    return violationOf(each, values.get(instancePath));
  });
}

/** Takes the errors of a failed combination's branches off the end of a list; gives those of the branch that is meant, or the combination. */
function closestBranch(schema: Json, told: Told[], whole: Told, value: Json): Told[] {
  const { keyword } = whole;
  if (!Array.isArray(keyword.value)) return [whole];
  keyword.owners ??= new BranchPlaces(schema, keyword.value, keyword.place);
  const { owners } = keyword;
  const members = branchMembersOf(schema, keyword.value);
  const byBranch = new Map<number, Told[]>();
  for (let last = told.at(-1); last !== undefined; last = told.at(-1)) {
    const inside = last.error.instancePath.startsWith(whole.error.instancePath)
      ? owners.around(last.keyword.place)
      : [];
    if (inside.length === 0) break;
    told.pop();
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
  // A list alone tells no kinds apart: it does where another branch has the value in its own.
  const isOfOtherKind = ({ error }: Told): boolean => {
    const name = constantIn(error, whole.error);
    return name === '' || (name !== undefined && members.lists(name, valueAt(value, error.instancePath)));
  };
  const ofKind = ofType.filter(
    ({ errors }) => !errors.some(isOfOtherKind) && !deniesAll(errors, whole.error.instancePath, here),
  );
  const listed = ofType.filter(({ errors }) => errors.every(({ error }) => error.keyword === 'enum'));
  // Where constants and lists deny all branches, the only one is meant of which nothing but a list is broken, or the only one of the value's type.
  const meant = [ofKind, listed.length === 1 ? listed : [], ofType.length === 1 ? ofType : []].find(
    ({ length }) => length > 0,
  );
  const [closest, second] = (meant ?? [])
    .map(({ branch, errors }) => ({ errors, ...breaksOf(errors, members.undeclared(branch, here), whole.error) }))
    .sort((a, b) => a.places - b.places || b.depth - a.depth);
  if (closest === undefined) return [whole];
  // Of two branches that fit equally well, none is meant more than the other.
  const isTie = closest.places === second?.places && closest.depth === second.depth;
  // Nor is one of several kinds meant by a value that is of none of them.
  const isOfNoKind = closest.errors.some(({ error }) => {
    const name = error.keyword === 'const' ? constantIn(error, whole.error) : undefined;
    return name !== undefined && members.tellsApart(name);
  });
  return isTie || isOfNoKind ? [whole] : closest.errors.reverse();
}

/**
 * In how many places a branch is broken, members that it does not declare among them, and how deep the outermost break lies: a branch that is broken
 * deep inside fits better than at its root.
 */
function breaksOf(
  errors: readonly Told[],
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

/** Whether an error says that a value was never meant for a branch, since that is for another type. */
function isOfOtherType({ keyword, instancePath }: ErrorObject, whole: ErrorObject): boolean {
  return keyword === 'type' && instancePath === whole.instancePath;
}

/** The member of a value whose constant or list an error is about, empty where that is the value itself. */
function constantIn({ keyword, instancePath }: ErrorObject, whole: ErrorObject): string | undefined {
  if (keyword !== 'const' && keyword !== 'enum') return undefined;
  const [name = '', ...deeper] = pointerTokens(instancePath.slice(whole.instancePath.length));
  return deeper.length === 0 ? name : undefined;
}

/** Whether a branch declares no member that a value has. */
function deniesAll(errors: readonly Told[], place: string, value: Json | undefined): boolean {
  const denied = errors.filter(
    ({ error }) => error.keyword === 'additionalProperties' && error.instancePath === place,
  ).length;
  return denied > 0 && isObject(value) && denied === Object.keys(value).length;
}

/** The branches of a combination by the places they are made of: their own, and those that their references lead to. */
class BranchPlaces {
  readonly #owners = new Map<string, number[]>();
  readonly #known = new Map<string, number[]>();

  constructor(schema: Json, branches: readonly Json[], pointer: string) {
    for (const [index, branch] of branches.entries())
      for (const place of [`${pointer}/${index}`, ...referencedPlaces(schema, branch)])
        this.#owners.set(place, [...(this.#owners.get(place) ?? []), index]);
  }

  /** The branches that a place lies inside of. */
  around(place: string): readonly number[] {
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

/** The places that a schema's references lead to, also through each other. */
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

/** The place of a keyword in the whole schema: behind some references, the compiled validator tells it from where they lead. */
function placeIn(schema: Json, told: string, owner: object): string {
  const slash = told.lastIndexOf('/');
  if (valueAt(schema, told.slice(0, slash)) === owner) return told;
  const found = allSubschemas(schema).find((each) => each.schema === owner);
  return found === undefined ? told : `${found.pointer}${told.slice(slash)}`;
}

function schemaPointerOf(schemaPath: string): string {
  const pointer = schemaPath.slice(schemaPath.indexOf('#') + 1);
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}

function violationOf({ error, keyword }: Told, actual: Json | undefined): Violation {
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
