import type { Json } from '../kernel/json.ts';
import { createValidator, type Matches, TOO_COSTLY, type Validator } from '../schemas/validator.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import type { Violation } from '../schemas/violations.ts';

/** Most steps that validating the data of all cases takes, over all schemas of one agreement: about 30 ms. */
const MAX_STEPS = 40_000;

/** Holds the data of one agreement's cases against its schemas, each pair once, and stops where that takes too long. */
export class CaseValidation {
  readonly #known = new Map<Validator, Map<Json, Violation[]>>();
  readonly #own = new Map<Validator, Validator>();
  readonly #matches: Matches | undefined;
  #left = MAX_STEPS;

  constructor(matches?: Matches) {
    this.#matches = matches;
  }

  /** Whether some data were not validated, since that took too long. */
  get isUsedUp(): boolean {
    return this.#left < 0;
  }

  /** As the schema's validator; one violation of `cost` where the agreement's steps are used up. A schema that cannot be used allows everything. */
  violations(schema: Json, value: Json): readonly Violation[] {
    const validator = this.#validatorOf(schema);
    if (!validator.ok) return [];
    const perValue = this.#known.get(validator) ?? new Map<Json, Violation[]>();
    this.#known.set(validator, perValue);
    const known = perValue.get(value);
    if (known !== undefined) return known;
    this.#left -= validator.steps(value);
    const found = this.#left < 0 ? [TOO_COSTLY] : validator.validate(value);
    perValue.set(value, found);
    return found;
  }

  #validatorOf(schema: Json): Validator {
    const shared = validatorOf(schema);
    if (this.#matches === undefined || !shared.ok || shared.uncheckedPatterns.length === 0) return shared;
    const own = this.#own.get(shared) ?? createValidator(schema, this.#matches);
    this.#own.set(shared, own);
    return own;
  }
}
