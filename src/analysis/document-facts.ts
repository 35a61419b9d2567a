import { ANSWERED, ANSWERED_BY_OTHERS } from '../lexicon/exchanging.ts';
import { NO_ANSWER, SPEAKS_OF_ERRORS } from '../lexicon/failing.ts';
/** The language a document is written in: Chinese where ideographs outweigh Latin words and no kana stand among them. */
export function languageOf(prose: string): 'en' | 'zh' {
  const sample = prose.slice(0, 50_000);
  const ideographs = sample.match(/[\u4e00-\u9fff]/g)?.length ?? 0;
  const kana = sample.match(/[\u3040-\u30ff]/g)?.length ?? 0;
  const words = sample.match(/[A-Za-z]{2,}/g)?.length ?? 0;
  return ideographs > kana * 2 && ideographs > words ? 'zh' : 'en';
}

/** The URIs of existing protocols that a document says it builds on, in order, without repetition. */
export function baseUrisIn(prose: string): string[] {
  const uris = new Set<string>();
  let awaited = 0;
  for (const line of prose.split('\n')) {
    const text = line.slice(0, 2_000);
    if (text.trim() === '') continue;
    const isNamed = BASE_PROTOCOL.test(text);
    const isLabelled = awaited > 0 && URI_LABEL.test(text);
    awaited -= 1;
    if (!isNamed && !isLabelled && !BUILDS_ON.test(text)) continue;
    const before = uris.size;
    for (const [, labelled, bare] of text.matchAll(URI)) {
      const uri = (labelled ?? (isNamed || isLabelled ? bare : undefined) ?? '').replace(/[.,;:!?]+$/, '');
      if (uri !== '' && !STANDARDS.test(uri)) uris.add(uri);
    }
    if (isNamed && uris.size === before) awaited = MAX_LINES_TO_URI;
  }
  return [...uris].slice(0, 16);
}

const BASE_PROTOCOL =
  /\b(?:extends?|extending|modif(?:y|ies)) (?:\w+ ){0,3}protocol [(<`"]?[a-z]+:|\bprotocol (?:extends?|modif(?:y|ies)|(?:is )?(?:based|built) on|builds (?:up)?on) [(<`"]?[a-z]+:\/\/|\bagreement (?:extends?|modif(?:y|ies)|amends?|(?:is )?(?:based|built) on|builds (?:up)?on) [(<`"]?[a-z]+:\/\/\S+.{0,40}\b(?:following|these) (?:changes|modifications|amendments|additions|differences|exceptions)\b|\b(?:existing|base|parent|previous(?:ly agreed)?) (?:\w+ )?protocol\b|\b(?:bestehende|vorhandene)[ns]? Protokoll|\bprotocole existant|\bprotocolo (?:ya )?existente|既存の?プロトコル|(?:已有|现有|既有|原有|基础)的?协议/i;

/** How many lines below the sentence that names a protocol its URI may stand, on a line that is labelled so. */
const MAX_LINES_TO_URI = 3;

const URI_LABEL = /^\W{0,8}(?:UR[IL]|(?:protocol|source) (?:UR[IL]|address)|协议地址|协议URL)\W{0,6}[:：]/i;

/** A looser phrase, which needs a URI that is marked as one. */
const BUILDS_ON =
  /\b(?:based|builds?|built|extends?|extending|derived|modif(?:y|ies))\b.{0,80}\bprotocol\b|基于.{0,40}协议/i;

const URI =
  /(?:\bURI|协议地址|协议URL)\s*[:：=]\s*[`"'<“「]?\s*([a-z][a-z0-9+.-]{1,20}:[^\s`"'<>()（）“”「」，。；、]+)|([a-z][a-z0-9+.-]{1,20}:\/\/[^\s`"'<>()（）“”「」，。；、]+)/gi;

/** Published standards that documents point at without meaning an agreement between agents. */
const STANDARDS =
  /^https?:\/\/(?:[\w-]+\.)*(?:ietf|rfc-editor|json-schema|w3|iso|iana|ecma-international|unicode|wikipedia|schema|json|yaml)\.(?:org|com)(?:[/:]|$)/i;

/** An error code that a document lists, with the words beside it. */
export interface DocumentedCode {
  code: string;
  meaning: string;
  /** Where the line stands in the prose it was read from. */
  line: number;
}

/**
 * The error codes that a document lists: `- 404: not found`, `100001：缺货`, table rows; in order. A code that is no HTTP error
 * counts where the lines above speak of errors.
 */
export function documentedCodesIn(prose: string): DocumentedCode[] {
  const codes = new Map<string, DocumentedCode>();
  let spokenOfErrors = Number.NEGATIVE_INFINITY;
  const lines = prose.split('\n');
  let isListOfCodes = false;
  for (const [line, text] of lines.entries()) {
    const row = text.slice(0, 300);
    if (SPEAKS_OF_ERRORS.test(row)) spokenOfErrors = line;
    const isBare = CODE_AND_WORDS.test(row);
    isListOfCodes = isBare && (isListOfCodes || opensListOfCodes(lines, line));
    const [, code, meaning = ''] =
      LISTED_CODE.exec(row) ?? CODE_WITH_REASON.exec(row) ?? (isListOfCodes ? CODE_AND_WORDS.exec(row) : null) ?? [];
    if (code === undefined || codes.size >= 200) continue;
    const number = Number(code);
    if (number >= 100 && number < 400) continue;
    if (!(number >= 400 && number < 600) && line - spokenOfErrors > MAX_LINES_APART) continue;
    if (!codes.has(code)) codes.set(code, { code, meaning: meaning.replace(/[|*`\s]+$/, '').trim(), line });
  }
  return [...codes.values()];
}

/** Whether a list whose items are a code and words each, nothing between, begins here: at least two, right below a line that speaks of codes. */
function opensListOfCodes(lines: readonly string[], first: number): boolean {
  const above = ((lines[first - 1]?.trim() === '' ? lines[first - 2] : lines[first - 1]) ?? '').slice(-300);
  if (!CODE_AND_WORDS.test((lines[first + 1] ?? '').slice(0, 300))) return false;
  return (
    OPENS_CODES.test(above) ||
    (OPENS_LIST.test(above) && SPEAKS_OF_ERRORS.test(above.split(END_OF_CLAUSE).at(-1) ?? ''))
  );
}

const CODE_AND_WORDS = /^[ \t]*[-*+•][ \t]+`?([1-5]\d\d)`?[ \t]+(\p{L}.{0,200})$/u;

/** A heading, or a line that ends with a colon. */
const OPENS_LIST = /^#{1,6}[ \t]|[:：][*_\s]*$/;

const END_OF_CLAUSE = /[.!?]\s|[;。；]/;

const OPENS_CODES = /(?:\b(?:status|error|response|http) codes?\b|状态码|错误码)(?:(?![.!?]\s|[;。；]).)*[:：]\s*$/iu;

/** How many lines a list of codes may stand below the line that speaks of errors. */
const MAX_LINES_APART = 12;

const LISTED_CODE =
  /^[ \t]*(?:[-*+•][ \t]+|\|[ \t]*|\d{1,2}[.)、][ \t]+)?(?:\*\*|`|"|“)?(?:(?:HTTP|code|error(?: code)?|status(?: code)?|错误码|状态码)[ \t]*[:：]?[ \t]*)?(?:`|"|“)?(-?\d{3,9}|E\d{2,8}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:\*\*|`|"|”)*[ \t]*(?:[:：=|–—-]|（|\()[ \t]*(.{1,200})$/i;

/** The phrases that HTTP has for its errors (RFC 9110, section 15, and RFC 6585). */
export const REASON_PHRASE =
  'bad request|unauthori[sz]ed|payment required|forbidden|not found|method not allowed|not acceptable|request timeout|conflict|gone|precondition (?:failed|required)|(?:payload|content|entity|uri) too (?:large|long)|unsupported media type|unprocessable(?: entity| content)?|locked|failed dependency|too many requests|internal (?:server )?error|not implemented|bad gateway|service unavailable|gateway timeout';

/** A code with the phrase that belongs to it, `- 404 Not Found`, where no mark parts the two. */
const CODE_WITH_REASON = new RegExp(
  `^[ \\t]*(?:[-*+•][ \\t]+|\\|[ \\t]*|\\d{1,2}[.)、][ \\t]+|#{1,6}[ \\t]+)?(?:\\*\\*|\`|"|“)?([45]\\d\\d)(?:\\*\\*|\`|"|”)?[ \\t]+(?:\\*\\*|\`|"|“)?((?:${REASON_PHRASE})\\b.{0,200})$`,
  'i',
);

/** The codes of three digits that sentences of a document, other than its lists, give to answers; never those of a transport or of others. */
export function answeredCodesIn(prose: string): number[] {
  const codes = new Set<number>();
  const labelled = new Set<number>();
  for (const sentence of prose.split(/\n|[。；;]|[.!?](?=\s)/, 5_000)) {
    const text = sentence.slice(0, 500);
    const [labelledCase, ofCase] = CODE_OF_CASE.exec(text) ?? [];
    // What is not allowed may be what the code is for.
    if (labelledCase !== undefined && !ANSWERED_BY_OTHERS.test(text.replace(/^\W*not allowed\b/i, '')))
      labelled.add(Number(ofCase));
    if (ANSWERED_BY_OTHERS.test(text)) continue;
    const pointedTo = [...text.matchAll(CODE_POINTED_TO)];
    if (pointedTo.length > 1) for (const [, code] of pointedTo) codes.add(Number(code));
    for (const [, returned, meant] of text.matchAll(CODE_RETURNED)) codes.add(Number(returned ?? meant));
    if (!ANSWERED.test(text)) continue;
    for (const [, code] of text.matchAll(CODE_OF_ANSWER)) codes.add(Number(code));
  }
  // One such sentence may speak of anything; several list the failures of the protocol.
  return [...codes, ...(labelled.size > 1 ? [...labelled].filter((code) => !codes.has(code)) : [])];
}

/** The members that sentences of a document, beside a code of three digits, have null or absent in an answer: "the answer has code 404, and `data` is null". */
export function withheldIn(prose: string): { name: string; isNull: boolean }[] {
  return prose.split(/\n|[。；;]|[.!?](?=\s)/, 5_000).flatMap((sentence) => {
    const text = sentence.slice(0, 500);
    if (ANSWERED_BY_OTHERS.test(text) || !(ANSWERED.test(text) || text.includes('返回'))) return [];
    const [, name = '', how] = WITHHELD.exec(text) ?? [];
    return name === '' ? [] : [{ name, isNull: how === 'null' }];
  });
}

const WITHHELD =
  /(?:\b(?:status )?code\b|\bstatus\b|状态码|代码|错误码)[`"'“”\s:：=]{0,4}(?:(?:is|of|为|是)\s{0,2})?[`"'“]?[45]\d\d[`"'”]?\s{0,2}(?:\([^()]{0,40}\)\s{0,2})?(?:,?\s{0,2}\b(?:and|with)\b|[,，且并])\s{0,2}(?:the )?[`"]?([A-Za-z_]\w{0,60})[`"]?\s{0,2}(?:is|为|[=:：])\s{0,2}[`"]?(null|absent|omitted|left out|省略|缺省)[`"]?(?!\s{0,2}(?:or\b|if\b|unless\b|when\b|或|,\s?or\b))/iu;

/** The names in capitals of several words that stand in the sentences of a document, in order, with whether one gives them to an answer; never of a transport or of others. */
export function namesInSentences(prose: string): Map<string, { isAnswered: boolean }> {
  const names = new Map<string, { isAnswered: boolean }>();
  for (const sentence of prose.split(/\n|[。；;]|[.!?](?=\s)/, 5_000)) {
    const text = sentence.slice(0, 500);
    if (names.size >= 50) continue;
    // "When a message gets no answer, it ends with `GONE`" has nobody answer.
    const speaking = text.replace(NO_ANSWER, (silence) => ' '.repeat(silence.length));
    const answered = ANSWERED_BY_OTHERS.test(text) ? undefined : (ANSWERED.exec(speaking) ?? /返回/.exec(text))?.index;
    for (const { 1: name = '', index } of text.matchAll(NAME_AS_CODE)) {
      const isAnswered = answered !== undefined && index > answered && ANSWERED_WITH.test(text.slice(0, index));
      names.set(name, { isAnswered: isAnswered || names.get(name)?.isAnswered === true });
    }
  }
  return names;
}

const NAME_AS_CODE = /(?<![\p{Script=Latin}\p{N}_])`?"?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\p{Script=Latin}\p{N}_])/gu;

/** What stands right before that which an answer is or carries. */
const ANSWERED_WITH =
  /(?:\b(?:with|con|mit|avec|code|error|status|reason|código|fehler)|为|返回|代码|错误码?|状态)[\s:：=]{0,3}$/iu;

const CODE_OF_ANSWER =
  /(?:\b(?:status )?code\b|\bstatus\b|\bcódigo\b|状态码|代码|错误码)[\s:：=]{0,3}(?:(?:is|of|为|是)\s{0,2})?[`"'“]?([1-5]\d\d)(?![\d.])/giu;

/**
 * As in "故障时返回503" and "错误码503表示故障": never what another part returns, be it told by its name or by what is done then ("返回503时"), nor what is
 * never returned.
 */
const CODE_RETURNED =
  /(?<=^|[，,：:、\s时则就均都]|统一|直接|一律|提供方(?:应|须|将)?)返回\s{0,2}(?:(?:(?:status )?code|status|状态码|错误码|返回码|响应码|代码)[\s:：=]{0,3}[为是]?\s{0,2})?[`"'“]?([45]\d\d)[`"'”]?(?=\s{0,2}(?:$|[，,、)）（(](?!\s{0,2}(?:则|就|那么|视为|按|说明))|错误|并|和|及))|(?<=^|[，,：:、\s])[`"'“]?(?:错误码|状态码)\s{0,2}[`"'“]?([45]\d\d)[`"'”]?\s{0,2}(?:表示|代表|意味着|[指为]\p{L})/giu;

/** As in "Unknown city: code 404." */
const CODE_OF_CASE =
  /\p{L}[\s)）]{0,2}[:：]\s{0,2}(?:status )?(?:code|código|状态码|错误码)\s{0,2}`?([45]\d\d)`?\s*$/iu;

/** As in "unknown → 404, taken → 409". */
const CODE_POINTED_TO =
  /\p{L}[\s)）]{0,2}(?:→|⇒|[-=]>)\s{0,2}`?([45]\d\d)`?(?=\s{0,2}(?:[,，、)）]|$|(?:and|or|und|et|y|e)\s))/gu;

/** Says whether a document wants its messages as plain text rather than JSON. */
export function wantsText(prose: string): boolean {
  return (
    /\bplain[ -]text\b|text\/(?:plain|csv|xml)|application\/xml|\bCSV\b|\bXML\b|纯文本|文本格式/i.test(prose) &&
    !/\bJSON\b/i.test(prose)
  );
}

/** Says whether a document speaks of JSON, other than that messages are none. */
export function wantsJson(prose: string): boolean {
  return /(?<!\b(?:no|not|never|nor|without|than|instead of|kein|nicht|sans|sin|sem)\s(?:in\s|as\s)?|[非不]\p{Script=Han}{0,2}\s?)\bJSON\b/iu.test(
    prose,
  );
}
