import type { Agreement, Case } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { Job } from '../contract/job.ts';
import { isObject, type Json, pointerTokens } from '../kernel/json.ts';
import { allSubschemas } from '../schemas/schema-walk.ts';
import { reportsFailure } from './failure.ts';
import { pointersOf } from './located-json.ts';
import type { PlacedFinding, Rule } from './rule.ts';

/**
 * A value that an answer must carry comes from somewhere: the request, a tool, a constant of the schemas, or the document.
 * Only a warning, since values can be computed in ways that cannot be seen here; it is evidence for a missing tool.
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
      if (found.length >= MAX_FOUND) break;
      if (reportsFailure(each.response, codes, each.expected)) continue;
      const mine = sources.with(each);
      for (const { pointer, value } of pointersOf(each.response, Math.max(0, left))) {
        left -= 1;
        if (loose.has(pointer) || !isData(pointer, value) || mine.yields(value)) continue;
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

/** Most values looked at: each is searched for in all texts. */
const MAX_VALUES = 1_000;

/** Most findings: they all mean the same. */
const MAX_FOUND = 10;

function findingOf(each: Case, pointer: string, value: Json): Finding {
  return {
    code: 'DOCUMENT_ANSWER_UNDERIVABLE',
    severity: 'warning',
    in: 'response',
    testCase: each.testCase,
    pointer,
    message: `Cannot derive answer of case ${each.testCase}: the value stands in no request, tool answer, constant or text, wanted a source for it`,
    actual: value,
  };
}

/** Words that every answer may make up, by the name of their member. */
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
  readonly #texts: Set<string>;
  readonly #numbers: Set<number>;
  readonly #prose: string;

  constructor(job: Job, agreement: Agreement) {
    this.#texts = new Set();
    this.#numbers = new Set();
    this.#prose = agreement.text;
    for (const { examples = [], otherwise } of job.tools) {
      for (const given of [...examples, ...(otherwise === undefined ? [] : [otherwise])]) {
        if ('input' in given) this.#add(given.input as Json);
        if ('output' in given) this.#add(given.output);
        else this.#add(given.error);
      }
    }
    for (const located of [agreement.requestSchema, agreement.responseSchema]) {
      for (const { schema } of allSubschemas(located?.schema ?? true, 600)) {
        if (!isObject(schema)) continue;
        for (const constant of [schema.const, schema.default, schema.enum])
          if (constant !== undefined) this.#add(constant);
      }
    }
  }

  with({ request }: Case): { yields(value: Json): boolean } {
    const texts = new Set<string>();
    const numbers = new Set<number>();
    collect(request, texts, numbers);
    return {
      yields: (value) => {
        if (typeof value === 'number') return this.#yieldsNumber(value, numbers);
        return typeof value === 'string' ? this.#yieldsText(value, texts) : true;
      },
    };
  }

  #add(value: Json): void {
    collect(value, this.#texts, this.#numbers);
  }

  /** Numbers are computed more often than copied: one is out of reach only where there is none to compute it from. */
  #yieldsNumber(value: number, own: ReadonlySet<number>): boolean {
    return this.#numbers.size > 0 || own.size > 0 || this.#yieldsWord(String(value), new Set());
  }

  /** A text is put together from parts: it is out of reach where a part of it with a digit, or all of it, stands nowhere. */
  #yieldsText(value: string, own: ReadonlySet<string>): boolean {
    if (this.#yieldsWord(value, own)) return true;
    const words = value.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= 2);
    return words.length > 0 && words.every((word) => this.#yieldsWord(word, own));
  }

  #yieldsWord(word: string, own: ReadonlySet<string>): boolean {
    const lower = word.toLowerCase();
    for (const text of [...own, ...this.#texts]) if (text.toLowerCase().includes(lower)) return true;
    return this.#prose.includes(word);
  }
}

function collect(value: Json, texts: Set<string>, numbers: Set<number>): void {
  for (const { value: each } of pointersOf(value, 5_000)) {
    if (typeof each === 'string') texts.add(each);
    else if (typeof each === 'number') {
      numbers.add(each);
      texts.add(String(each));
    }
    if (texts.size > 5_000) return;
  }
}
