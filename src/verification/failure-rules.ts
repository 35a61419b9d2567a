import { FAILURES_IN_GENERAL, RETRIES } from '../lexicon/failing.ts';
/** What a document says about failures. */
export interface FailureRules {
  /** How failures in general are answered. */
  failures: boolean;
  /** The same, told by more than a heading. */
  inWords: boolean;
  /** How a failing back end of ours is answered. */
  ownFailures: boolean;
  /** How requests that break the agreement are answered. */
  invalidRequests: boolean;
  /** That something may be tried again. */
  retries: boolean;
}

let lastRead: { text: string; rules: FailureRules } | undefined;

/** Reads from a document what it says about failures; it looks for words only: in English and Chinese, of broken requests in other languages, too. */
export function failureRulesOf(text: string): FailureRules {
  // Asked for with every answer of every check, one candidate after the other.
  if (lastRead?.text !== text) lastRead = { text, rules: readFailureRules(text) };
  return lastRead.rules;
}

function readFailureRules(text: string): FailureRules {
  return {
    failures: FAILURES_IN_GENERAL.test(text),
    inWords: FAILURES_IN_GENERAL.test(text.replace(/exception handling|异常处理/gi, '')),
    ownFailures: OWN_FAILURES.test(text),
    invalidRequests: INVALID_REQUESTS.test(text) || INVALID_REQUESTS_ELSEWHERE.test(text),
    retries: RETRIES.test(text),
  };
}

/** A status code of three digits as documents write it: told to be one, at the head of an item or cell, or with its name behind it. */
function statusCode(digits: string, names: string): string {
  const code = String.raw`${digits}(?![\d%]|[.,]\d)`;
  return String.raw`(?:(?:status|codes?|http|返回|码)[^.\n\d]{0,20}|\berrors?[^\p{L}.\n\d]{0,6})(?<![\d.,])${code}|^[ \t>]*(?:[-*•|]|\d+[.)])[ \t|*${'`'}"]*${code}|(?<![\d.,])${code}[^.\n\d]{0,12}\b(?:${names})`;
}

/** What a sentence about a failing system of our own looks like. */
export const OWN_FAILURES = new RegExp(
  [
    String.raw`\b(?:when|if|where|unless|in case|whenever|once)\b[^.\n]{0,80}\b(?:fails?|failing|unavailable|down|unreachable|(?:cannot|can not|can't|could not) be (?:asked|reached|read|contacted|queried|used)|(?:is|are) not available|do(?:es)? not (?:answer|respond)|times? out)\b`,
    String.raw`\bcould not be (?:asked|reached|read|contacted|queried)\b`,
    String.raw`\bfailing (?:look-?ups?|calls?|tools?|quer(?:y|ies)|services?|systems?|back-?ends?|databases?)\b(?![^.\n]{0,60}\b(?:whole|entire|throws?|abort\w*|error of)\b)`,
    String.raw`\b(?:internal|server|back-?end|upstream|system|database|unexpected) (?:errors?|failures?)\b`,
    statusCode('50[0-4]', 'internal|server|error|bad gateway|unavailable|gateway|failure'),
    String.raw`\bunavailable\b|内部错误|系统错误|服务不可用|服务异常|服务器错误|系统异常|查询失败`,
  ].join('|'),
  'imu',
);

/** What a sentence about requests that break the agreement looks like. */
export const INVALID_REQUESTS = new RegExp(
  [
    String.raw`\binvalid(?:,? or \w+)?[ -](?:requests?|messages?|inputs?|payloads?|parameters?|formats?|data|fields?|values?)|malformed|bad request`,
    statusCode('400', 'bad|invalid|malformed|error'),
    String.raw`\bmissing (?:or \w+ )?(?:fields?|required|parameters?|members?)`,
    String.raw`\b(?:requests?|messages?)[^.\n]{0,40}\b(?:not valid|(?:is|are) invalid|violates?|not satisfy|breaks?|not conform|(?:cannot|can not) be (?:read|parsed|understood|decoded)|not match)`,
    '格式错误|请求无效|无效(?:的)?请求|参数错误|参数无效|缺少',
  ].join('|'),
  'imu',
);

/** The same in other languages: a request, and that it breaks the agreement. */
const INVALID_REQUESTS_ELSEWHERE = new RegExp(
  [
    String.raw`(?<!\p{L})(?:Anfragen?|Nachrichten?|Eingaben?)(?!\p{L})[^.\n]{0,60}(?:fehlerhaft|ungültig|verletz|verst[oö](?:ß|ss))|(?<!\p{L})(?:ungültige|fehlerhafte)[nr]? (?:Anfragen?|Nachrichten?)`,
    String.raw`(?<!\p{L})(?:solicitud(?:es)?|petici(?:ón|ones))(?!\p{L})[^.\n]{0,60}(?:no cumpl|inv[aá]lid|no v[aá]lid|mal formad)`,
    String.raw`(?<!\p{L})(?:demandes?|requêtes?)(?!\p{L})[^.\n]{0,60}(?:ne respecte(?:nt)? pas|invalide|mal formée?)`,
    String.raw`(?<!\p{L})(?:pedidos?|solicitaç(?:ão|ões)|requisiç(?:ão|ões))(?!\p{L})[^.\n]{0,60}(?:fora do esquema|inválid|não (?:cumpr|respeit|segu)|mal formad)`,
    String.raw`(?<!\p{L})richiest[ae](?!\p{L})[^.\n]{0,60}(?:non (?:valid|rispett|conform)|malformat)|non (?:valid|conform)\p{L}*[^.\n]{0,30}(?<!\p{L})schema(?!\p{L})`,
    String.raw`(?<!\p{L})запрос\p{L}*[^.\n]{0,40}(?:наруша|не соответств|неверн|некорректн)|(?:неверн|некорректн|ошибочн)\p{L}* запрос`,
    '(?:リクエスト|要求)[^。\\n]{0,30}(?:合わない|合わなければ|従わない|違反|不正|無効)|(?:不正|無効)な(?:リクエスト|要求)',
  ].join('|'),
  'iu',
);

/** What a sentence looks like that leaves no doubt that a request without a member it must have is meant. */
export const MISSING_MEMBERS = new RegExp(
  [
    String.raw`\bmissing (?:or \w+ )?(?:required )?(?:fields?|members?|parameters?|properties)\b`,
    String.raw`\b(?:required|mandatory) (?:field|member|parameter|propert)(?:s|y|ies)?\b[^.\n]{0,20}\b(?:is|are) (?:missing|absent|not given)\b`,
    String.raw`\b(?:requests?|messages?)\b[^.\n]{0,30}\b(?:not (?:satisfy|match|conform to|follow|valid against)|violates?|breaks?) (?:its|the|this|their)(?: request)? schema\b`,
    '缺少(?:必填|必需|必要)?(?:的)?(?:字段|参数|属性)',
  ].join('|'),
  'imu',
);

/** What a sentence looks like that may mean a request in which something is missing. */
export const INCOMPLETE =
  /\b(?:missing|absent|incomplete|required|mandatory|lacks?|lacking|without|not given|empty (?:requests?|messages?|fields?|strings?|values?|texts?)|(?:is|are) empty)\b|缺|必填|为空/iu;
