import type { Case, LocatedSchema } from '../contract/agreement.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { memberNames } from '../schemas/member-names.ts';
import { allSubschemas, MAX_SUBSCHEMAS } from '../schemas/schema-walk.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import type { CaseValidation } from './case-validation.ts';
import type { Side } from './claims.ts';
import type { FoundSchema } from './find-schemas.ts';
import { unionOf } from './schema-union.ts';

/** The request and response schema of a document. */
export interface Selection {
  request: LocatedSchema | null;
  response: LocatedSchema | null;
  /**
   * Other schemas with an equal claim to be the request; neither document nor cases tell them apart from the selected
   * one.
   */
  requestRivals: FoundSchema[];
}

/**
 * Most subschemas, over all schemas of a document, that cases are validated against. Compiling one takes about 0.1 ms.
 * Enough for fifteen schemas of forty subschemas each.
 */
const MAX_HELD_SUBSCHEMAS = 600;

/** Most schemas of a document considered. */
const MAX_CANDIDATES = 24;

/**
 * Selects the request and response schema: the ordered pair that validates most case data. Titles and headings break
 * ties, then document order. If several schemas of one side each describe some of the cases, their union is selected.
 */
export function selectSchemas(
  found: readonly FoundSchema[],
  cases: readonly Case[],
  validation: CaseValidation,
): Selection {
  const candidates = judgeAll(found.slice(0, MAX_CANDIDATES), cases, validation);
  let best: { request: Candidate | null; response: Candidate | null; rank: number[] } | undefined;
  for (const request of [...candidates, null]) {
    for (const response of [...candidates, null]) {
      if (request === response && request !== null) continue;
      if (
        (request !== null && !isEligible(request, 'request', cases)) ||
        (response !== null && !isEligible(response, 'response', cases))
      ) {
        continue;
      }
      const rank = rankOf(request, response);
      if (best === undefined || isHigher(rank, best.rank)) best = { request, response, rank };
    }
  }
  if (best === undefined) return { request: null, response: null, requestRivals: [] };
  let { request, response } = best;
  // One schema may describe both directions if the exchange has a single message format.
  if (candidates.length === 1 && cases.length > 0) {
    const [only] = candidates;
    if (only !== undefined && only.claim === null && only.fits.request.size > 0 && only.fits.response.size > 0)
      request = response = only;
  }
  const others = candidates.filter((each) => each !== request && each !== response);
  const requestUnion = membersOf('request', request, others, cases);
  const responseUnion = membersOf('response', response, others, cases);
  return {
    request: unionOf(requestUnion.map(({ located }) => located)),
    response: unionOf(responseUnion.map(({ located }) => located)),
    requestRivals: rivalsOf(request, response, requestUnion, candidates),
  };
}

interface Candidate {
  index: number;
  located: FoundSchema;
  claim: Side | null;
  /** Indexes of the cases whose payload on that side is valid. */
  fits: Record<Side, Set<number>>;
  /**
   * Number of valid cases whose every member the schema declares. A loose schema allows nearly everything, so validity
   * alone says little.
   */
  described: Record<Side, number>;
  /** Indexes of the cases whose every member on that side the schema declares, valid or not. */
  means: Record<Side, Set<number>>;
  /** Whether some payload of that side has a declared property. */
  shares: Record<Side, boolean>;
}

function judgeAll(found: readonly FoundSchema[], cases: readonly Case[], validation: CaseValidation): Candidate[] {
  let left = MAX_HELD_SUBSCHEMAS;
  const names = cases.map(({ request, response }) => ({ request: namesOf(request), response: namesOf(response) }));
  return found.map((located, index) => {
    let usable: boolean | undefined;
    const isUsable = (): boolean => {
      if (usable !== undefined) return usable;
      left -= allSubschemas(located.schema, MAX_SUBSCHEMAS + 1).length;
      usable = left >= 0 && validatorOf(located.schema).ok;
      return usable;
    };
    const declares = declarationOf(located.schema);
    const judge = (side: Side) => {
      const fits = new Set<number>();
      const means = new Set<number>();
      let described = 0;
      let shares = false;
      for (const [number, each] of cases.entries()) {
        const declared = declares(names[number]?.[side]);
        if (declared !== 'none') shares = true;
        if (declared === 'all') means.add(number);
        // Compiling takes the most time, so only schemas that share a member with a case are compiled.
        if (declared === 'none' || !isUsable()) continue;
        if (validation.allows(located.schema, each[side]) !== true) continue;
        fits.add(number);
        if (declared === 'all') described += 1;
      }
      return { fits, means, described, shares };
    };
    const request = judge('request');
    const response = judge('response');
    return {
      index,
      located,
      claim: located.claim,
      fits: { request: request.fits, response: response.fits },
      means: { request: request.means, response: response.means },
      described: { request: request.described, response: response.described },
      shares: { request: request.shares, response: response.shares },
    };
  });
}

/** The names of a value's members; `undefined` if it is not an object. */
function namesOf(value: Json): readonly string[] | undefined {
  return isObject(value) ? memberNames(value) : undefined;
}

/**
 * Returns a function that tells how many of a value's members a schema declares, by their names. It returns `some` for
 * a schema without declared members, and for values that are not objects.
 */
function declarationOf(schema: Json): (names: readonly string[] | undefined) => 'all' | 'some' | 'none' {
  const declared = new Set<string>();
  const types = new Set<string>();
  for (const { schema: each, pointer } of allSubschemas(schema, 200)) {
    if (!isObject(each) || /\/(?:properties|items|prefixItems|patternProperties)\//.test(pointer)) continue;
    if (isObject(each.properties)) for (const name of Object.keys(each.properties)) declared.add(name);
    if (Array.isArray(each.required))
      for (const name of each.required) if (typeof name === 'string') declared.add(name);
    for (const type of Array.isArray(each.type) ? each.type : [each.type])
      if (typeof type === 'string') types.add(type);
  }
  return (names) => {
    if (names === undefined) return types.size > 0 && !types.has('object') ? 'all' : 'some';
    if (declared.size === 0 || names.length === 0) return 'some';
    const isFirst = declared.has(names[0] as string);
    // The second name usually settles it.
    if (names.some((name) => declared.has(name) !== isFirst)) return 'some';
    return isFirst ? 'all' : 'none';
  };
}

function isEligible(candidate: Candidate, side: Side, cases: readonly Case[]): boolean {
  if (candidate.described[side] > 0 || candidate.claim === side) return true;
  return candidate.claim === null && (cases.length === 0 || candidate.shares[side]);
}

function claimScore(candidate: Candidate | null, side: Side): number {
  if (candidate === null) return -1;
  if (candidate.claim === side) return 2;
  return candidate.claim === null ? 0 : -2;
}

function rankOf(request: Candidate | null, response: Candidate | null): number[] {
  return [
    (request?.described.request ?? 0) + (response?.described.response ?? 0),
    claimScore(request, 'request') + claimScore(response, 'response'),
    (request?.fits.request.size ?? 0) + (response?.fits.response.size ?? 0),
    request !== null && response !== null && request.index < response.index ? 1 : 0,
    -(request?.index ?? MAX_CANDIDATES),
    -(response?.index ?? MAX_CANDIDATES),
  ];
}

function isHigher(rank: readonly number[], than: readonly number[]): boolean {
  for (const [index, value] of rank.entries()) {
    const other = than[index] ?? 0;
    if (value !== other) return value > other;
  }
  return false;
}

/**
 * The selected schema, and the others of its side that describe or mean further cases, or that it cannot be told apart
 * from without cases.
 */
function membersOf(
  side: Side,
  chosen: Candidate | null,
  others: readonly Candidate[],
  cases: readonly Case[],
): Candidate[] {
  if (chosen === null) return [];
  const members = [chosen];
  const covered = new Set(chosen.fits[side]);
  for (const other of others) {
    if (other.located.baseUri !== chosen.located.baseUri) continue;
    if (other.claim !== side && (other.claim !== null || cases.length === 0)) continue;
    // A loose schema of neither side allows the case too, but does not count if another one declares all its members.
    const adds = [...other.fits[side]].some(
      (index) =>
        !covered.has(index) &&
        (other.claim === side || other.means[side].has(index) || !members.some(({ means }) => means[side].has(index))),
    );
    const separate =
      cases.length === 0 &&
      other.claim === chosen.claim &&
      (side === 'response' || areToldApart(chosen.located.schema, other.located.schema));
    // An invalid case is validated against the one schema that declares all its members.
    const isMeant =
      (other.claim === side || (side === 'response' && isOfErrors(other.located))) &&
      [...other.means[side]].some(
        (index) => !covered.has(index) && !members.some(({ means }) => means[side].has(index)),
      );
    if (!adds && !separate && !isMeant) continue;
    members.push(other);
    for (const index of other.fits[side]) covered.add(index);
  }
  return members.sort((a, b) => a.index - b.index);
}

/** Whether a schema of neither side describes failures, by its title or heading. */
function isOfErrors({ claim, schema, heading }: FoundSchema): boolean {
  const title = isObject(schema) && typeof schema.title === 'string' ? schema.title : '';
  return claim === null && (ERRORS.test(title) || ERRORS.test(heading));
}

const ERRORS = /error|failure|fault\b|fehler|erreur|错误|异常|エラー/i;

/** Whether a required member of both schemas has constant values that never agree, such as an action's name. */
function areToldApart(a: Json, b: Json): boolean {
  const [left, right] = [constantsOf(a), constantsOf(b)];
  return Object.entries(left).some(([name, values]) => {
    const others = Object.hasOwn(right, name) ? right[name] : undefined;
    return others !== undefined && !values.some((value) => others.some((other) => equalJson(value, other)));
  });
}

function constantsOf(schema: Json): Record<string, Json[]> {
  const properties: JsonObject = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]): [string, Json[]][] => {
      if (!isObject(property)) return [];
      if (property.const !== undefined) return [[name, [property.const]]];
      return Array.isArray(property.enum) && property.enum.length > 0 ? [[name, property.enum]] : [];
    }),
  );
}

function rivalsOf(
  request: Candidate | null,
  response: Candidate | null,
  members: readonly Candidate[],
  candidates: readonly Candidate[],
): FoundSchema[] {
  if (request === null) return [];
  const rivals = candidates.filter((each) => {
    if (
      members.includes(each) ||
      each.claim !== request.claim ||
      equalJson(each.located.schema, request.located.schema)
    )
      return false;
    if (each.located.baseUri !== request.located.baseUri) return false;
    if (each === response) {
      // If the swapped pair ranks the same, nothing says which of the two is the request.
      return isEqualRank(rankOf(each, request), rankOf(request, response));
    }
    if (!isEqualSet(each.fits.request, request.fits.request)) return false;
    return (
      each.claim === 'request' ||
      (response !== null && response.claim === null && each.fits.request.size === 0 && each.shares.request)
    );
  });
  return rivals.map(({ located }) => located);
}

function isEqualRank(a: readonly number[], b: readonly number[]): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
}

function isEqualSet(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return a.size === b.size && [...a].every((item) => b.has(item));
}
