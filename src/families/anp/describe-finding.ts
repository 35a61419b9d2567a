import { END_OF_TEXT, type Finding, type PatchOperation } from '../../contract/finding.ts';
import type { Language } from '../../contract/statement.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { quoteJson, quoteText } from '../../kernel/quote.ts';
import { violationWords } from '../../schemas/violation-words.ts';

/**
 * One finding as a sentence for the peer, on one line: case and place, what was found and wanted, and the proposed
 * change. It quotes only the peer's own document, and quoted text cannot break out of the quotation.
 */
export function describeFinding(finding: Finding, language: Language): string {
  const place = placeOf(finding, language);
  const fault = faultOf(finding, language);
  const change = changeOf(finding, language);
  if (language === 'zh')
    return `${place === '' ? '' : `${place}：`}${fault}。${change === '' ? '' : `建议修改：${change}。`}`;
  return `${place === '' ? '' : `${place}: `}${fault}.${change === '' ? '' : ` Proposed change: ${change}.`}`;
}

/** The proposed change of a finding in words; empty if there is none. */
export function changeOf({ amendment, testCase }: Finding, language: Language): string {
  if (amendment === undefined) return '';
  const where = ROOTS[amendment.of][language](testCase);
  const steps = amendment.patch.map((operation) => stepOf(operation, language));
  return language === 'zh' ? `在${where}中，${steps.join('；')}` : `in the ${where}, ${steps.join(' and ')}`;
}

type Words = Record<Language, (testCase?: number, exchange?: number) => string>;

const ROOTS: Record<Finding['in'], Words> = {
  request: {
    en: (n) => `request data${n === undefined ? '' : ` of test case ${n}`}`,
    zh: (n) => `${n === undefined ? '' : `测试用例${n}的`}请求数据`,
  },
  response: {
    en: (n) => `response data${n === undefined ? '' : ` of test case ${n}`}`,
    zh: (n) => `${n === undefined ? '' : `测试用例${n}的`}响应数据`,
  },
  requestSchema: { en: () => 'request JSON schema', zh: () => '请求消息的JSON Schema' },
  responseSchema: { en: () => 'response JSON schema', zh: () => '响应消息的JSON Schema' },
  document: {
    en: (n) => (n === undefined ? 'protocol document' : `test case ${n}`),
    zh: (n) => (n === undefined ? '协议文档' : `测试用例${n}`),
  },
  job: { en: () => 'task', zh: () => '任务' },
  tool: { en: () => 'tool', zh: () => '工具' },
  exchange: {
    en: (n, exchange) =>
      `exchange${exchange === undefined ? '' : ` ${exchange}`}${n === undefined ? '' : ` for test case ${n}`}`,
    zh: (n, exchange) =>
      `${n === undefined ? '' : `测试用例${n}的`}${exchange === undefined ? '' : `第${exchange}次`}消息交互`,
  },
};

/**
 * The peer does not know our list of exchanges, so it is told the number of the exchange, the side, and the place in
 * that message.
 */
const PLACE_IN_EXCHANGES = /^\/(\d+)\/(request|response)(.*)$/s;

function placeOf({ in: root, testCase, pointer = '' }: Finding, language: Language): string {
  const [, index, side, inside] = (root === 'exchange' && PLACE_IN_EXCHANGES.exec(pointer)) || [];
  const words = ROOTS[root][language](testCase, index === undefined ? undefined : Number(index) + 1);
  const place = inside ?? pointer;
  if (language === 'zh') {
    const named = `${words}${side === undefined ? '' : side === 'request' ? '的请求' : '的响应'}`;
    return place === '' ? named : `${named}，位置 ${quoteText(place)}`;
  }
  const named = side === undefined ? words : `${side} of ${words}`;
  const shown = named.charAt(0).toUpperCase() + named.slice(1);
  return place === '' ? shown : `${shown}, at ${quoteText(place)}`;
}

function stepOf({ op, path, value }: PatchOperation, language: Language): string {
  const at = quoteText(path.replace(/\/-$/, ''));
  const shown = quoteJson(value ?? null);
  if (op === 'remove') return language === 'zh' ? `删除 ${at}` : `remove ${at}`;
  if (op === 'replace') return language === 'zh' ? `将 ${at} 改为 ${shown}` : `set ${at} to ${shown}`;
  if (path.endsWith('/-')) return language === 'zh' ? `在 ${at} 末尾增加 ${shown}` : `append ${shown} to ${at}`;
  return language === 'zh' ? `增加 ${at}，值为 ${shown}` : `add ${at} as ${shown}`;
}

function faultOf(finding: Finding, language: Language): string {
  const { code, expected, actual } = finding;
  if (isViolation(code) && isObject(expected ?? null))
    return violationWords(expected as { [name: string]: Json }, actual, language);
  const words = Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined;
  const found =
    actual === undefined
      ? ''
      : actual === END_OF_TEXT
        ? { en: END_OF_TEXT, zh: '文本末尾' }[language]
        : typeof actual === 'string' && !COMPARES.has(code)
          ? quoteText(actual)
          : quoteJson(actual);
  const wanted =
    expected === undefined
      ? ''
      : typeof expected === 'string' && code === PASSAGES
        ? quoteText(expected)
        : quoteJson(expected);
  return words === undefined ? fallback(found, wanted, language) : words[language](found, wanted, finding);
}

/**
 * Codes whose `expected` and `actual` are message values. They are shown as JSON, so that the text "5" differs from the
 * number.
 */
const COMPARES: ReadonlySet<string> = new Set([
  'DOCUMENT_CASES_CONTRADICT',
  'DOCUMENT_CASE_ID_NOT_ECHOED',
  'DOCUMENT_CASE_WRONG',
  'DOCUMENT_EXCHANGE_ID_NOT_ECHOED',
  'DOCUMENT_EXCHANGE_CONTRADICTS_CASE',
]);

/** The code whose `expected` and `actual` are passages of the document, quoted exactly. */
const PASSAGES = 'DOCUMENT_CONTRADICTS_ITSELF';

function isViolation(code: string): boolean {
  return code.endsWith('_VIOLATES_SCHEMA') || code.endsWith('_VIOLATE_SCHEMA');
}

function fallback(found: string, wanted: string, language: Language): string {
  if (language === 'zh')
    return `${found === '' ? '内容有误' : `实际为 ${found}`}${wanted === '' ? '' : `，应为 ${wanted}`}`;
  return `${found === '' ? 'it cannot be used as it stands' : `found ${found}`}${wanted === '' ? '' : `, wanted ${wanted}`}`;
}

/** Describes a fault by what was found and wanted. */
type Fault = (found: string, wanted: string, finding: Finding) => string;

/** The number of the earlier case, which only the finding's message contains. */
function otherCase(message: string, named: (testCase: string) => string, unnamed: string): string {
  const first = /\bcases (\d{1,9}) and \d/.exec(message)?.[1];
  return first === undefined ? unnamed : named(first);
}

/** Describes JSON beyond the limit that `expected` gives; `undefined` if `expected` is not a limit. */
function limitWords(language: Language, what: string, expected: Finding['expected']): string | undefined {
  if (typeof expected !== 'number') return undefined;
  const isDepth = expected < Number.MAX_VALUE;
  if (language === 'zh')
    return isDepth ? `${what}嵌套过深；最多 ${expected} 层` : `${what}含有超出双精度范围的数字；请使用较小的数字`;
  return isDepth
    ? `${what} cannot be read: too many levels of nesting; please use at most ${expected}`
    : `${what} cannot be read: it has a number too large for a double; please use a smaller one`;
}

const FAULTS: Readonly<Record<string, Record<Language, Fault>>> = {
  DOCUMENT_BASE_PROTOCOL_MISSING: {
    en: (found) =>
      `the document builds on the protocol ${found}, whose text is not available here; please include its full text, with request and response format, in the document`,
    zh: (found) => `文档基于协议 ${found}，但此处没有该协议的正文；请在文档中给出其完整内容，包括请求和响应的数据格式`,
  },
  DOCUMENT_SCHEMA_INVALID: {
    en: (found) =>
      `this is not valid in a JSON Schema${found === '' ? '' : ` (found ${found})`}, so the schema cannot be compiled`,
    zh: (found) => `此处不是合法的JSON Schema${found === '' ? '' : `（实际为 ${found}）`}，Schema无法编译`,
  },
  DOCUMENT_REFERENCE_EXTERNAL: {
    en: (found) =>
      `the reference ${found} points outside the document and is not fetched; please write the schema it names into "$defs"`,
    zh: (found) => `引用 ${found} 指向文档之外，不会被获取；请将其内容写入 "$defs"`,
  },
  DOCUMENT_PATTERN_INVALID: {
    en: (found) => `${found} is not a valid regular expression`,
    zh: (found) => `${found} 不是合法的正则表达式`,
  },
  DOCUMENT_SCHEMA_TOO_LARGE: {
    en: () => 'the schema is too large or nested too deep to be used; please divide or simplify it',
    zh: () => 'Schema过大或嵌套过深，无法使用；请拆分或简化',
  },
  DOCUMENT_SCHEMA_UNREADABLE: {
    en: (found, _, { expected }) =>
      limitWords('en', 'a JSON Schema in the document', expected) ??
      `a JSON Schema in the document stops being valid JSON at ${found}; please correct it`,
    zh: (found, _, { expected }) =>
      limitWords('zh', '文档中的一个JSON Schema', expected) ??
      `文档中的一个JSON Schema在 ${found} 处不是合法的JSON；请更正`,
  },
  DOCUMENT_SCHEMA_MISSING: {
    en: (found) => `there is no JSON Schema under ${found}; please write it out`,
    zh: (found) => `${found} 之下没有JSON Schema；请补充`,
  },
  DOCUMENT_REQUEST_AMBIGUOUS: {
    en: (found) =>
      `several schemas may equally describe the request (${found}); please say in a heading or title which one does`,
    zh: (found) => `多个Schema均可能是请求消息的格式（${found}）；请在标题中注明哪一个是请求消息`,
  },
  DOCUMENT_FAILURE_UNANSWERABLE: {
    en: (found, wanted) =>
      `the document names the error codes ${wanted}, but the schema allows only ${found} here, so these failures cannot be reported`,
    zh: (found, wanted) => `文档列出了错误码 ${wanted}，但此处Schema只允许 ${found}，无法返回这些错误`,
  },
  DOCUMENT_CASES_CONTRADICT: {
    en: (found, wanted, { message }) =>
      `the same request is answered differently in ${otherCase(message, (n) => `test case ${n}`, 'another test case')}: here ${orNothing(found, 'nothing')}, there ${orNothing(wanted, 'nothing')}; please give both cases the same answer or different requests`,
    zh: (found, wanted, { message }) =>
      `相同的请求在${otherCase(message, (n) => `测试用例${n}`, '另一个测试用例')}中得到不同的响应：此处为 ${orNothing(found, '无')}，另一处为 ${orNothing(wanted, '无')}；请统一响应或区分请求`,
  },
  DOCUMENT_CASE_ID_NOT_ECHOED: {
    en: (found, wanted) => `the answer has the id ${found}; it must repeat ${wanted}, the id of its request`,
    zh: (found, wanted) => `响应中的标识为 ${found}，而请求中为 ${wanted}，响应应原样返回`,
  },
  DOCUMENT_CASE_EXPECTED_DIFFERS: {
    en: (found, wanted) => `the expected result names the code ${wanted}, and the answer has ${found}`,
    zh: (found, wanted) => `测试预期结果中的代码为 ${wanted}，而响应中为 ${found}`,
  },
  DOCUMENT_CASES_UNREADABLE: {
    en: () =>
      'no test case can be read from the text; please write each as "# Test Case N" with test request data, test response data and expected test result',
    zh: () =>
      '无法从文本中读取任何测试用例；请按“# 测试用例N”的格式书写，并给出测试请求数据、测试响应数据和测试预期结果',
  },
  DOCUMENT_CASES_TOO_MANY: {
    en: (found) => `there are ${found} test cases, at most 100 can be used`,
    zh: (found) => `共有 ${found} 个测试用例，最多只能使用100个`,
  },
  DOCUMENT_FRONT_MATTER_UNREADABLE: {
    en: (found) => `the front matter cannot be read (${found}); please give name, description and multiround in YAML`,
    zh: (found) => `文档开头的元数据无法读取（${found}）；请以YAML给出 name、description 和 multiround`,
  },
  DOCUMENT_DESCRIPTION_UNREADABLE: {
    en: (found) => `the service description cannot be read: found ${found}; please correct it`,
    zh: (found) => `服务描述无法读取：实际为 ${found}；请更正`,
  },
  DOCUMENT_DESCRIPTION_INVALID: {
    en: (found, wanted) => `the service description has ${found} here; please give ${wanted}`,
    zh: (found, wanted) => `服务描述的此处为 ${found}；应为 ${wanted}`,
  },
  DOCUMENT_METHOD_UNKNOWN: {
    en: (found) => `the service description has no method ${found}; please name one that it has`,
    zh: (found) => `服务描述中没有方法 ${found}；请使用其中已有的方法`,
  },
  DOCUMENT_FINDINGS_TOO_MANY: {
    en: (found) => `there are ${found} faults in all, more than can be listed; please correct those listed first`,
    zh: (found) => `共有 ${found} 处问题，无法全部列出；请先更正已列出的问题`,
  },
  DOCUMENT_CASE_INCOMPLETE: {
    en: () => 'the data are missing; please give the complete message',
    zh: () => '缺少数据；请给出完整的消息',
  },
  DOCUMENT_CASE_UNREADABLE: {
    en: (found, _, { expected }) =>
      limitWords('en', 'the message', expected) ??
      `the data cannot be read${found === '' ? '' : `: they stop being valid JSON at ${found}`}; please give exactly one JSON value, or a fenced text`,
    zh: (found, _, { expected }) =>
      limitWords('zh', '数据', expected) ??
      `数据无法读取${found === '' ? '' : `：在 ${found} 处不是合法的JSON`}；请给出唯一的JSON数据或代码块文本`,
  },
  DOCUMENT_TEXT_ESCAPED: {
    en: (found) =>
      `the text is escaped once too often (found ${found}), so its lines and its JSON cannot be read; please send the text itself`,
    zh: (found) => `文本被多转义了一次（实际为 ${found}），其中的换行和JSON无法识别；请发送原文`,
  },
  DOCUMENT_NUMBER_INEXACT: {
    en: (found) =>
      `the number ${found} has more digits than a JSON number keeps (IEEE 754 double); please agree on a string, or on a smaller number`,
    zh: (found) => `数字 ${found} 的位数超出JSON数字（IEEE 754双精度）可精确表示的范围；请改用字符串或较小的数字`,
  },
  DOCUMENT_CASE_NUMBER_REPEATED: {
    en: () => 'the number is used by more than one test case; please number them differently',
    zh: () => '该编号被多个测试用例使用；请使用不同的编号',
  },
  DOCUMENT_CASE_WRONG: {
    en: (found, wanted) =>
      `the protocol document asks for ${orNothing(wanted, 'nothing')} here, and the test case has ${orNothing(found, 'nothing')}`,
    zh: (found, wanted) => `按照协议文档此处应为 ${orNothing(wanted, '无')}，而测试用例中为 ${orNothing(found, '无')}`,
  },
  [PASSAGES]: {
    en: (found, wanted) => `the passages ${wanted} and ${found} contradict each other; please keep one of them`,
    zh: (found, wanted) => `${wanted} 与 ${found} 相互矛盾；请保留其中之一`,
  },
  DOCUMENT_EXCHANGE_FRAME_INVALID: {
    en: (found, wanted) => `the frame is not valid: found ${found}, wanted ${wanted}`,
    zh: (found, wanted) => `该帧无效：实际为 ${found}，应为 ${wanted}`,
  },
  DOCUMENT_EXCHANGE_ID_NOT_ECHOED: {
    en: (found, wanted) =>
      `the id of the request is not returned: found ${orNothing(found, 'nothing')}, sent ${wanted}`,
    zh: (found, wanted) => `未返回请求中的标识：实际为 ${orNothing(found, '无')}，请求中为 ${wanted}`,
  },
  DOCUMENT_EXCHANGE_CONTRADICTS_CASE: {
    en: (found, wanted) =>
      `the answer differs from the agreed test case: found ${orNothing(found, 'nothing')}, wanted ${orNothing(wanted, 'nothing')}`,
    zh: (found, wanted) =>
      `响应与已协商的测试用例不同：实际为 ${orNothing(found, '无')}，应为 ${orNothing(wanted, '无')}`,
  },
  DOCUMENT_EXCHANGE_FAILURE_UNDOCUMENTED: {
    en: (found, wanted) => `the error code ${found} is not listed in the protocol document (listed: ${wanted})`,
    zh: (found, wanted) => `错误码 ${found} 未在协议文档中列出（已列出：${wanted}）`,
  },
  DOCUMENT_CASE_NUMBER_MISSING: { en: () => 'the test case has no number', zh: () => '测试用例没有编号' },
  DOCUMENT_COMPLAINT_UNFOUNDED: {
    en: (found, wanted) =>
      `the fault could not be reproduced: our handler keeps the agreement in every test case and in every request tried${found === '' ? '' : `; our answer here has the form ${found}`}${wanted === '' ? '' : `, the agreed schema wants ${wanted}`}`,
    zh: (found, wanted) =>
      `未能重现该错误：我方处理程序在所有测试用例及所试请求中均符合协议${found === '' ? '' : `；此处我方响应的形式为 ${found}`}${wanted === '' ? '' : `，约定的Schema要求 ${wanted}`}`,
  },
  CANDIDATE_COMPLAINT_CONFIRMED: {
    en: () => 'the fault was reproduced and is ours; the handler is being generated again',
    zh: () => '该错误已重现，属我方问题；正在重新生成处理程序',
  },
  DOCUMENT_AMENDMENT_CONTESTED: {
    en: () =>
      'the document and its test cases contradict each other here, which was resolved by an amendment; please agree on one of the two',
    zh: () => '文档与测试用例在此处相互矛盾，此前以修订解决；请就其中之一达成一致',
  },
  DOCUMENT_CASE_NUMBER_SKIPPED: {
    en: (found) => `test case ${found} is missing before this one`,
    zh: (found) => `之前缺少测试用例 ${found}`,
  },
};

function orNothing(text: string, nothing: string): string {
  return text === '' ? nothing : text;
}
