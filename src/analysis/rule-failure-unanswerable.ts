import type { Finding, PatchOperation } from '../contract/finding.ts';
import { patched } from '../documents/apply-patch.ts';
import type { DocumentedCode } from '../documents/document-facts.ts';
import type { PlacedFinding } from '../families/family.ts';
import { escapeToken, isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';
import { allSubschemas, resolveLocalReference } from '../schemas/schema-walk.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import { isSuccessWord } from './agreed-failure.ts';
import { AmendmentPlan } from './amendment-plan.ts';
import { isChangedInWords } from './base-in-words.ts';
import type { Rule } from './rule.ts';

/**
 * The response schema allows every error code that the document lists. Only a warning if the document may have changed
 * the schema; the schema is then amended. Failures described in sentences are left to readers who understand them.
 */
export const ruleFailureUnanswerable: Rule = {
  name: 'failure-unanswerable',
  check({ agreement, job: { task } }, reading) {
    const { documentedCodes } = reading;
    const located = agreement.responseSchema;
    if (located === null || !validatorOf(located.schema).ok) return [];
    // A code that a requester reports to its own caller is not an answer of the peer.
    const reported = JSON.stringify([task?.outputSchema ?? null, task?.examples?.map(({ output }) => output) ?? []]);
    const answered = JSON.stringify(located.schema);
    const isReported = ({ code }: { code: string }) =>
      reported.includes(`"${code}"`) && !answered.includes(`"${code}"`);
    const codes = documentedCodes.filter((one) => one.isBesideOthers && !isReported(one));
    if (codes.length === 0) return [];
    const placed = (place: CodePlace, refused: readonly string[]): PlacedFinding[] => {
      const finding = findingOf(place, refused);
      const isChanged = finding.amendment !== undefined && isChangedInWords(located, reading);
      return [
        { finding: isChanged ? { ...finding, severity: 'warning' } : finding, text: 'document', at: located.start },
      ];
    };
    const unnamed = unansweredNames(located.schema, codes);
    if (unnamed !== undefined) return placed(unnamed.place, unnamed.refused);
    const places = codePlaces(located.schema, new Set(codes.map(({ code }) => code)));
    // A schema with one unrestricted code member allows all codes. A schema without code members reports failures
    // differently.
    if (places.length === 0 || places.some(({ values, bounds }) => values === undefined && bounds === undefined))
      return [];
    const refused = codes.filter(
      ({ code, meaning }) =>
        code !== PARSE_ERROR && !UNANSWERED.test(meaning) && !places.some((place) => allowsCode(place, code)),
    );
    // If the schema knows none of the listed codes, the list is about something else, such as transport codes.
    const place = places.find((each) => codes.some(({ code }) => allowsCode(each, code))) ?? places[0];
    if (refused.length === 0 || place === undefined || !isAboutPlace(place, codes, refused)) return [];
    return placed(
      place,
      refused.map(({ code }) => code),
    );
  },
};

/** JSON-RPC 2.0, section 5.1: the request was not JSON, so it never reaches a handler. */
const PARSE_ERROR = '-32700';

function findingOf(place: CodePlace, refused: readonly string[]): Finding {
  if (place.bounds !== undefined) return boundFinding(place, place.bounds, refused);
  const numeric = place.values?.every((value) => typeof value === 'number') === true;
  const wanted = refused.map((code): Json => (numeric && Number.isFinite(Number(code)) ? Number(code) : code));
  const patch: PatchOperation[] = place.isEnum
    ? wanted.map((value) => ({ op: 'add', path: `${place.pointer}/enum/-`, value }))
    : [];
  const pointer = `${place.pointer}/${place.isEnum ? 'enum' : 'const'}`;
  return refusal(refused, { pointer, expected: wanted, actual: place.values ?? null, patch });
}

function refusal(
  refused: readonly string[],
  { patch, ...rest }: { pointer: string; expected: Json[]; actual: Json; patch: PatchOperation[] },
): Finding {
  return {
    code: 'DOCUMENT_FAILURE_UNANSWERABLE',
    severity: 'error',
    in: 'responseSchema',
    message: `Cannot answer documented failures: the response schema does not allow ${refused.join(', ')}, wanted a member that does`,
    ...rest,
    ...amendmentOf(patch.length === 0 ? undefined : patch),
  };
}

/**
 * A place without listed codes refuses codes by a bound, a pattern or a reference. The amendment applies to that
 * keyword.
 */
function boundFinding(place: CodePlace, { schema, form }: Bounds, refused: readonly string[]): Finding {
  const wanted = refused.map(form);
  const validator = validatorOf(schema);
  const violations = validator.ok ? wanted.flatMap((code) => validator.validate(code)) : [];
  const [first] = violations;
  // Shared definitions are at the root of the whole schema too.
  const inWhole = (path: string) => (/^\/(?:\$defs|definitions)\//.test(path) ? path : `${place.pointer}${path}`);
  const listed = (['anyOf', 'oneOf'] as const).find((keyword) => isObject(schema) && Array.isArray(schema[keyword]));
  const patches = [
    new AmendmentPlan(schema, violations).patchFor(violations),
    listed && wanted.map((value): PatchOperation => ({ op: 'add', path: `/${listed}/-`, value: { const: value } })),
  ];
  const patch = patches.find((each) => {
    const amended = each === undefined ? undefined : patched(schema, each);
    const allowing = amended === undefined ? undefined : validatorOf(amended);
    return allowing?.ok && wanted.every((code) => allowing.allows(code));
  });
  return refusal(refused, {
    pointer: inWhole(first?.schemaPointer ?? ''),
    expected: wanted,
    actual: valueAt(schema, first?.schemaPointer ?? '') ?? null,
    patch: (patch ?? []).map((operation) => ({ ...operation, path: inWhole(operation.path) })),
  });
}

function amendmentOf(patch: PatchOperation[] | undefined): Pick<Finding, 'amendment'> {
  return patch === undefined ? {} : { amendment: { of: 'responseSchema', patch } };
}

/** A code of several capitalised words. */
const NAME = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** Failures that no answer reports: the answer is missing, or the requester detects the failure. */
const UNANSWERED =
  /(?<![a-z])(?:time[ds]?|timeouts?|transport|network|connect\w*|gateway|proxy|unreachable|no (?:response|answer|reply)|client|requester|caller|local(?:ly)?|retr(?:y|ies|ied)|logs?|future|reserved)(?![a-z])|超时|网络|连接|请求方|客户端|重试|保留/i;

/** Names of members that may report a failure as a word. */
const TELLS_FAILURE =
  /code|err|reason|fail|fault|status|state|cause|why|kind|type|grund|fehler|motiv|错误|原因|代码|状态|理由|エラー/i;

/** Whether some member that may report a failure is an unrestricted text. */
function hasOpenPlace(schema: Json): boolean {
  return allSubschemas(schema, 500).some(
    ({ schema: each }) =>
      isObject(each) &&
      isObject(each.properties) &&
      Object.entries(each.properties).some(
        ([name, property]) =>
          TELLS_FAILURE.test(name) &&
          !/message|detail|desc|text/i.test(name) &&
          isObject(property) &&
          !LISTS_VALUES.some((keyword) => property[keyword] !== undefined) &&
          !['boolean', 'integer', 'number', 'null'].includes(String(property.type)),
      ),
  );
}

const LISTS_VALUES = ['enum', 'const', 'properties', '$ref', 'anyOf', 'oneOf', 'allOf', 'items', 'pattern'];

/**
 * Error names in a list of failures that the schema lacks, if one enum of the schema has others of the list. None if a
 * member for failures is an unrestricted text.
 */
function unansweredNames(
  schema: Json,
  documented: readonly DocumentedCode[],
): { place: CodePlace; refused: string[] } | undefined {
  const named = documented.filter(({ code }) => NAME.test(code));
  if (named.length < 2) return undefined;
  const places = allSubschemas(schema, 500).flatMap(({ schema: each, pointer }): CodePlace[] =>
    isObject(each) && Array.isArray(each.enum) ? [placeOf(pointer, each)] : [],
  );
  const isIn =
    (code: string) =>
    (place: CodePlace): boolean =>
      place.values?.includes(code) === true;
  const about = places.filter((place) => named.some(({ code }) => isIn(code)(place)));
  const [place] = about;
  // With two enums, one may be about something else. A name elsewhere in the schema may be answered there.
  if (place === undefined || about.length > 1 || hasOpenPlace(schema)) return undefined;
  const text = JSON.stringify(schema);
  const refused = named.filter(
    ({ code, meaning }) => !text.includes(`"${code}"`) && !UNANSWERED.test(`${code} ${meaning}`),
  );
  const [first] = named.filter(({ code }) => isIn(code)(place));
  // Names listed near a known one belong to the same list.
  const near = refused.filter(({ line }) => Math.abs(line - (first?.line ?? line)) <= named.length);
  // If the enum also has a success word, it lists results, and half of the names are enough evidence.
  const share = named.length - near.length * 2;
  return near.length === 0 || share < 0 || (share === 0 && !place.values?.some(isSuccessWord))
    ? undefined
    : { place, refused: near.map(({ code }) => code) };
}

interface CodePlace {
  pointer: string;
  /** The values it allows; `undefined` if it does not list values. */
  values: Json[] | undefined;
  isEnum: boolean;
  /** Its restrictions if it does not list values; `undefined` if it has none. */
  bounds?: Bounds | undefined;
}

interface Bounds {
  /** The member's schema, with the definitions it may reference. */
  schema: Json;
  /** Converts a code to the type that the schema has, number or text, and to all types it may have. */
  form: (code: string) => Json;
  forms: readonly ((code: string) => Json)[];
}

/** Keywords that may refuse a code in a schema without listed values. */
const BOUNDING = [
  ...['$ref', 'anyOf', 'oneOf', 'allOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'pattern'],
];

/**
 * Most places whose restrictions are examined, and longest schema of one, in UTF-16 units. Compiling one takes
 * milliseconds.
 */
const [MAX_BOUNDED, MAX_SCHEMA] = [3, 1_000];

function isBounding(schema: JsonObject): boolean {
  return BOUNDING.some((keyword) => schema[keyword] !== undefined);
}

function allowsCode({ values, bounds }: CodePlace, code: string): boolean {
  if (values !== undefined) return values.some((value) => textOf(value) === code);
  return bounds === undefined || bounds.forms.some((form) => allows(bounds.schema, form(code)));
}

function allows(schema: Json, value: Json): boolean {
  const validator = validatorOf(schema);
  return !validator.ok || validator.allows(value);
}

/**
 * The restrictions of a place, if they are about the documented codes: it allows one of these, or 200 but neither 99
 * nor 1000.
 */
function boundsOf(root: Json, property: JsonObject, documented: ReadonlySet<string>): Bounds | undefined {
  const isAlone = !JSON.stringify(property).includes('"$ref"');
  const shared = ['$schema', ...(isAlone ? [] : ['$defs', 'definitions'])].flatMap((keyword): [string, Json][] => {
    const value = isObject(root) ? root[keyword] : undefined;
    return value === undefined ? [] : [[keyword, value]];
  });
  const schema = { ...Object.fromEntries(shared), ...property };
  if (JSON.stringify(schema).length > MAX_SCHEMA || !validatorOf(schema).ok) return undefined;
  // A pattern does not restrict numbers, and a bound does not restrict texts.
  const isText = property.type === 'string' || (property.type === undefined && property.pattern !== undefined);
  const isNumber = property.type === undefined && (property.maximum ?? property.minimum) !== undefined;
  const forms = isText ? [String] : isNumber ? [numberOf] : [numberOf, String];
  const isOfCodes = (form: (code: string) => Json) =>
    [...documented].some((code) => allows(schema, form(code))) ||
    (allows(schema, form('200')) && !allows(schema, form('99')) && !allows(schema, form('1000')));
  const form = forms.find(isOfCodes);
  return form && { schema, form, forms };
}

function numberOf(code: string): Json {
  return Number.isFinite(Number(code)) ? Number(code) : code;
}

const CODE_NAME =
  /^(?:code|status_?code|error_?code|err_?code|http_?status|ret_?code|result_?code|status|错误码|状态码)$/i;

/** The members for codes: by their names, or because they list numbers that the document has as codes. */
function codePlaces(schema: Json, documented: ReadonlySet<string>): CodePlace[] {
  const places: (CodePlace & { property: JsonObject })[] = [];
  for (const { schema: each, pointer } of allSubschemas(schema, 500)) {
    if (!isObject(each) || !isObject(each.properties)) continue;
    for (const [name, member] of Object.entries(each.properties)) {
      const reference = isObject(member) && typeof member.$ref === 'string' ? member.$ref : undefined;
      const named = reference === undefined ? undefined : resolveLocalReference(schema, reference);
      const property = named?.schema ?? member;
      if (!isObject(property) || isObject(property.properties)) continue;
      if (!CODE_NAME.test(name) && !listsAny(property.enum, documented)) continue;
      const place = placeOf(named?.pointer ?? `${pointer}/properties/${escapeToken(name)}`, property);
      places.push({ ...place, property });
    }
  }
  const unlisted = places.filter(({ values }) => values === undefined);
  // One unrestricted place is enough for all codes.
  if (unlisted.length > MAX_BOUNDED || !unlisted.every(({ property }) => isBounding(property))) return places;
  return places.map((place) =>
    place.values === undefined ? { ...place, bounds: boundsOf(schema, place.property, documented) } : place,
  );
}

function listsAny(listed: Json | undefined, codes: ReadonlySet<string>): boolean {
  return Array.isArray(listed) && listed.some((value) => typeof value === 'number' && codes.has(String(value)));
}

function placeOf(pointer: string, property: JsonObject): CodePlace {
  if (Array.isArray(property.enum)) return { pointer, values: property.enum, isEnum: true };
  return { pointer, values: property.const === undefined ? undefined : [property.const], isEnum: false };
}

/** A value as a code is written. Objects go through JSON, because their own `toString` is not safe. */
function textOf(value: Json): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Whether the listed codes are numbers of the kind that the place has. Words may name other things. Next to `0`, HTTP
 * codes belong to another scheme, unless the place has most of them.
 */
function isAboutPlace(
  place: CodePlace,
  documented: readonly Pick<DocumentedCode, 'code'>[],
  refused: readonly Pick<DocumentedCode, 'code'>[],
): boolean {
  const values = (place.values ?? []).map(textOf);
  if (!refused.every(({ code }) => /^-?\d+$/.test(code))) return false;
  if (values.length > 0 && !values.some((value) => /^-?\d+$/.test(value))) return false;
  const share = documented.length - refused.length * 2;
  const isBesideZero =
    values.includes('0') || (place.bounds !== undefined && allowsCode(place, '0') && !allowsCode(place, '99'));
  if (isBesideZero && (share < 0 || (share === 0 && refused.some(({ code }) => /^[45]\d\d$/.test(code))))) return false;
  if (place.bounds !== undefined)
    return refused.length < documented.length || refused.every(({ code }) => /^\d{3}$/.test(code));
  const lengths = new Set(values.filter((value) => /^-?\d+$/.test(value)).map(({ length }) => length));
  return refused.length < documented.length || refused.every(({ code }) => lengths.has(code.length));
}
