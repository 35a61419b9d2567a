import type { Json } from '../kernel/json.ts';
import { Matching } from '../schemas/matching.ts';
import { createValidator, type Matches, TOO_COSTLY, type Validator } from '../schemas/validator.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import type { Violation } from '../schemas/violations.ts';

/** Most steps that validating the data of all cases takes, over all schemas of one agreement: about 30 ms. */
const MAX_STEPS = 40_000;

/** Holds data, such as those of one agreement's cases, against its schemas, each pair once, and stops where that takes too long. */
export class CaseValidation {
  readonly #allowed: Map<Validator, Map<Json, boolean | undefined>>;
  readonly #found: Map<Validator, Map<Json, Violation[]>>;
  readonly #own = new Map<Validator, Validator>();
  readonly #matches: Matches | undefined;
  /** What patterns say of the texts in the data. */
  readonly matching: Matching;
  #left: number;

  /**
   * `share` is how often as much may be spent as on the cases of an agreement; `before` is a validation whose pairs need not be validated again, such
   * as that of the same agreement before a counter-offer.
   */
  constructor(matches?: Matches, share = 1, before?: CaseValidation) {
    const isShared = before !== undefined && !before.isUsedUp && before.matching.leftOut === undefined;
    this.#allowed = isShared ? before.#allowed : new Map();
    this.#found = isShared ? before.#found : new Map();
    this.#matches = matches;
    this.matching = new Matching(share);
    this.#left = MAX_STEPS * share;
  }

  /** Whether some data were not validated, since that took too long. */
  get isUsedUp(): boolean {
    return this.#left < 0;
  }

  /** Whether a value keeps a schema; `undefined` where the agreement's steps are used up. A schema that cannot be used allows everything. */
  allows(schema: Json, value: Json): boolean | undefined {
    const validator = this.#validatorOf(schema);
    if (!validator.ok) return true;
    return remembered(this.#allowed, validator, value, () => {
      // Once used up, what else there is costs nothing any more.
      if (this.#left >= 0) this.#left -= validator.steps(value);
      return this.#left < 0 ? undefined : validator.allows(value, this.matching);
    });
  }

  /** Where a value breaks a schema; one violation of `cost` where the agreement's steps are used up. */
  violations(schema: Json, value: Json): readonly Violation[] {
    const allowed = this.allows(schema, value);
    const validator = this.#validatorOf(schema);
    if (allowed === true || !validator.ok) return [];
    if (allowed === undefined) return [TOO_COSTLY];
    return remembered(this.#found, validator, value, () => validator.validate(value, this.matching));
  }

  #validatorOf(schema: Json): Validator {
    const shared = validatorOf(schema);
    if (this.#matches === undefined || !shared.ok || shared.uncheckedPatterns.length === 0) return shared;
    const own = this.#own.get(shared) ?? createValidator(schema, this.#matches);
    this.#own.set(shared, own);
    return own;
  }
}

function remembered<Result>(
  known: Map<Validator, Map<Json, Result>>,
  validator: Validator,
  value: Json,
  tell: () => Result,
): Result {
  const perValue = known.get(validator) ?? new Map<Json, Result>();
  known.set(validator, perValue);
  if (perValue.has(value)) return perValue.get(value) as Result;
  const told = tell();
  perValue.set(value, told);
  return told;
}
