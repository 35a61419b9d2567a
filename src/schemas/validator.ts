import { isObject, type Json, valueAt } from '../kernel/json.ts';
import { compileSchema, type Matches, type SchemaFault, type Validator } from './compiled-schema.ts';
import { ASSERTIONS, type Dialect, dialectOf } from './dialect.ts';
import { type Engine, metaValidator } from './meta-schemas.ts';
import { type CompiledPattern, compilePattern, estimatedStates, patternFault } from './pattern.ts';
import { sanitiseSchema } from './sanitise-schema.ts';
import { patternsIn, type SchemaPattern } from './schema-patterns.ts';
import { allSubschemas, MAX_SUBSCHEMAS, resolveLocalReference } from './schema-walk.ts';
import { usedSchema } from './used-schema.ts';

/** Deepest nesting of schemas in a schema, the same limit as for a job's JSON. */
const MAX_SCHEMA_DEPTH = 64;

/** Most values in all `enum`, `required` and `type` lists of one schema. */
const MAX_LISTED_VALUES = 5_000;

/** Most constraining keywords in one schema; each takes about 0.03 ms to compile. */
const MAX_ASSERTIONS = 1_600;

/** Most characters in all property names of one schema; each name becomes part of the compiled validator. */
const MAX_NAME_CHARS = 40_000;

/**
 * Compiles a JSON Schema in the dialect it names (draft-04 to 2020-12, OpenAPI 3.0 and 3.1; else the first that fits),
 * or returns its faults. The schema is sanitised first; nothing is fetched; patterns are matched without backtracking.
 */
export function createValidator(schema: Json, matches: Matches = () => undefined): Validator {
  const read = readSchema(schema);
  return 'faults' in read ? { ok: false, faults: read.faults } : compiled(read, matches);
}

function compiled({ clean, engine }: { clean: Json; engine: Engine }, matches: Matches): Validator {
  const patterns = compilePatterns(clean);
  return compileSchema(clean, engine, patterns, matches, unsupportedIn(clean, patterns));
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

/**
 * The drafts to try for a dialect, in order. After sanitising, drafts up to draft-07 and OpenAPI 3.0 have the meaning
 * of draft-07.
 */
function enginesOf(dialect: Dialect): Engine[] {
  if (dialect === '2019-09') return ['2019-09'];
  return dialect === '2020-12' || dialect === 'unnamed' ? ['2020-12', 'draft-07'] : ['draft-07'];
}

function shapeFaults(schema: Json, engine: Engine): SchemaFault[] {
  const validate = metaValidator(engine);
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
