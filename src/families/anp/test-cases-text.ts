import { escapeInvisible } from '../../kernel/invisible-characters.ts';
import type { Json } from '../../kernel/json.ts';
import type { CaseLayout, WrittenCase } from '../family.ts';

const WORDS = {
  en: {
    heading: (testCase: number) => `# Test Case ${testCase}`,
    request: '- **Test Request Data**:',
    response: '- **Test Response Data**:',
    result: '- **Expected Test Result**:',
  },
  zh: {
    heading: (testCase: number) => `# 测试用例${testCase}`,
    request: '- **测试请求数据**：',
    response: '- **测试响应数据**：',
    result: '- **测试预期结果**：',
  },
};

/** Cases in ANP's layout: a heading with the number, and three labels each. */
export function testCasesText(cases: readonly WrittenCase[], { language, payload }: CaseLayout): string {
  const words = WORDS[language];
  return cases
    .map(({ testCase, request, response, expected }) =>
      [
        words.heading(testCase),
        `${words.request}\n${payloadText(request, payload)}`,
        `${words.response}\n${payloadText(response, payload)}`,
        `${words.result}\n${expected}`,
      ].join('\n\n'),
    )
    .map((text) => `${text}\n`)
    .join('\n');
}

/** A case text with further cases appended; the existing text is unchanged. */
export function withFurtherCases(text: string, cases: readonly WrittenCase[], layout: CaseLayout): string {
  const gap = text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${text}${gap}${testCasesText(cases, layout)}`;
}

/**
 * A payload in a fence that its content cannot close: JSON has escaped line breaks, a text gets a longer fence than any
 * in it.
 */
function payloadText(value: Json, payload: CaseLayout['payload']): string {
  if (payload === 'json' || typeof value !== 'string')
    return `\`\`\`json\n${escapeInvisible(JSON.stringify(value, null, 2))}\n\`\`\``;
  const longest = Math.max(2, ...(value.match(/`{3,}/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${value}\n${fence}`;
}
