import type { Case } from '../contract/agreement.ts';
import type { Loose } from '../contract/job.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { escapeToken, isObject, type Json, valueAt } from '../kernel/json.ts';
import { comparableText } from '../schemas/equal-json.ts';
import { looseDifferences } from './loose-places.ts';

/** Cases by their request, apart from loose places. Look-up time does not depend on the number of cases. */
export class CasesByRequest {
  readonly #loose: ReadonlySet<string>;
  readonly #byKey: Map<string, { one: Case; loose: Loose[] }[]>;
  readonly #byNumber: ReadonlyMap<number, Case>;

  constructor(cases: readonly Case[], loose: readonly Loose[]) {
    this.#loose = new Set(loose.map(({ pointer }) => pointer));
    const entries = cases.map((one) => ({
      one,
      loose: loose.filter(({ pointer }) => valueAt(one.request, pointer) !== undefined),
    }));
    this.#byNumber = new Map(cases.map((one) => [one.testCase, one]));
    this.#byKey = Map.groupBy(entries, ({ one }) => this.#keyOf(one.request));
  }

  /** The cases with the same request, in their order. */
  of(request: Json): Case[] {
    const alike = this.#byKey.get(this.#keyOf(request)) ?? [];
    return alike
      .filter(({ one, loose }) => looseDifferences(one.request, request, loose).length === 0)
      .map(({ one }) => one);
  }

  /** The case with this number. */
  numbered(testCase: number): Case | undefined {
    return this.#byNumber.get(testCase);
  }

  #keyOf(request: Json): string {
    const masked = this.#masked(request, '');
    return canonicalJson(typeof masked === 'string' ? comparableText(masked) : masked);
  }

  /** The value with its loose places replaced by `null`. */
  #masked(value: Json, path: string): Json {
    if (this.#loose.has(path)) return null;
    if (Array.isArray(value)) return value.map((item, index) => this.#masked(item, `${path}/${index}`));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, this.#masked(item, `${path}/${escapeToken(name)}`)]),
    );
  }
}
