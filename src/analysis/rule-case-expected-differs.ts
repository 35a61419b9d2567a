import type { Agreement, Case } from '../contract/agreement.ts';
import { isObject, type Json, pointerTokens } from '../kernel/json.ts';
import { allSubschemas } from '../schemas/schema-walk.ts';
import { REASON_PHRASE } from './document-facts.ts';
import { pointersOf } from './located-json.ts';
import type { Rule } from './rule.ts';

/** The code that the expected result of a case names is the one of its answer. Only a warning: words can mean other codes. */
export const ruleCaseExpectedDiffers: Rule = {
  name: 'case-expected-differs',
  check({ agreement }) {
    return agreement.cases.flatMap((each) => {
      const place = codeIn(each.response) ?? nameIn(each.response);
      const named = place === undefined ? undefined : otherThan(place.value, each, agreement);
      if (place === undefined || named === undefined) return [];
      return [
        {
          finding: {
            code: 'DOCUMENT_CASE_EXPECTED_DIFFERS',
            severity: 'warning',
            in: 'response',
            testCase: each.testCase,
            pointer: place.pointer,
            message: `Cannot match case ${each.testCase} with its expected result: the answer has code ${place.value}, wanted ${named}`,
            expected: named,
            actual: place.value,
          },
          text: 'cases',
          at: each.responseSpan?.start ?? each.testCase,
        },
      ];
    });
  },
};

const CODE_NAME =
  /^(?:code|status|(?:status|error|err|http|ret|result)_?(?:code|status)|c[oó]digo|状态码|错误码|代码)$/i;

/** The one code of an answer: a number of three to five digits, or of JSON-RPC, by the name of a code. */
function codeIn(response: Json): { pointer: string; value: number } | undefined {
  if (!isObject(response)) return undefined;
  const codes = pointersOf(response, 100).flatMap(({ pointer, value }) =>
    isCode(value) && CODE_NAME.test(pointerTokens(pointer).at(-1) ?? '') ? [{ pointer, value }] : [],
  );
  return codes.length === 1 ? codes[0] : undefined;
}

function isCode(value: Json): value is number {
  if (typeof value !== 'number' || !Number.isInteger(value)) return false;
  return (value >= 100 && value < 100_000) || (value > -33_000 && value <= -32_000);
}

/** A code that is a name of several words, such as `TOO_HEAVY`. */
const NAME = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** The one name of an answer that is in capitals. */
function nameIn(response: Json): { pointer: string; value: string } | undefined {
  const names = pointersOf(response, 100).flatMap(({ pointer, value }) =>
    typeof value === 'string' && value.length <= 100 && NAME.test(value) ? [{ pointer, value }] : [],
  );
  return names.length === 1 ? names[0] : undefined;
}

/** The other code that an expected result names. */
function otherThan(code: number | string, each: Case, agreement: Agreement): number | string | undefined {
  return typeof code === 'number' ? otherCodeIn(each, code) : otherNameIn(each, code, agreement);
}

/** The lists of values in a schema that have a name in them. */
function listsWith(name: string, schema: Json): (readonly Json[])[] {
  return allSubschemas(schema, 500).flatMap(({ schema: each }) =>
    isObject(each) && Array.isArray(each.enum) && each.enum.includes(name) ? [each.enum] : [],
  );
}

/** The one name in capitals in the expected result that is listed beside that of the answer, or stands in the document as that does, where that of the answer does not stand there. */
function otherNameIn(
  { expected, request }: Case,
  name: string,
  { text: document, responseSchema }: Agreement,
): string | undefined {
  const text = expected.slice(0, 2_000);
  const matches = [...text.matchAll(/(?<![\w$])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w$])/g)];
  const [one, ...others] = new Set(matches.map(([word]) => word));
  if (one === undefined || others.length > 0 || text.includes(name)) return undefined;
  const lists = listsWith(name, responseSchema?.schema ?? true);
  const isKnown =
    lists.length > 0 ? lists.some((list) => list.includes(one)) : [one, name].every((word) => document.includes(word));
  if (!isKnown) return undefined;
  // The name of what was asked for is no code of the answer.
  if (pointersOf(request, 100).some(({ pointer, value }) => value === one || pointer.endsWith(`/${one}`)))
    return undefined;
  return isDenied(matches, text) ? undefined : one;
}

/** How a text names a code. */
const NAMED_CODE =
  /(?:\b(?:code|status|http|error|erreur|fehler|c[oó]digo)|状态码|错误码?|代码|返回)[\s:：=]{0,3}(?:(?:is|of|was|为|是)\s{0,2})?[`"'“]?(\d{3,5}|-32\d{3})(?![\d.]\d|\d|\s{0,2}(?:ms|s|sec\w*|bytes?|毫秒|秒|条|个)(?!\p{L}))/giu;

/** A code that stands first, and alone or with its phrase. */
const FIRST_CODE = new RegExp(
  `^[\\s*_\`"'“-]{0,10}([1-5]\\d\\d)[\`"'”*_]{0,4}(?=[ \\t]*(?:$|[\\n,;:，；：。–—]|-[ \\t])|[ \\t]+(?:ok|created|accepted|${REASON_PHRASE})\\b)`,
  'i',
);

/** What denies the code that follows it. */
const DENIES =
  /(?:\b(?:not|never|no|without|instead of|rather than|unlike|nicht|statt|kein\w*)|n't|不是|不|非|而非)\s{0,2}(?:\p{L}+\s+){0,3}$/iu;

/** The one code that the expected result names, where it is not that of the answer and nothing says otherwise. */
function otherCodeIn({ expected }: Case, code: number): number | undefined {
  const text = expected.slice(0, 2_000);
  if (text.includes(String(code))) return undefined;
  const first = FIRST_CODE.exec(text);
  const matches = [...text.matchAll(NAMED_CODE), ...(first === null ? [] : [first])];
  const [one, ...others] = new Set(matches.map(([, digits]) => Number(digits)));
  // Numbers of other lengths are of another scheme, as HTTP's beside one of the agreement's own.
  const isAlike = one !== undefined && String(one).length === String(code).length && one < 0 === code < 0;
  return others.length > 0 || !isAlike || isDenied(matches, text) ? undefined : one;
}

function isDenied(matches: readonly RegExpMatchArray[], text: string): boolean {
  return matches.some(({ index = 0 }) => DENIES.test(text.slice(Math.max(0, index - 60), index)));
}
