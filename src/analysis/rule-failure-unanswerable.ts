import type { Finding, PatchOperation } from '../contract/finding.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { allSubschemas } from '../schemas/schema-walk.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import { answeredCodesIn, type DocumentedCode, namesInSentences } from './document-facts.ts';
import type { Rule } from './rule.ts';

/** Every failure that the document lists by its code, or in a sentence where it lists none, can be answered: the response schema has a place that allows the code. */
export const ruleFailureUnanswerable: Rule = {
  name: 'failure-unanswerable',
  check({ agreement, job: { task } }, { documentedCodes, parts }) {
    const located = agreement.responseSchema;
    if (located === null || !validatorOf(located.schema).ok) return [];
    // What the asking side reports to its own caller is no answer of the peer.
    const reported = JSON.stringify([task?.outputSchema ?? null, task?.examples?.map(({ output }) => output) ?? []]);
    const answered = JSON.stringify(located.schema);
    const isReported = ({ code }: { code: string }) =>
      reported.includes(`"${code}"`) && !answered.includes(`"${code}"`);
    const listed = documentedCodes.filter((one) => !isReported(one));
    const inSentences = listed.length > 0 ? [] : answeredCodesIn(parts.own.prose);
    const codes = [...listed, ...inSentences.map((code) => ({ code: String(code), meaning: '' }))];
    const request = agreement.requestSchema?.schema ?? null;
    const named =
      listed.length > 0 ? listed : answeredNames(parts.own.prose, request).filter((one) => !isReported(one));
    if (codes.length === 0 && named.length === 0) return [];
    const unnamed = unansweredNames(located.schema, named);
    if (unnamed !== undefined)
      return [{ finding: findingOf(unnamed.place, unnamed.refused), text: 'document', at: located.start }];
    const places = codePlaces(located.schema);
    // A schema that leaves any place for a code open allows them all; one without such a place says failures otherwise.
    if (places.length === 0 || places.some(({ values }) => values === undefined)) return [];
    const refused = codes.filter(
      ({ code, meaning }) =>
        code !== PARSE_ERROR &&
        !UNANSWERED.test(meaning) &&
        !places.some(({ values }) => values?.some((value) => textOf(value) === code)),
    );
    // Where none of the listed codes is known, the list speaks of something else, such as the transport's own codes.
    const [place] = places;
    if (refused.length === 0 || place === undefined || !isAboutPlace(place, codes, refused)) return [];
    const finding = findingOf(
      place,
      refused.map(({ code }) => code),
    );
    return [{ finding, text: 'document', at: located.start }];
  },
};

/** The names in sentences but those of requests; one that no sentence gives to an answer only tells which list is meant. */
function answeredNames(prose: string, request: Json): NamedFailure[] {
  const asked = JSON.stringify(request);
  const names = [...namesInSentences(prose)].filter(([name]) => !asked.includes(`"${name}"`));
  return names.map(([code, { isAnswered }]) => ({ code, meaning: '', line: 0, isAnswered }));
}

type NamedFailure = DocumentedCode & { isAnswered?: boolean };

/** JSON-RPC 2.0, section 5.1: what was no JSON, which no handler is asked. */
const PARSE_ERROR = '-32700';

function findingOf(place: CodePlace, refused: readonly string[]): Finding {
  const numeric = place.values?.every((value) => typeof value === 'number') === true;
  const wanted = refused.map((code): Json => (numeric && Number.isFinite(Number(code)) ? Number(code) : code));
  const patch: PatchOperation[] = place.isEnum
    ? wanted.map((value) => ({ op: 'add', path: `${place.pointer}/enum/-`, value }))
    : [];
  return {
    code: 'DOCUMENT_FAILURE_UNANSWERABLE',
    severity: 'error',
    in: 'responseSchema',
    pointer: `${place.pointer}/${place.isEnum ? 'enum' : 'const'}`,
    message: `Cannot answer documented failures: the response schema allows no code ${refused.join(', ')}, wanted a place that does`,
    expected: wanted,
    actual: place.values ?? null,
    ...(patch.length === 0 ? {} : { amendment: { of: 'responseSchema', patch } }),
  };
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
  documented: readonly NamedFailure[],
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
    ({ code, meaning, isAnswered = true }) =>
      isAnswered && !text.includes(`"${code}"`) && !UNANSWERED.test(`${code} ${meaning}`),
  );
  const [first] = named.filter(({ code }) => isIn(code)(place));
  // The list that has one of them has the others: a few lines apart at most.
  const near = refused.filter(({ line }) => Math.abs(line - (first?.line ?? line)) <= named.length);
  return near.length === 0 || near.length * 2 >= named.length
    ? undefined
    : { place, refused: near.map(({ code }) => code) };
}

interface CodePlace {
  pointer: string;
  /** The values it allows; `undefined` where it does not list them. */
  values: Json[] | undefined;
  isEnum: boolean;
}

const CODE_NAME =
  /^(?:code|status_?code|error_?code|err_?code|http_?status|ret_?code|result_?code|status|错误码|状态码)$/i;

function codePlaces(schema: Json): CodePlace[] {
  const places: CodePlace[] = [];
  for (const { schema: each, pointer } of allSubschemas(schema, 500)) {
    if (!isObject(each) || !isObject(each.properties)) continue;
    for (const [name, property] of Object.entries(each.properties)) {
      if (!CODE_NAME.test(name) || !isObject(property) || isObject(property.properties)) continue;
      places.push(placeOf(`${pointer}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, property));
    }
  }
  return places;
}

function placeOf(pointer: string, property: JsonObject): CodePlace {
  if (Array.isArray(property.enum)) return { pointer, values: property.enum, isEnum: true };
  return { pointer, values: property.const === undefined ? undefined : [property.const], isEnum: false };
}

/** A value as a code is written; an object may not be made a text by its own methods. */
function textOf(value: Json): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Whether the listed codes are numbers of the kind that the place holds; words may name much else, and `0` another scheme unless it has most of them. */
function isAboutPlace(
  place: CodePlace,
  documented: readonly Pick<DocumentedCode, 'code'>[],
  refused: readonly Pick<DocumentedCode, 'code'>[],
): boolean {
  const values = (place.values ?? []).map(textOf);
  if (!refused.every(({ code }) => /^-?\d+$/.test(code))) return false;
  if (values.includes('0') && refused.length * 2 >= documented.length) return false;
  const lengths = new Set(values.filter((value) => /^-?\d+$/.test(value)).map(({ length }) => length));
  return refused.length < documented.length || refused.every(({ code }) => lengths.has(code.length));
}
