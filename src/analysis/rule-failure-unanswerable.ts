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
 * Every failure that the document lists by its code can be answered: the response schema has a place that allows it. A
 * warning where the document may have changed the schema, which then is amended.
 * What sentences say of failures is for those who read them.
 */
export const ruleFailureUnanswerable: Rule = {
  name: 'failure-unanswerable',
  check({ agreement, job: { task } }, reading) {
    const { documentedCodes } = reading;
    const located = agreement.responseSchema;
    if (located === null || !validatorOf(located.schema).ok) return [];
    // What the asking side reports to its own caller is no answer of the peer.
    const reported = JSON.stringify([task?.outputSchema ?? null, task?.examples?.map(({ output }) => output) ?? []]);
    const answered = JSON.stringify(located.schema);
    const isReported = ({ code }: { code: string }) =>
      reported.includes(`"${code}"`) && !answered.includes(`"${code}"`);
    const codes = documentedCodes.filter((one) => one.isBesideOthers && !isReported(one));
    if (codes.length === 0) return [];
    const told = (place: CodePlace, refused: readonly string[]): PlacedFinding[] => {
      const finding = findingOf(place, refused);
      const isChanged = finding.amendment !== undefined && isChangedInWords(located, reading);
      return [
        { finding: isChanged ? { ...finding, severity: 'warning' } : finding, text: 'document', at: located.start },
      ];
    };
    const unnamed = unansweredNames(located.schema, codes);
    if (unnamed !== undefined) return told(unnamed.place, unnamed.refused);
    const places = codePlaces(located.schema, new Set(codes.map(({ code }) => code)));
    // A schema that leaves any place for a code open allows them all; one without such a place says failures otherwise.
    if (places.length === 0 || places.some(({ values, bounds }) => values === undefined && bounds === undefined))
      return [];
    const refused = codes.filter(
      ({ code, meaning }) =>
        code !== PARSE_ERROR && !UNANSWERED.test(meaning) && !places.some((place) => allowsCode(place, code)),
    );
    // Where none of the listed codes is known, the list speaks of something else, such as the transport's own codes.
    const place = places.find((each) => codes.some(({ code }) => allowsCode(each, code))) ?? places[0];
    if (refused.length === 0 || place === undefined || !isAboutPlace(place, codes, refused)) return [];
    return told(
      place,
      refused.map(({ code }) => code),
    );
  },
};

/** JSON-RPC 2.0, section 5.1: what was no JSON, which no handler is asked. */
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
  { patch, ...told }: { pointer: string; expected: Json[]; actual: Json; patch: PatchOperation[] },
): Finding {
  return {
    code: 'DOCUMENT_FAILURE_UNANSWERABLE',
    severity: 'error',
    in: 'responseSchema',
    message: `Cannot answer documented failures: the response schema allows no code ${refused.join(', ')}, wanted a place that does`,
    ...told,
    ...amendmentOf(patch.length === 0 ? undefined : patch),
  };
}

/** A place that lists no codes itself refuses some by a bound, a pattern, or what it refers to: that is amended where it lies. */
function boundFinding(place: CodePlace, { schema, form }: Bounds, refused: readonly string[]): Finding {
  const wanted = refused.map(form);
  const validator = validatorOf(schema);
  const violations = validator.ok ? wanted.flatMap((code) => validator.validate(code)) : [];
  const [first] = violations;
  // What is shared lies at the root of the whole schema as well.
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

/** A code that is a name of several words. */
const NAME = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** What a failure is about that no answer tells: that none came, or what the asking side makes of it. */
const UNANSWERED =
  /(?<![a-z])(?:time[ds]?|timeouts?|transport|network|connect\w*|gateway|proxy|unreachable|no (?:response|answer|reply)|client|requester|caller|local(?:ly)?|retr(?:y|ies|ied)|logs?|future|reserved)(?![a-z])|超时|网络|连接|请求方|客户端|重试|保留/i;

/** Names under which an answer may tell a failure by a word. */
const TELLS_FAILURE =
  /code|err|reason|fail|fault|status|state|cause|why|kind|type|grund|fehler|motiv|错误|原因|代码|状态|理由|エラー/i;

/** Whether some member that may tell a failure lists no values, and is made of nothing that does. */
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

/** Codes of words in a list of failures of which the schema lists others, and that stand nowhere in the schema; never where texts are open by such a name. */
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
  // Of two lists, one may be of something else; a name that stands elsewhere in the schema may be answered there.
  if (place === undefined || about.length > 1 || hasOpenPlace(schema)) return undefined;
  const text = JSON.stringify(schema);
  const refused = named.filter(
    ({ code, meaning }) => !text.includes(`"${code}"`) && !UNANSWERED.test(`${code} ${meaning}`),
  );
  const [first] = named.filter(({ code }) => isIn(code)(place));
  // The list that has one of them has the others: a few lines apart at most.
  const near = refused.filter(({ line }) => Math.abs(line - (first?.line ?? line)) <= named.length);
  // Where the list of the schema says by a word of its own that all went well, it is of how it went, and half of the others show it.
  const share = named.length - near.length * 2;
  return near.length === 0 || share < 0 || (share === 0 && !place.values?.some(isSuccessWord))
    ? undefined
    : { place, refused: near.map(({ code }) => code) };
}

interface CodePlace {
  pointer: string;
  /** The values it allows; `undefined` where it does not list them. */
  values: Json[] | undefined;
  isEnum: boolean;
  /** What it asks of codes where it does not list them; `undefined` where that is nothing. */
  bounds?: Bounds | undefined;
}

interface Bounds {
  /** The member's schema with what it may refer to. */
  schema: Json;
  /** A code in the form that the schema has, a number or a text, and in all that may do. */
  form: (code: string) => Json;
  forms: readonly ((code: string) => Json)[];
}

/** Keywords by which a schema that lists no values may refuse a code. */
const BOUNDING = [
  ...['$ref', 'anyOf', 'oneOf', 'allOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'pattern'],
];

/** Most places whose bounds are looked at, and the longest schema of one, in UTF-16 units: to make one ready takes milliseconds. */
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

/** The bounds of a place that are those of the documented codes: it allows one of them, or the code for a success and no smaller and no larger number. */
function boundsOf(root: Json, property: JsonObject, documented: ReadonlySet<string>): Bounds | undefined {
  const isAlone = !JSON.stringify(property).includes('"$ref"');
  const shared = ['$schema', ...(isAlone ? [] : ['$defs', 'definitions'])].flatMap((keyword): [string, Json][] => {
    const value = isObject(root) ? root[keyword] : undefined;
    return value === undefined ? [] : [[keyword, value]];
  });
  const schema = { ...Object.fromEntries(shared), ...property };
  if (JSON.stringify(schema).length > MAX_SCHEMA || !validatorOf(schema).ok) return undefined;
  // A pattern says nothing of numbers, and a bound nothing of texts.
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

/** The members for codes: by their names, whatever they list, or since they list numbers that the document has as codes. */
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
  // One open place is enough for all codes.
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

/** A value as a code is written; an object may not be made a text by its own methods. */
function textOf(value: Json): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Whether the listed codes are numbers of the kind that the place holds; words may name much else, and beside `0` those of HTTP another scheme unless it has most of them. */
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
