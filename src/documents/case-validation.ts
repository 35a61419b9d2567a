import type { Json } from '../kernel/json.ts';
import { Matching } from '../schemas/matching.ts';
import { createValidator, type Matches, TOO_COSTLY, type Validator } from '../schemas/validator.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import type { Violation } from '../schemas/violations.ts';

/** Most steps for validating the data of all cases against all schemas of one agreement: about 30 ms. */
const MAX_STEPS = 40_000;

/**
 * Validates data, such as an agreement's cases, against schemas. Caches each pair, and stops when the step budget is
 * spent.
 */
export class CaseValidation {
  readonly #allowed: Map<Validator, Map<Json, boolean | undefined>>;
  readonly #found: Map<Validator, Map<Json, Violation[]>>;
  readonly #withPatterns = new Map<Validator, Validator>();
  readonly #matches: Matches | undefined;
  /** Results of matching patterns against texts in the data. */
  readonly matching: Matching;
  #stepsLeft: number;

  /**
   * `share` multiplies the step budget of one agreement. `before` is an earlier validation whose cached results are
   * reused, such as the one of the same agreement before a counter-offer.
   */
  constructor(matches?: Matches, share = 1, before?: CaseValidation) {
    const isShared = before !== undefined && !before.isUsedUp && before.matching.leftOut === undefined;
    this.#allowed = isShared ? before.#allowed : new Map();
    this.#found = isShared ? before.#found : new Map();
    this.#matches = matches;
    this.matching = new Matching(share);
    this.#stepsLeft = MAX_STEPS * share;
  }

  /** Whether some data were not validated because the budget is spent. */
  get isUsedUp(): boolean {
    return this.#stepsLeft < 0;
  }

  /**
   * Whether a value matches a schema; `undefined` if the step budget is spent. An unusable schema allows everything.
   */
  allows(schema: Json, value: Json): boolean | undefined {
    const validator = this.#validatorOf(schema);
    if (!validator.ok) return true;
    return cached(this.#allowed, validator, value, () => {
      // Once the budget is spent, further pairs cost nothing.
      if (this.#stepsLeft >= 0) this.#stepsLeft -= validator.steps(value);
      return this.#stepsLeft < 0 ? undefined : validator.allows(value, this.matching);
    });
  }

  /** Where a value breaks a schema; a single violation with keyword `cost` if the step budget is spent. */
  violations(schema: Json, value: Json): readonly Violation[] {
    const allowed = this.allows(schema, value);
    const validator = this.#validatorOf(schema);
    if (allowed === true || !validator.ok) return [];
    if (allowed === undefined) return [TOO_COSTLY];
    return cached(this.#found, validator, value, () => validator.validate(value, this.matching));
  }

  #validatorOf(schema: Json): Validator {
    const shared = validatorOf(schema);
    if (this.#matches === undefined || !shared.ok || shared.uncheckedPatterns.length === 0) return shared;
    const validator = this.#withPatterns.get(shared) ?? createValidator(schema, this.#matches);
    this.#withPatterns.set(shared, validator);
    return validator;
  }
}

function cached<Result>(
  cache: Map<Validator, Map<Json, Result>>,
  validator: Validator,
  value: Json,
  compute: () => Result,
): Result {
  const perValue = cache.get(validator) ?? new Map<Json, Result>();
  cache.set(validator, perValue);
  if (perValue.has(value)) return perValue.get(value) as Result;
  const result = compute();
  perValue.set(value, result);
  return result;
}
