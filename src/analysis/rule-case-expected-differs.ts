import type { Case } from '../contract/agreement.ts';
import { REASON_PHRASE } from '../documents/document-facts.ts';
import { pointersOf } from '../documents/located-json.ts';
import { ENDS, STARTS } from '../documents/unspaced-words.ts';
import { isObject, type Json, pointerTokens } from '../kernel/json.ts';
import { allSubschemas } from '../schemas/schema-walk.ts';
import type { Rule } from './rule.ts';

/**
 * The expected result of a case names the same code as the answer. Only a warning, because words may refer to other
 * codes.
 */
export const ruleCaseExpectedDiffers: Rule = {
  name: 'case-expected-differs',
  check({ agreement }) {
    const lists = new Map<Json, Json[][]>();
    for (const list of listsIn(agreement.responseSchema?.schema ?? true))
      for (const value of new Set(list)) {
        const known = lists.get(value);
        if (known === undefined) lists.set(value, [list]);
        else known.push(list);
      }
    return agreement.cases.flatMap((each) => {
      if (each.expected === '') return [];
      const code = codeIn(each.response);
      const places = code === undefined ? wordsIn(each.response) : [code];
      const differing = places.flatMap((place) => {
        const named = otherThan(place, each, { text: agreement.text, lists });
        return named === undefined ? [] : [{ place, named }];
      });
      const [first, ...others] = differing;
      if (first === undefined || others.length > 0) return [];
      const { place, named } = first;
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

/** The only code of an answer: a number of three to five digits, or of JSON-RPC, in a member named like a code. */
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

/** A code of several capitalised words, such as `TOO_HEAVY`. */
const NAME = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** A code of letters and digits, such as `E001`, in a member named like a code. */
const SHORT_NAME = /^([A-Z]{1,5}-?)(\d{1,6})$/;
const SHORT_NAME_AT = /code|err|fault|fehler|c[oó]digo|错误|代码|エラー|コード/i;

interface WordPlace {
  pointer: string;
  value: string;
}

/** The words of an answer. */
function wordsIn(response: Json): WordPlace[] {
  return pointersOf(response, 100).flatMap(({ pointer, value }) =>
    typeof value === 'string' && isWord(value) ? [{ pointer, value }] : [],
  );
}

/** The different code or word that an expected result names. */
function otherThan(
  { pointer, value }: WordPlace | { pointer: string; value: number },
  each: Case,
  { text, lists }: Known,
): number | string | undefined {
  if (typeof value === 'number') return otherCodeIn(each, value);
  const name = pointerTokens(pointer).findLast((token) => !/^\d+$/.test(token)) ?? '';
  const listed = lists.get(value) ?? [];
  if (NAME.test(value) || (CAPITALS.test(value) && listed.length > 0 && !KIND_NAME.test(name)))
    return otherNameIn(each, value, listed, text);
  if (SHORT_NAME.test(value) && SHORT_NAME_AT.test(name)) return otherShortNameIn(each, value, text);
  return otherWordIn(each, value, name, listed);
}

/** The document, and the enums of the response schema by their values. */
interface Known {
  text: string;
  lists: ReadonlyMap<Json, readonly (readonly Json[])[]>;
}

/** The enums of a schema. Enums of hundreds of values do not name kinds of answers. */
function listsIn(schema: Json): Json[][] {
  return allSubschemas(schema, 500).flatMap(({ schema: each }) =>
    isObject(each) && Array.isArray(each.enum) && each.enum.length <= MAX_LISTED ? [each.enum] : [],
  );
}

/** Most values of an enum, and longest value searched for in an expected result. */
const [MAX_LISTED, MAX_WORD_CHARS] = [200, 100];

/** Members that name the kind of a message; sentences mention these words too. */
const KIND_NAME = /^(?:message_?|msg_?)?(?:type|kind|action)$/i;

/** A word in capitals, which counts as a code if an enum lists it. */
const CAPITALS = /^[A-Z][A-Z0-9]{2,}$/;

/**
 * The only code in capitals in the expected result, if the answer's code is not there. Both must be in the same enum,
 * or in the document if there is no enum.
 */
function otherNameIn(
  each: Case,
  name: string,
  lists: readonly (readonly Json[])[],
  document: string,
): string | undefined {
  const text = each.expected.slice(0, 2_000);
  if (text.includes(name)) return undefined;
  const isListed = (word: string) => lists.some((list) => list.includes(word));
  const matches = [...text.matchAll(/(?<![\w$])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*(?![\w$])/g)].filter(
    ([word]) => NAME.test(word) || (CAPITALS.test(word) && isListed(word)),
  );
  const one = onlyWord(matches, each, text);
  if (one === undefined) return undefined;
  const isKnown = lists.length > 0 ? isListed(one) : [one, name].every((word) => document.includes(word));
  return isKnown ? one : undefined;
}

/** The only code in the expected result with the same letters and number of digits, if the document has both codes. */
function otherShortNameIn(each: Case, name: string, document: string): string | undefined {
  const [, letters = '', digits = ''] = SHORT_NAME.exec(name) ?? [];
  const text = each.expected.slice(0, 2_000);
  if (text.includes(name)) return undefined;
  const matches = [...text.matchAll(new RegExp(`(?<![\\w-])${letters}\\d{${digits.length}}(?![\\w-])`, 'g'))];
  const one = onlyWord(matches, each, text);
  return one !== undefined && [one, name].every((word) => document.includes(word)) ? one : undefined;
}

/** The other enum value that the expected result assigns to the member, as in "status is `sold`". */
function otherWordIn(each: Case, word: string, name: string, lists: readonly (readonly Json[])[]): string | undefined {
  const text = each.expected.slice(0, 2_000);
  if (lists.length === 0 || !text.includes(name) || text.includes(word)) return undefined;
  const words = lists.flat().filter((value) => typeof value === 'string' && isWord(value) && text.includes(value));
  if (name.length < 2 || words.length === 0) return undefined;
  const named = new RegExp(
    `${STARTS}${RegExp.escape(name)}${BETWEEN}(${words.map((listed) => RegExp.escape(String(listed))).join('|')})${ENDS}`,
    'gu',
  );
  const matches = [...text.matchAll(named)].map(({ 1: word = '', index }) => ({ 0: word, index }));
  return onlyWord(matches, each, text);
}

function isWord(value: string): boolean {
  return value.length >= 2 && value.length <= MAX_WORD_CHARS;
}

/** What a sentence may have between a member and its value. */
const BETWEEN = '[`"\'*”]{0,4}\\s{0,2}(?:is set to|is|=|:|：|→|为|是|ist|es|est|è|は|が)?\\s{0,2}[`"\'*“「]{0,4}';

/** The only distinct word of some matches, if nothing negates it and neither request nor answer contains it. */
function onlyWord(
  matches: readonly { 0: string; index?: number }[],
  { request, response }: Case,
  text: string,
): string | undefined {
  const [one, ...others] = new Set(matches.map(({ 0: word }) => word));
  if (one === undefined || others.length > 0 || isNegated(matches, text)) return undefined;
  // The name of a requested thing is not a code of the answer.
  const isGiven = (root: Json) =>
    pointersOf(root, 100).some(({ pointer, value }) => value === one || pointer.endsWith(`/${one}`));
  return isGiven(request) || isGiven(response) ? undefined : one;
}

/** Patterns for naming a code. */
const NAMED_CODE =
  /(?:\b(?:code|status|http|error|erreur|fehler|c[oó]digo)|状态码|错误码?|代码|返回)[\s:：=]{0,3}(?:(?:is|of|was|为|是)\s{0,2})?[`"'“]?(\d{3,5}|-32\d{3})(?![\d.]\d|\d|\s{0,2}(?:ms|s|sec\w*|bytes?|毫秒|秒|条|个)(?!\p{L}))/giu;

/** A code at the start, alone or with its reason phrase. */
const FIRST_CODE = new RegExp(
  `^[\\s*_\`"'“-]{0,10}([1-5]\\d\\d)[\`"'”*_]{0,4}(?=[ \\t]*(?:$|[\\n,;:，；：。–—]|-[ \\t])|[ \\t]+(?:ok|created|accepted|${REASON_PHRASE})\\b)`,
  'i',
);

/** A negation before a code. */
const NEGATION =
  /(?:\b(?:not|never|no|without|instead of|rather than|unlike|nicht|statt|kein\w*)|n't|不是|不|非|而非)\s{0,2}(?:\p{L}+\s+){0,3}$/iu;

/** The only code that the expected result names, if it differs from the answer's and nothing negates it. */
function otherCodeIn({ expected }: Case, code: number): number | undefined {
  const text = expected.slice(0, 2_000);
  if (text.includes(String(code))) return undefined;
  const first = FIRST_CODE.exec(text);
  const matches = [...text.matchAll(NAMED_CODE), ...(first === null ? [] : [first])];
  const [one, ...others] = new Set(matches.map(([, digits]) => Number(digits)));
  // A code of another length belongs to another scheme, such as HTTP next to the agreement's own.
  const isAlike = one !== undefined && String(one).length === String(code).length && one < 0 === code < 0;
  return others.length > 0 || !isAlike || isNegated(matches, text) ? undefined : one;
}

function isNegated(matches: readonly { index?: number }[], text: string): boolean {
  return matches.some(({ index = 0 }) => NEGATION.test(text.slice(Math.max(0, index - 60), index)));
}
