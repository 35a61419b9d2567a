import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject, type Json } from '../kernel/json.ts';
import { Matching } from './matching.ts';
import type { Engine } from './meta-schemas.ts';
import { type CompiledPattern, isUnicodePattern } from './pattern.ts';
import type { SchemaPattern } from './schema-patterns.ts';
import { countValues, validationCost } from './validation-cost.ts';
import { type Violation, violationsOf } from './violations.ts';

/** Most values in a value for which all issues are collected; above this, only the first one is. */
const MAX_VALUES_FOR_ALL_ISSUES = 2_000;

/** Why a schema cannot be used. */
export interface SchemaFault {
  kind: 'invalid' | 'reference-missing' | 'reference-external' | 'pattern-invalid' | 'too-large';
  /** JSON pointer to the keyword in the original schema. */
  pointer: string;
  message: string;
  actual?: Json;
}

/** A compiled schema. */
export type Validator =
  | {
      ok: true;
      /** Where a value breaks the schema, at most `MAX_ISSUES`; empty if it is valid. Never throws, never hangs. */
      validate(value: Json, matching?: Matching): Violation[];
      /** Whether a value matches the schema; faster than `validate`. */
      allows(value: Json, matching?: Matching): boolean;
      /** An upper bound of the steps for validating a value; `Infinity` if there are too many. */
      steps(value: Json): number;
      /** Patterns that are valid but not checked, unless the caller supplies `matches`. */
      uncheckedPatterns: readonly SchemaPattern[];
    }
  | { ok: false; faults: SchemaFault[] };

/** Matches a pattern that cannot be matched in linear time. `undefined` = unknown, counts as a match. */
export type Matches = (pattern: string, text: string) => boolean | undefined;

const CONSTRUCTORS = { 'draft-07': Ajv, '2019-09': Ajv2019, '2020-12': Ajv2020 } as const;

/** The violation of a value that was not validated because it would take too long. */
export const TOO_COSTLY: Violation = Object.freeze({
  pointer: '',
  schemaPointer: '',
  keyword: 'cost',
  message: 'takes too many steps to validate',
  expected: null,
});

/** Most unmatched patterns that are assumed, one by one, to be the only match. */
const MAX_ASSUMED = 5;

/** Keywords that can turn a match below or next to them into a violation. */
const MATCH_TURNED = /"(?:not|oneOf|if|contains|patternProperties|unevaluatedProperties|unevaluatedItems)":/;

/** Longest text checked against a format, in characters; some formats use backtracking. */
const MAX_FORMAT_CHARS = 4_096;

/** Compiles a schema that is sanitised and without faults; what the compiler refuses all the same is a fault. */
export function compileSchema(
  clean: Json,
  draft: Engine,
  patterns: ReadonlyMap<string, CompiledPattern>,
  matches: Matches,
  uncheckedPatterns: readonly SchemaPattern[],
): Validator {
  const unmatched: Unmatched = { asked: new Set(), says: () => true, matching: new Matching() };
  const text = JSON.stringify(clean);
  /** Whether a matching pattern could break the schema. */
  const mayBreakByMatching = MATCH_TURNED.test(text);
  const regExp = matcherOf(patterns, unmatched, matches);
  const compileWith = (allErrors: boolean) => compileWithAjv(clean, text, draft, regExp, allErrors);
  let all: ValidateFunction;
  try {
    all = compileWith(true);
  } catch (error) {
    const message = error instanceof Error ? error.message.slice(0, 300) : 'cannot be compiled';
    return { ok: false, faults: [{ kind: 'invalid', pointer: '', message }] };
  }
  let first: ValidateFunction | undefined;
  const cost = validationCost(clean);
  /** The errors of a value, or the violation that prevents validation. */
  const errorsOf = (value: Json, matching: Matching): readonly ErrorObject[] | Violation => {
    unmatched.matching = matching;
    if (!cost.isAffordable(value)) return TOO_COSTLY;
    let run = all;
    if (countValues(value) > MAX_VALUES_FOR_ALL_ISSUES) {
      first ??= compileWith(false);
      run = first;
    }
    const errorsIf = (says: (pattern: string) => boolean) => {
      unmatched.says = says;
      return run(value) === true ? [] : (run.errors ?? []);
    };
    try {
      unmatched.asked.clear();
      let certain = errorsIf(() => true);
      if (certain.length === 0 || unmatched.asked.size === 0 || !mayBreakByMatching) return certain;
      // Below `not`, `oneOf` or `if`, a match may break the schema. Only errors that occur under every assumption are
      // certain.
      for (const matching of [undefined, ...[...unmatched.asked].slice(0, MAX_ASSUMED)]) {
        if (certain.length === 0) break;
        const others = new Set(errorsIf((pattern) => pattern === matching).map(placeOf));
        certain = certain.filter((error) => others.has(placeOf(error)));
      }
      return certain;
    } catch {
      return { ...TOO_COSTLY, message: 'is nested too deep to validate' };
    }
  };
  const validate = (value: Json, matching = new Matching()): Violation[] => {
    const errors = errorsOf(value, matching);
    return 'keyword' in errors ? [errors] : violationsOf(clean, value, errors);
  };
  const allows = (value: Json, matching = new Matching()): boolean => {
    const errors = errorsOf(value, matching);
    return !('keyword' in errors) && errors.length === 0;
  };
  return { ok: true, validate, allows, steps: cost.steps, uncheckedPatterns };
}

/** Patterns without a match result, and what each is assumed to return. */
interface Unmatched {
  asked: Set<string>;
  says(pattern: string): boolean;
  matching: Matching;
}

/**
 * Ajv's hook for patterns: linear matching if it is possible, else what `matches` says, else the assumption.
 */
function matcherOf(patterns: ReadonlyMap<string, CompiledPattern>, unmatched: Unmatched, matches: Matches) {
  return Object.assign(
    (pattern: string) => {
      const compiled = patterns.get(pattern);
      return {
        test: (text: string): boolean => {
          const known = compiled?.kind === 'linear' ? unmatched.matching.tell(pattern, compiled, text) : undefined;
          const result = known ?? matches(pattern, text);
          if (result === undefined) unmatched.asked.add(pattern);
          return result ?? unmatched.says(pattern);
        },
        // Ajv caches matchers by this name; without it, all patterns would share the first matcher.
        toString: () => pattern,
      };
    },
    { code: 'undefined' },
  );
}

function compileWithAjv(
  clean: Json,
  text: string,
  draft: Engine,
  regExp: ReturnType<typeof matcherOf>,
  allErrors: boolean,
): ValidateFunction {
  const ajv = new CONSTRUCTORS[draft]({
    allErrors,
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    messages: false,
    // Inherited members such as `constructor` must not count as members of a value.
    ownProperties: true,
    // With exact double division, 19.99 would not be a multiple of 0.01.
    multipleOfPrecision: 6,
    // Longer lists become loops, because one comparison per value makes the code long.
    loopEnum: 40,
    loopRequired: 40,
    // A large definition is compiled once, however many references point to it.
    inlineRefs: 8,
    formats: FORMATS,
    code: { regExp, optimize: false },
  });
  // With references, an error's schema path is relative to the target; `verbose` adds the schema.
  if (text.includes('"$ref"')) ajv.opts.verbose = true;
  // A third of the generated code serves keywords that few schemas use.
  if (!text.includes('"unevaluated')) ajv.opts.unevaluated = false;
  if (!/"\$(?:dynamic|recursive)/.test(text)) ajv.opts.dynamicRef = false;
  const { $schema: _, ...rest } = isObject(clean) ? clean : {};
  return ajv.compile(isObject(clean) ? rest : (clean as boolean));
}

function placeOf({ instancePath, schemaPath }: ErrorObject): string {
  return `${instancePath}\n${schemaPath}`;
}

type Formats = Ajv['formats'];

/** Ajv's formats, each limited to texts of bounded length. */
const FORMATS: Formats = boundFormats();

function boundFormats(): Formats {
  const { formats } = addFormats.default(new Ajv({ logger: false, meta: false }));
  return Object.fromEntries(
    Object.entries({ ...formats, regex: isUnicodePattern }).map(([name, format]) => [name, boundFormat(format)]),
  );
}

function boundFormat(format: Formats[string]): Formats[string] {
  const check = isObjectFormat(format) ? format.validate : format;
  if (check instanceof RegExp) return (text: string) => text.length > MAX_FORMAT_CHARS || check.test(text);
  if (typeof check !== 'function' || (isObjectFormat(format) && format.type === 'number')) return format;
  return (text: string) => text.length > MAX_FORMAT_CHARS || check(text as never) === true;
}

function isObjectFormat(format: Formats[string]): format is Extract<Formats[string], { validate: unknown }> {
  return typeof format === 'object' && 'validate' in format;
}
