import type { Case } from '../contract/agreement.ts';
import { isObject, type Json, pointerTokens } from '../kernel/json.ts';
import { REASON_PHRASE } from './document-facts.ts';
import { pointersOf } from './located-json.ts';
import type { Rule } from './rule.ts';

/** The code that the expected result of a case names is the one of its answer. Only a warning: words can mean other codes. */
export const ruleCaseExpectedDiffers: Rule = {
  name: 'case-expected-differs',
  check({ agreement }) {
    return agreement.cases.flatMap((each) => {
      const place = codeIn(each.response);
      const named = place === undefined ? undefined : otherCodeIn(each, place.value);
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

const CODE_NAME = /^(?:code|status|(?:status|error|err|http|ret|result)_?(?:code|status)|状态码|错误码)$/i;

/** The one code of an answer: a number of three digits by the name of a code. */
function codeIn(response: Json): { pointer: string; value: number } | undefined {
  if (!isObject(response)) return undefined;
  const codes = pointersOf(response, 100).flatMap(({ pointer, value }) =>
    isCode(value) && CODE_NAME.test(pointerTokens(pointer).at(-1) ?? '') ? [{ pointer, value }] : [],
  );
  return codes.length === 1 ? codes[0] : undefined;
}

function isCode(value: Json): value is number {
  return Number.isInteger(value) && Number(value) >= 100 && Number(value) < 600;
}

/** How a text names a code. */
const NAMED_CODE =
  /(?:\b(?:code|status)|状态码|错误码|代码)[\s:：=]{0,3}(?:(?:is|of|was|为|是)\s{0,2})?[`"'“]?([1-5]\d\d)(?!\d)/giu;

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
  const isDenied = matches.some(({ index }) => DENIES.test(text.slice(Math.max(0, index - 60), index)));
  return others.length > 0 || isDenied ? undefined : one;
}
