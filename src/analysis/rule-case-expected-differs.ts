import type { Case } from '../contract/agreement.ts';
import { REASON_PHRASE } from '../documents/document-facts.ts';
import { pointersOf } from '../documents/located-json.ts';
import { ENDS, STARTS } from '../documents/unspaced-words.ts';
import { isObject, type Json, pointerTokens } from '../kernel/json.ts';
import { allSubschemas } from '../schemas/schema-walk.ts';
import type { Rule } from './rule.ts';

/** The code that the expected result of a case names is the one of its answer. Only a warning: words can mean other codes. */
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

/** A code of letters and a number, such as `E001`, where a member is called a code. */
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

/** The other code, or word, that an expected result names. */
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

/** The document, and the lists of values in the response schema by what they have in them. */
interface Known {
  text: string;
  lists: ReadonlyMap<Json, readonly (readonly Json[])[]>;
}

/** The lists of values in a schema; not those of hundreds, which are no kinds of answers. */
function listsIn(schema: Json): Json[][] {
  return allSubschemas(schema, 500).flatMap(({ schema: each }) =>
    isObject(each) && Array.isArray(each.enum) && each.enum.length <= MAX_LISTED ? [each.enum] : [],
  );
}

/** Most values of a list, and most characters of one that an expected result is searched for. */
const [MAX_LISTED, MAX_WORD_CHARS] = [200, 100];

/** Members that say what kind of message it is, which sentences speak of as well. */
const KIND_NAME = /^(?:message_?|msg_?)?(?:type|kind|action)$/i;

/** A word in capitals, which is a name where it is listed. */
const CAPITALS = /^[A-Z][A-Z0-9]{2,}$/;

/** The one name in capitals in the expected result that is listed beside that of the answer, or stands in the document as that does, where that of the answer does not stand there. */
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

/** The one code of the same letters and as many digits in the expected result, where the document has both. */
function otherShortNameIn(each: Case, name: string, document: string): string | undefined {
  const [, letters = '', digits = ''] = SHORT_NAME.exec(name) ?? [];
  const text = each.expected.slice(0, 2_000);
  if (text.includes(name)) return undefined;
  const matches = [...text.matchAll(new RegExp(`(?<![\\w-])${letters}\\d{${digits.length}}(?![\\w-])`, 'g'))];
  const one = onlyWord(matches, each, text);
  return one !== undefined && [one, name].every((word) => document.includes(word)) ? one : undefined;
}

/** The other listed word that the expected result gives the member by its name, as in "status is `sold`". */
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

/** What may stand between a member and its value in a sentence. */
const BETWEEN = '[`"\'*”]{0,4}\\s{0,2}(?:is set to|is|=|:|：|→|为|是|ist|es|est|è|は|が)?\\s{0,2}[`"\'*“「]{0,4}';

/** The one word that some matches are, where nothing denies it, and it stands neither in the request nor in the answer. */
function onlyWord(
  matches: readonly { 0: string; index?: number }[],
  { request, response }: Case,
  text: string,
): string | undefined {
  const [one, ...others] = new Set(matches.map(({ 0: word }) => word));
  if (one === undefined || others.length > 0 || isDenied(matches, text)) return undefined;
  // The name of what was asked for is no code of the answer.
  const isGiven = (root: Json) =>
    pointersOf(root, 100).some(({ pointer, value }) => value === one || pointer.endsWith(`/${one}`));
  return isGiven(request) || isGiven(response) ? undefined : one;
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

function isDenied(matches: readonly { index?: number }[], text: string): boolean {
  return matches.some(({ index = 0 }) => DENIES.test(text.slice(Math.max(0, index - 60), index)));
}
