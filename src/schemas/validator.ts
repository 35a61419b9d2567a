import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject, type Json, valueAt } from '../kernel/json.ts';
import { ASSERTIONS, type Dialect, dialectOf } from './dialect.ts';
import { Matching } from './matching.ts';
import { type Engine, META_VALIDATORS } from './meta-schemas.ts';
import { type CompiledPattern, compilePattern, estimatedStates, isUnicodePattern, patternFault } from './pattern.ts';
import { sanitiseSchema } from './sanitise-schema.ts';
import { patternsIn, type SchemaPattern } from './schema-patterns.ts';
import { allSubschemas, MAX_SUBSCHEMAS, resolveLocalReference } from './schema-walk.ts';
import { usedSchema } from './used-schema.ts';
import { countValues, validationCost } from './validation-cost.ts';
import { type Violation, violationsOf } from './violations.ts';

/** Deepest nesting of schemas in a schema, the same limit as for a job's JSON. */
export const MAX_SCHEMA_DEPTH = 64;

/** Most values in all `enum`, `required` and `type` lists of one schema. */
const MAX_LISTED_VALUES = 5_000;

/** Most constraining keywords in one schema; each takes about 0.03 ms to compile. */
const MAX_ASSERTIONS = 1_600;

/** Most characters in all property names of one schema; each name becomes part of the compiled validator. */
const MAX_NAME_CHARS = 40_000;

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

/**
 * Compiles a JSON Schema in the dialect it names (draft-04 to 2020-12, OpenAPI 3.0 and 3.1; else the first that fits),
 * or returns its faults. The schema is sanitised first; nothing is fetched; patterns are matched without backtracking.
 */
export function createValidator(schema: Json, matches: Matches = () => undefined): Validator {
  const read = readSchema(schema);
  return 'faults' in read
    ? { ok: false, faults: read.faults }
    : compile(read.clean, read.engine, compilePatterns(read.clean), matches);
}

/** The faults of a schema that can be found without compiling it, which is many times faster. */
export function faultsIn(schema: Json): SchemaFault[] {
  const read = readSchema(schema);
  return 'faults' in read ? read.faults : [];
}

function readSchema(schema: Json): { clean: Json; engine: Engine } | { faults: SchemaFault[] } {
  const tooLarge = sizeFaults(usedSchema(schema));
  if (tooLarge.length > 0) return { faults: tooLarge };
  if (typeof schema !== 'boolean' && !isObject(schema)) {
    return {
      faults: [{ kind: 'invalid', pointer: '', message: 'is neither an object nor a boolean', actual: schema }],
    };
  }
  const { schema: clean } = sanitiseSchema(schema);
  const faults = [...referenceFaults(schema, clean), ...patternFaults(clean)];
  const shapes = enginesOf(dialectOf(schema)).map((engine) => ({ engine, faults: shapeFaults(clean, engine) }));
  const fitting = shapes.find((shape) => shape.faults.length === 0);
  if (fitting === undefined) faults.push(...(shapes[0]?.faults ?? []));
  return faults.length > 0 || fitting === undefined ? { faults } : { clean, engine: fitting.engine };
}

const CONSTRUCTORS = { 'draft-07': Ajv, '2019-09': Ajv2019, '2020-12': Ajv2020 } as const;

/**
 * The drafts to try for a dialect, in order. After sanitising, drafts up to draft-07 and OpenAPI 3.0 have the meaning
 * of draft-07.
 */
function enginesOf(dialect: Dialect): Engine[] {
  if (dialect === '2019-09') return ['2019-09'];
  return dialect === '2020-12' || dialect === 'unnamed' ? ['2020-12', 'draft-07'] : ['draft-07'];
}

function shapeFaults(schema: Json, engine: Engine): SchemaFault[] {
  const validate = META_VALIDATORS[engine];
  if (validate(schema)) return [];
  const byPlace = new Map<string, SchemaFault>();
  for (const { instancePath, message = 'is not allowed', keyword } of validate.errors ?? []) {
    if (keyword === '$ref' || keyword === 'if' || byPlace.size >= 10) continue;
    const actual = valueAt(schema, instancePath);
    if (!byPlace.has(instancePath) || keyword === 'enum') {
      byPlace.set(instancePath, {
        kind: 'invalid',
        pointer: instancePath,
        message,
        ...(actual === undefined ? {} : { actual }),
      });
    }
  }
  return [...byPlace.values()];
}

function sizeFaults(schema: Json): SchemaFault[] {
  const all = allSubschemas(schema, MAX_SUBSCHEMAS + 1);
  if (all.length > MAX_SUBSCHEMAS) {
    return [{ kind: 'too-large', pointer: '', message: `holds more than ${MAX_SUBSCHEMAS} schemas` }];
  }
  const deep = all.find(({ depth }) => depth > MAX_SCHEMA_DEPTH);
  if (deep !== undefined) {
    return [{ kind: 'too-large', pointer: deep.pointer, message: `is nested deeper than ${MAX_SCHEMA_DEPTH} schemas` }];
  }
  let listed = 0;
  let named = 0;
  let asserted = 0;
  for (const { schema: each } of all) {
    if (!isObject(each)) continue;
    for (const keyword of Object.keys(each)) if (ASSERTIONS.has(keyword)) asserted += 1;
    for (const map of [each.properties, each.patternProperties, each.dependentSchemas, each.dependentRequired])
      if (isObject(map)) for (const name of Object.keys(map)) named += name.length;
    for (const list of [each.enum, each.required, each.type]) if (Array.isArray(list)) listed += list.length;
  }
  if (named > MAX_NAME_CHARS) {
    return [{ kind: 'too-large', pointer: '', message: `names properties in more than ${MAX_NAME_CHARS} characters` }];
  }
  if (asserted > MAX_ASSERTIONS) {
    return [
      { kind: 'too-large', pointer: '', message: `holds more than ${MAX_ASSERTIONS} keywords that constrain values` },
    ];
  }
  return listed > MAX_LISTED_VALUES
    ? [{ kind: 'too-large', pointer: '', message: `lists more than ${MAX_LISTED_VALUES} values` }]
    : [];
}

function referenceFaults(schema: Json, clean: Json): SchemaFault[] {
  const faults: SchemaFault[] = [];
  for (const { pointer, reason } of sanitiseSchema(schema).removed) {
    if (reason !== 'external') continue;
    faults.push({
      kind: 'reference-external',
      pointer,
      message: 'points outside the schema',
      actual: valueAt(schema, pointer) ?? null,
    });
  }
  for (const { schema: each, pointer } of allSubschemas(clean)) {
    if (!isObject(each) || typeof each.$ref !== 'string') continue;
    const target = resolveLocalReference(clean, each.$ref)?.schema;
    if (!isObject(target) && typeof target !== 'boolean') {
      faults.push({
        kind: 'reference-missing',
        pointer: `${pointer}/$ref`,
        message: 'points to no schema',
        actual: each.$ref,
      });
    }
  }
  return faults;
}

/** Most states in the automata of one schema's patterns together. */
const MAX_STATES = 3_000;

/** Compiles the patterns of a schema, by their text. Patterns above the budget stay unchecked. */
function compilePatterns(clean: Json): Map<string, CompiledPattern> {
  const compiled = new Map<string, CompiledPattern>();
  let states = 0;
  for (const { pattern } of patternsIn(clean)) {
    if (compiled.has(pattern)) continue;
    states += estimatedStates(pattern);
    const isAffordable = states <= MAX_STATES;
    compiled.set(
      pattern,
      isAffordable ? compilePattern(pattern) : { kind: 'unsupported', reason: 'too many patterns' },
    );
  }
  return compiled;
}

function unsupportedIn(clean: Json, patterns: ReadonlyMap<string, CompiledPattern>): SchemaPattern[] {
  return patternsIn(clean).filter(({ pattern }) => patterns.get(pattern)?.kind === 'unsupported');
}

/**
 * Patterns of a schema that are valid but cannot be matched in linear time, even if the schema has other faults; none
 * if it is too large.
 */
export function uncheckedPatternsIn(schema: Json): readonly SchemaPattern[] {
  if (sizeFaults(usedSchema(schema)).length > 0) return [];
  const { schema: clean } = sanitiseSchema(schema);
  return unsupportedIn(clean, compilePatterns(clean));
}

function patternFaults(clean: Json): SchemaFault[] {
  return patternsIn(clean).flatMap(({ pointer, pattern }): SchemaFault[] => {
    const message = patternFault(pattern);
    return message === undefined ? [] : [{ kind: 'pattern-invalid', pointer, message, actual: pattern }];
  });
}

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

function compile(
  clean: Json,
  draft: Engine,
  patterns: ReadonlyMap<string, CompiledPattern>,
  matches: Matches,
): Validator {
  /** Patterns without a match result, and what each is assumed to return. */
  const unmatched = { asked: new Set<string>(), says: (_pattern: string) => true, matching: new Matching() };
  const engine = Object.assign(
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
  const text = JSON.stringify(clean);
  /** Whether a matching pattern could break the schema. */
  const mayBreakByMatching = MATCH_TURNED.test(text);
  const compileWith = (allErrors: boolean): ValidateFunction => {
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
      code: { regExp: engine, optimize: false },
    });
    // With references, an error's schema path is relative to the target; `verbose` adds the schema.
    if (text.includes('"$ref"')) ajv.opts.verbose = true;
    // A third of the generated code serves keywords that few schemas use.
    if (!text.includes('"unevaluated')) ajv.opts.unevaluated = false;
    if (!/"\$(?:dynamic|recursive)/.test(text)) ajv.opts.dynamicRef = false;
    const { $schema: _, ...rest } = isObject(clean) ? clean : {};
    return ajv.compile(isObject(clean) ? rest : (clean as boolean));
  };
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
  return { ok: true, validate, allows, steps: cost.steps, uncheckedPatterns: unsupportedIn(clean, patterns) };
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
