import { SPEAKS_OF_ERRORS } from '../lexicon/failing.ts';

/** The language of a document: Chinese if it has more ideographs than Latin words and few kana. */
export function languageOf(prose: string): 'en' | 'zh' {
  const sample = prose.slice(0, 50_000);
  const ideographs = sample.match(/[\u4e00-\u9fff]/g)?.length ?? 0;
  const kana = sample.match(/[\u3040-\u30ff]/g)?.length ?? 0;
  const words = sample.match(/[A-Za-z]{2,}/g)?.length ?? 0;
  return ideographs > kana * 2 && ideographs > words ? 'zh' : 'en';
}

/**
 * The URIs of the protocols that a document says it builds on, in order, without duplicates. One whose text is supplied
 * counts anywhere.
 */
export function baseUrisIn(prose: string, supplied: Readonly<Record<string, unknown>> = {}): string[] {
  const hasSupplied = Object.keys(supplied).length > 0;
  const uris = new Set<string>();
  let awaited = 0;
  for (const line of prose.split('\n')) {
    const text = line.slice(0, 2_000);
    if (text.trim() === '') continue;
    const isNamed = BASE_PROTOCOL.test(text);
    const isLabelled = awaited > 0 && URI_LABEL.test(text);
    awaited -= 1;
    const isAboutBase = isNamed || isLabelled || BUILDS_ON.test(text);
    if (!isAboutBase && !hasSupplied) continue;
    const before = uris.size;
    for (const [, labelled, bare = ''] of text.matchAll(URI)) {
      const uri = (labelled ?? bare).replace(/[.,;:!?]+$/, '');
      const isSaid = isAboutBase && (labelled !== undefined || isNamed || isLabelled) && !STANDARDS.test(uri);
      if (uri !== '' && (isSaid || Object.hasOwn(supplied, uri))) uris.add(uri);
    }
    if (isNamed && uris.size === before) awaited = MAX_LINES_TO_URI;
  }
  return [...uris].slice(0, 16);
}

const BASE_PROTOCOL =
  /\b(?:extends?|extending|modif(?:y|ies)) (?:\w+ ){0,3}protocol [(<`"]?[a-z]+:|\bprotocol (?:extends?|modif(?:y|ies)|(?:is )?(?:based|built) on|builds (?:up)?on) [(<`"]?[a-z]+:\/\/|\bagreement (?:extends?|modif(?:y|ies)|amends?|(?:is )?(?:based|built) on|builds (?:up)?on) [(<`"]?[a-z]+:\/\/\S+.{0,40}\b(?:following|these) (?:changes|modifications|amendments|additions|differences|exceptions)\b|\b(?:existing|base|parent|previous(?:ly agreed)?) (?:\w+ )?protocol\b|\b(?:bestehende|vorhandene)[ns]? Protokoll|\bprotocole existant|\bprotocolo (?:ya )?existente|既存の?プロトコル|(?:已有|现有|既有|原有|基础)的?协议/i;

/** Most lines between the sentence that names a protocol and a labelled line with its URI. */
const MAX_LINES_TO_URI = 3;

const URI_LABEL = /^\W{0,8}(?:UR[IL]|(?:protocol|source) (?:UR[IL]|address)|协议地址|协议URL)\W{0,6}[:：]/i;

/** A looser phrase, which counts only with a URI labelled as one. */
const BUILDS_ON =
  /\b(?:based|builds?|built|extends?|extending|derived|modif(?:y|ies))\b.{0,80}\bprotocol\b|基于.{0,40}协议/i;

const URI =
  /(?:\bURI|协议地址|协议URL)\s*[:：=]\s*(?:[`"'<“「]\s*)?([a-z][a-z0-9+.-]{1,20}:[^\s`"'<>()（）“”「」，。；、]+)|([a-z][a-z0-9+.-]{1,20}:\/\/[^\s`"'<>()（）“”「」，。；、]+)/gi;

/** Published standards; a document that links to them does not build on them. */
const STANDARDS =
  /^https?:\/\/(?:[\w-]+\.)*(?:ietf|rfc-editor|json-schema|w3|iso|iana|ecma-international|unicode|wikipedia|schema|json|yaml)\.(?:org|com)(?:[/:]|$)/i;

/** An error code that a document lists, with its description. */
export interface DocumentedCode {
  code: string;
  meaning: string;
  /** The code's line number in the prose. */
  line: number;
  /** Whether another code is listed next to it. A lone code may mean something other than an error of the answers. */
  isBesideOthers: boolean;
}

/**
 * The error codes that a document lists, in order: `- 404: not found`, `100001：缺货`, table rows. An HTTP error
 * counts everywhere, any other code only below a label that mentions errors.
 */
export function documentedCodesIn(prose: string): DocumentedCode[] {
  const codes = new Map<string, Omit<DocumentedCode, 'isBesideOthers'>>();
  const linesOfCodes = new Set<number>();
  let errorLabelLine = Number.NEGATIVE_INFINITY;
  const lines = prose.split('\n');
  let isListOfCodes = false;
  for (const [line, text] of lines.entries()) {
    const row = text.slice(0, 300);
    if (IS_LABEL.test(row) && SPEAKS_OF_ERRORS.test(row)) errorLabelLine = line;
    const isBare = CODE_AND_WORDS.test(row);
    isListOfCodes = isBare && (isListOfCodes || opensListOfCodes(lines, line));
    const [, code, meaning = ''] =
      LISTED_CODE.exec(row) ?? CODE_WITH_REASON.exec(row) ?? (isListOfCodes ? CODE_AND_WORDS.exec(row) : null) ?? [];
    if (code === undefined || codes.size >= 200) continue;
    linesOfCodes.add(line);
    const number = Number(code);
    if (number >= 100 && number < 400) continue;
    if (!(number >= 400 && number < 600) && line - errorLabelLine > MAX_LINES_APART) continue;
    if (!codes.has(code)) codes.set(code, { code, meaning: meaning.replace(/[|*`\s]+$/, '').trim(), line });
  }
  const isBesideOthers = (line: number) => STEPS.some((step) => linesOfCodes.has(line + step));
  return [...codes.values()].map((one) => ({ ...one, isBesideOthers: isBesideOthers(one.line) }));
}

/** Distances in lines between neighbouring codes of a list. */
const STEPS = [-2, -1, 1, 2];

/**
 * Whether a list of bare items, a code and a description without a separator, starts at this line. It needs at least
 * two items and a line above that announces codes.
 */
function opensListOfCodes(lines: readonly string[], first: number): boolean {
  const above = ((lines[first - 1]?.trim() === '' ? lines[first - 2] : lines[first - 1]) ?? '').slice(-300);
  if (!CODE_AND_WORDS.test((lines[first + 1] ?? '').slice(0, 300))) return false;
  return (
    OPENS_CODES.test(above) ||
    (OPENS_LIST.test(above) && SPEAKS_OF_ERRORS.test(above.split(END_OF_CLAUSE).at(-1) ?? ''))
  );
}

const CODE_AND_WORDS = /^[ \t]*[-*+•][ \t]+`?([1-5]\d\d)`?[ \t]+(\p{L}.{0,200})$/u;

/** A heading, or a line ending with a colon. */
const OPENS_LIST = /^#{1,6}[ \t]|[:：][*_\s]*$/;

/** A heading, a line ending with a colon, a table row or a list item. A sentence nearby does not label a list. */
const IS_LABEL = /^#{1,6}[ \t]|^[ \t]*(?:\||[-*+•][ \t]|\d{1,2}[.)、])|[:：][*_\s]*$/;

const END_OF_CLAUSE = /[.!?]\s|[;。；]/;

const OPENS_CODES = /(?:\b(?:status|error|response|http) codes?\b|状态码|错误码)(?:(?![.!?]\s|[;。；]).)*[:：]\s*$/iu;

/** Most lines between a code and the label that mentions errors. */
const MAX_LINES_APART = 12;

const LISTED_CODE =
  /^[ \t]*(?:[-*+•][ \t]+|\|[ \t]*|\d{1,2}[.)、][ \t]+)?(?:\*\*|`|"|“)?(?:(?:HTTP|code|error(?: code)?|status(?: code)?|错误码|状态码)[ \t]*[:：]?[ \t]*)?(?:`|"|“)?(-?\d{3,9}|E\d{2,8}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:\*\*|`|"|”)*[ \t]*(?:[:：=|–—-]|（|\()[ \t]*(.{1,200})$/i;

/** The reason phrases of HTTP errors (RFC 9110, section 15, and RFC 6585). */
export const REASON_PHRASE =
  'bad request|unauthori[sz]ed|payment required|forbidden|not found|method not allowed|not acceptable|request timeout|conflict|gone|precondition (?:failed|required)|(?:payload|content|entity|uri) too (?:large|long)|unsupported media type|unprocessable(?: entity| content)?|locked|failed dependency|too many requests|internal (?:server )?error|not implemented|bad gateway|service unavailable|gateway timeout';

/** A code with its HTTP reason phrase and no separator: `- 404 Not Found`. */
const CODE_WITH_REASON = new RegExp(
  `^[ \\t]*(?:[-*+•][ \\t]+|\\|[ \\t]*|\\d{1,2}[.)、][ \\t]+|#{1,6}[ \\t]+)?(?:\\*\\*|\`|"|“)?([45]\\d\\d)(?:\\*\\*|\`|"|”)?[ \\t]+(?:\\*\\*|\`|"|“)?((?:${REASON_PHRASE})\\b.{0,200})$`,
  'i',
);

/** Whether a document asks for plain text messages instead of JSON. */
export function wantsText(prose: string): boolean {
  return (
    /\bplain[ -]text\b|text\/(?:plain|csv|xml)|application\/xml|\bCSV\b|\bXML\b|纯文本|文本格式/i.test(prose) &&
    !/\bJSON\b/i.test(prose)
  );
}

/** Whether a document mentions JSON, other than to exclude it. */
export function wantsJson(prose: string): boolean {
  return /(?<!\b(?:no|not|never|nor|without|than|instead of|kein|nicht|sans|sin|sem)\s(?:in\s|as\s)?|[非不]\p{Script=Han}{0,2}\s?)\bJSON\b/iu.test(
    prose,
  );
}
