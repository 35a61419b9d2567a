import type { Language } from '../contract/statement.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { quoteJson, quoteText } from '../kernel/quote.ts';

/**
 * Describes a violation in words. `expected` is the broken part of the schema, by keyword; `actual` is the value, or
 * only the undeclared members.
 */
export function violationWords(expected: JsonObject, actual: Json | undefined, language: Language): string {
  const words = Object.entries(expected).map(([keyword, wanted]) => keywordWords(keyword, wanted, actual, language));
  const found = isMemberFault(expected) || actual === undefined ? [] : [FOUND[language](quoteJson(actual))];
  return [...found, ...words].join(language === 'zh' ? '，' : ', ');
}

/** The same for the message of a finding, which always says what is wanted. */
export function violationMessage(expected: JsonObject, actual: Json | undefined): string {
  const words = violationWords(expected, actual, 'en');
  const saysWanted = Object.keys(expected).some((keyword) =>
    /^wanted /.test(keywordWords(keyword, null, undefined, 'en')),
  );
  return saysWanted ? words : `${words}, wanted what the schema allows`;
}

const FOUND = { en: (value: string) => `found ${value}`, zh: (value: string) => `实际为 ${value}` } as const;

function isMemberFault(expected: JsonObject): boolean {
  return Object.keys(expected).every((keyword) =>
    ['required', 'additionalProperties', 'unevaluatedProperties'].includes(keyword),
  );
}

function keywordWords(keyword: string, wanted: Json, actual: Json | undefined, language: Language): string {
  const value = keyword === 'type' ? quoteText(listOf(wanted).join('|')) : quoteJson(wanted);
  const names =
    keyword === 'required' ? listOf(wanted) : isObject(actual ?? null) ? Object.keys(actual as JsonObject) : [];
  const quoted = names.slice(0, 10).map(quoteText).join(', ');
  const words = (Object.hasOwn(WORDS, keyword) ? WORDS[keyword] : undefined)?.(value, quoted) ?? {
    en: `which breaks ${quoteText(keyword)}: ${value}`,
    zh: `不符合 ${quoteText(keyword)}: ${value}`,
  };
  return words[language];
}

function listOf(value: Json): string[] {
  return (Array.isArray(value) ? value : [value]).map(String);
}

const WORDS: Readonly<Record<string, (value: string, names: string) => Record<Language, string>>> = {
  type: (value) => ({ en: `wanted type ${value}`, zh: `应为类型 ${value}` }),
  required: (_, names) => ({ en: `the required field ${names} is missing`, zh: `缺少必填字段 ${names}` }),
  additionalProperties: (_, names) => ({
    en: `the field ${names} is not declared in the schema`,
    zh: `字段 ${names} 未在Schema中声明`,
  }),
  unevaluatedProperties: (_, names) => ({
    en: `the field ${names} is not declared in the schema`,
    zh: `字段 ${names} 未在Schema中声明`,
  }),
  enum: (value) => ({ en: `wanted one of ${value}`, zh: `应为 ${value} 之一` }),
  const: (value) => ({ en: `wanted exactly ${value}`, zh: `应等于 ${value}` }),
  pattern: (value) => ({ en: `wanted a text that matches ${value}`, zh: `应匹配正则 ${value}` }),
  format: (value) => ({ en: `wanted the format ${value}`, zh: `应符合格式 ${value}` }),
  minimum: (value) => ({ en: `wanted at least ${value}`, zh: `应不小于 ${value}` }),
  maximum: (value) => ({ en: `wanted at most ${value}`, zh: `应不大于 ${value}` }),
  exclusiveMinimum: (value) => ({ en: `wanted more than ${value}`, zh: `应大于 ${value}` }),
  exclusiveMaximum: (value) => ({ en: `wanted less than ${value}`, zh: `应小于 ${value}` }),
  minLength: (value) => ({ en: `wanted at least ${value} characters`, zh: `长度应不小于 ${value}` }),
  maxLength: (value) => ({ en: `wanted at most ${value} characters`, zh: `长度应不大于 ${value}` }),
  minItems: (value) => ({ en: `wanted at least ${value} items`, zh: `元素个数应不小于 ${value}` }),
  maxItems: (value) => ({ en: `wanted at most ${value} items`, zh: `元素个数应不大于 ${value}` }),
  minProperties: (value) => ({ en: `wanted at least ${value} fields`, zh: `字段个数应不小于 ${value}` }),
  maxProperties: (value) => ({ en: `wanted at most ${value} fields`, zh: `字段个数应不大于 ${value}` }),
  multipleOf: (value) => ({ en: `wanted a multiple of ${value}`, zh: `应为 ${value} 的倍数` }),
  anyOf: (value) => ({ en: `wanted one of the alternatives ${value}`, zh: `应符合以下任一结构 ${value}` }),
  oneOf: (value) => ({ en: `wanted exactly one of the alternatives ${value}`, zh: `应恰好符合以下结构之一 ${value}` }),
  cost: () => ({ en: 'the schema takes too many steps to check it', zh: 'Schema过于复杂，无法完成校验' }),
};
