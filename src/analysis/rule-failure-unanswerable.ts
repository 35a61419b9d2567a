import type { Finding, PatchOperation } from '../contract/finding.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { allSubschemas } from '../schemas/schema-walk.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import { answeredCodesIn, type DocumentedCode } from './document-facts.ts';
import type { Rule } from './rule.ts';

/** Every failure that the document lists by its code, or in a sentence where it lists none, can be answered: the response schema has a place that allows the code. */
export const ruleFailureUnanswerable: Rule = {
  name: 'failure-unanswerable',
  check({ agreement }, { documentedCodes: listed, parts }) {
    const located = agreement.responseSchema;
    if (located === null || !validatorOf(located.schema).ok) return [];
    const inSentences = listed.length > 0 ? [] : answeredCodesIn(parts.own.prose);
    const documentedCodes = [...listed, ...inSentences.map((code) => ({ code: String(code) }))];
    if (documentedCodes.length === 0) return [];
    const places = codePlaces(located.schema);
    // A schema that leaves any place for a code open allows them all; one without such a place says failures otherwise.
    if (places.length === 0 || places.some(({ values }) => values === undefined)) return [];
    const refused = documentedCodes.filter(
      ({ code }) => !places.some(({ values }) => values?.some((value) => String(value) === code)),
    );
    // Where none of the listed codes is known, the list speaks of something else, such as the transport's own codes.
    const [place] = places;
    if (refused.length === 0 || place === undefined || !isAboutPlace(place, documentedCodes, refused)) return [];
    const numeric = place.values?.every((value) => typeof value === 'number') === true;
    const wanted = refused.map(({ code }): Json => (numeric && Number.isFinite(Number(code)) ? Number(code) : code));
    const patch: PatchOperation[] = place.isEnum
      ? wanted.map((value) => ({ op: 'add', path: `${place.pointer}/enum/-`, value }))
      : [];
    const finding: Finding = {
      code: 'DOCUMENT_FAILURE_UNANSWERABLE',
      severity: 'error',
      in: 'responseSchema',
      pointer: `${place.pointer}/${place.isEnum ? 'enum' : 'const'}`,
      message: `Cannot answer documented failures: the response schema allows no code ${refused.map(({ code }) => code).join(', ')}, wanted a place that does`,
      expected: wanted,
      actual: place.values ?? null,
      ...(patch.length === 0 ? {} : { amendment: { of: 'responseSchema', patch } }),
    };
    return [{ finding, text: 'document', at: located.start }];
  },
};

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

/** Whether the listed codes are numbers of the kind that the place holds; words may name much else, and `0` another scheme. */
function isAboutPlace(
  place: CodePlace,
  documented: readonly Pick<DocumentedCode, 'code'>[],
  refused: readonly Pick<DocumentedCode, 'code'>[],
): boolean {
  const values = (place.values ?? []).map(String);
  if (!refused.every(({ code }) => /^\d+$/.test(code)) || values.includes('0')) return false;
  const lengths = new Set(values.filter((value) => /^\d+$/.test(value)).map(({ length }) => length));
  return refused.length < documented.length || refused.every(({ code }) => lengths.has(code.length));
}
