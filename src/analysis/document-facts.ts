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
  for (const line of prose.split('\n')) {
    if (!BASE_PHRASE.test(line.slice(0, 2_000))) continue;
    for (const [, named, bare] of line.slice(0, 2_000).matchAll(URI)) {
      uris.add((named ?? bare ?? '').replace(/[.,;:!?]+$/, ''));
    }
  }
  return [...uris].slice(0, 16);
}

const BASE_PHRASE =
  /\b(?:existing|base|parent|underlying|previous(?:ly agreed)?)[ -]protocol|\b(?:based|builds?|built|extends?|extending|derived|modif(?:y|ies|ication))\b.{0,80}\bprotocol\b|已有(?:的)?协议|现有(?:的)?协议|既有协议|基础协议|基于.{0,40}协议/i;

const URI =
  /(?:URI|URL|网址|地址)\s*[:：=]?\s*[`"'<“「]?\s*([a-z][a-z0-9+.-]{1,20}:[^\s`"'<>()（）“”「」，。；、]+)|([a-z][a-z0-9+.-]{1,20}:\/\/[^\s`"'<>()（）“”「」，。；、]+)/gi;

/** The application timeout that a document states, in milliseconds; `null` where it states none. */
export function timeoutMsIn(prose: string): number | null {
  for (const line of prose.split(/[\n。]/)) {
    const text = line.slice(0, 2_000);
    if (
      !/time[ -]?out|times? out|within|no (?:response|return|reply|answer)|超时|时限|内(?:没有|未|无)|等待/i.test(text)
    )
      continue;
    const found =
      /(\d{1,9}(?:\.\d{1,3})?)\s*-?\s*(milliseconds?|msecs?|ms|毫秒|seconds?|secs?|s(?![a-z])|秒钟?|minutes?|mins?|分钟|hours?|小时)/i.exec(
        text,
      );
    const named = found ?? /timeout(?:Ms|_ms)\D{0,10}(\d{1,9})()/i.exec(text);
    if (named === null) continue;
    const timeoutMs = Math.round(Number(named[1]) * unitMs((named[2] ?? '').toLowerCase()));
    if (timeoutMs > 0 && Number.isSafeInteger(timeoutMs)) return timeoutMs;
  }
  return null;
}

function unitMs(unit: string): number {
  if (unit === '' || unit === '毫秒' || /^m(?:illi)?s/.test(unit)) return 1;
  if (unit.startsWith('s') || unit.startsWith('秒')) return 1_000;
  return unit.startsWith('m') || unit === '分钟' ? 60_000 : 3_600_000;
}

/** An error code that a document lists, with the words beside it. */
export interface DocumentedCode {
  code: string;
  meaning: string;
  /** Where the line stands in the prose it was read from. */
  line: number;
}

/** The error codes that a document lists: `- 404: not found`, `100001：缺货`, table rows; in order. */
export function documentedCodesIn(prose: string): DocumentedCode[] {
  const codes = new Map<string, DocumentedCode>();
  for (const [line, text] of prose.split('\n').entries()) {
    const row = text.slice(0, 300);
    const listed =
      /^[ \t]*(?:[-*+•][ \t]+|\|[ \t]*|\d{1,2}[.)、][ \t]+)?(?:\*\*|`|"|“)?(?:(?:HTTP|code|error(?: code)?|status(?: code)?|错误码|状态码)[ \t]*[:：]?[ \t]*)?(?:`|"|“)?(-?\d{3,9}|E\d{2,8}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:\*\*|`|"|”)*[ \t]*(?:[:：=|–—-]|（|\()[ \t]*(.{1,200})$/i.exec(
        row,
      );
    if (listed === null || codes.size >= 200) continue;
    const [, code = '', meaning = ''] = listed;
    const number = Number(code);
    if (Number.isFinite(number) && number >= 100 && number < 400) continue;
    if (!codes.has(code)) codes.set(code, { code, meaning: meaning.replace(/[|*`\s]+$/, '').trim(), line });
  }
  return [...codes.values()];
}

/** Says whether a document wants its messages as plain text rather than JSON. */
export function wantsText(prose: string): boolean {
  return (
    /\bplain[ -]text\b|text\/(?:plain|csv|xml)|application\/xml|\bCSV\b|\bXML\b|纯文本|文本格式/i.test(prose) &&
    !/\bJSON\b/i.test(prose)
  );
}
