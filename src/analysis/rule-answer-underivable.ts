import type { Agreement, Case } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { Job } from '../contract/job.ts';
import { pointersOf } from '../documents/located-json.ts';
import type { PlacedFinding } from '../families/family.ts';
import { isObject, type Json, pointerTokens } from '../kernel/json.ts';
import { escapedLine } from '../kernel/quote.ts';
import { allSubschemas } from '../schemas/schema-walk.ts';
import { isAgreedFailure } from './agreed-failure.ts';
import type { Rule } from './rule.ts';

/**
 * Every value in an answer comes from the request, a tool, a constant of the schemas or the document. Only a warning,
 * because values can be computed in ways not visible here; it indicates a missing tool.
 */
export const ruleAnswerUnderivable: Rule = {
  name: 'answer-underivable',
  check({ job, agreement }, { documentedCodes }) {
    if (job.role !== 'provider' || agreement.payload === 'text') return [];
    const sources = new Sources(job, agreement);
    const codes = new Set(documentedCodes.map(({ code }) => code));
    const loose = new Set(job.loose.map(({ pointer }) => pointer));
    const found: PlacedFinding[] = [];
    let left = MAX_VALUES;
    for (const each of agreement.cases) {
      if (found.length >= MAX_FOUND || left <= 0) break;
      if (isAgreedFailure(each.response, codes)) continue;
      const caseSources = sources.with(each);
      for (const { pointer, value } of pointersOf(each.response, left)) {
        left -= 1;
        if (loose.has(pointer) || !isData(pointer, value) || caseSources.yields(value)) continue;
        found.push({
          finding: findingOf(each, pointer, value),
          text: 'cases',
          at: each.responseSpan?.start ?? each.testCase,
        });
        if (found.length >= MAX_FOUND) break;
      }
    }
    return found;
  },
};

/** Most values checked; each is searched for in all texts. */
const MAX_VALUES = 1_000;

/** Most findings; more would say the same. */
const MAX_FOUND = 10;

function findingOf(each: Case, pointer: string, value: Json): Finding {
  return {
    code: 'DOCUMENT_ANSWER_UNDERIVABLE',
    severity: 'warning',
    in: 'response',
    testCase: each.testCase,
    pointer,
    message: `Cannot derive answer of case ${each.testCase}${pointer === '' ? '' : ` at ${escapedLine(pointer)}`}: its value is in no request, tool answer, constant or text, wanted a source such as a tool`,
    actual: value,
  };
}

/** Members whose words any answer may choose freely. */
const FREE_NAME =
  /^(?:message|msg|text|note|reason|detail|details|status|statusText|description|code|type|result|消息|描述|原因)$/i;
const MOMENT_NAME = /(?:^|[_-])(?:time|timestamp|ts|at)$|(?:Time|Timestamp|At)$/;

function isData(pointer: string, value: Json): boolean {
  const name = pointerTokens(pointer).findLast((token) => !/^\d+$/.test(token)) ?? '';
  if (FREE_NAME.test(name) || MOMENT_NAME.test(name)) return false;
  if (typeof value === 'string') return value.length >= 3;
  return typeof value === 'number' && (!Number.isInteger(value) || Math.abs(value) >= 10);
}

class Sources {
  readonly #texts: Texts;
  readonly #prose: string;

  constructor(job: Job, agreement: Agreement) {
    this.#prose = agreement.text;
    const values: Json[] = [];
    for (const { examples = [], otherwise } of job.tools) {
      for (const each of [...examples, ...(otherwise === undefined ? [] : [otherwise])]) {
        if ('input' in each) values.push(each.input as Json);
        values.push('output' in each ? each.output : each.error);
      }
    }
    for (const located of [agreement.requestSchema, agreement.responseSchema]) {
      for (const { schema } of allSubschemas(located?.schema ?? true, 600)) {
        if (!isObject(schema)) continue;
        for (const constant of [schema.const, schema.default, schema.enum])
          if (constant !== undefined) values.push(constant);
      }
    }
    this.#texts = new Texts(values);
  }

  with({ request }: Case): { yields(value: Json): boolean } {
    let texts: Texts | undefined;
    return {
      yields: (value) => {
        texts ??= new Texts([request]);
        if (typeof value === 'number') return this.#yieldsNumber(value, texts);
        return typeof value === 'string' ? this.#yieldsText(value, texts) : true;
      },
    };
  }

  /**
   * Numbers are more often computed than copied, so a number is underivable only if there is no number to compute it
   * from.
   */
  #yieldsNumber(value: number, own: Texts): boolean {
    return this.#texts.hasNumber || own.hasNumber || this.#yieldsWord(String(value));
  }

  /** A text may be composed of parts, so it is underivable if it, or a part with a digit, is not found anywhere. */
  #yieldsText(value: string, own: Texts): boolean {
    if (this.#yieldsWord(value, own)) return true;
    const parts = value.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '');
    const long = parts.filter((part) => part.length >= 2);
    const words = long.length > 0 ? long : parts;
    return words.length > 0 && words.every((word) => this.#yieldsWord(word, own));
  }

  #yieldsWord(word: string, own?: Texts): boolean {
    const lower = word.toLowerCase();
    return own?.includes(lower) === true || this.#texts.includes(lower) || this.#prose.includes(word);
  }
}

/** The texts and numbers of some values, joined in lower case so that one search covers all. */
class Texts {
  readonly hasNumber: boolean;
  readonly #text: string;

  constructor(values: readonly Json[]) {
    const texts = new Set<string>();
    this.hasNumber = values.map((value) => collect(value, texts)).includes(true);
    this.#text = [...texts].join(SEPARATOR).toLowerCase();
  }

  includes(lower: string): boolean {
    return this.#text.includes(lower);
  }
}

/** A separator that occurs in no message. */
const SEPARATOR = '\u{10ffff}';

/** Dates contain numbers: a year, a month and a day, and the days between two dates. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:T|$)/;

/** Adds a value's texts and numbers to a set; returns whether there were numbers. */
function collect(value: Json, texts: Set<string>): boolean {
  let hasNumber = false;
  const pending: Json[] = [value];
  let left = 5_000;
  for (let each = pending.pop(); each !== undefined && left > 0 && texts.size <= 5_000; each = pending.pop()) {
    left -= 1;
    if (typeof each === 'string') {
      texts.add(each);
      hasNumber ||= DATE.test(each);
    } else if (typeof each === 'number') {
      hasNumber = true;
      texts.add(String(each));
    } else if (typeof each === 'object' && each !== null) for (const item of Object.values(each)) pending.push(item);
  }
  return hasNumber;
}
