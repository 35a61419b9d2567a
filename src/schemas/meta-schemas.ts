import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import type { JsonObject } from '../kernel/json.ts';

/** The dialects of JSON Schema that are told apart. */
export type Dialect = 'draft-07' | '2019-09' | '2020-12';

const require = createRequire(import.meta.url);

const PARTS = {
  '2019-09': ['core', 'applicator', 'validation', 'meta-data', 'format', 'content'],
  '2020-12': ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content'],
} as const;

/** Validators of the dialects' own meta-schemas; they hold no state of any document. Made at once, so that no document pays for it. */
export const META_VALIDATORS: Readonly<Record<Dialect, ValidateFunction>> = {
  'draft-07': compile(metaSchema('json-schema-draft-07')),
  '2019-09': compile(joined('2019-09')),
  '2020-12': compile(joined('2020-12')),
};

function compile({ $id: _, $schema: __, ...schema }: JsonObject): ValidateFunction {
  const ajv = new Ajv({ allErrors: true, strict: false, logger: false, meta: false, validateSchema: false });
  const properties = schema.properties as JsonObject;
  // Unique values would take quadratic time to check.
  return ajv.compile({ ...schema, properties: { ...properties, enum: { type: 'array', items: true } } });
}

function metaSchema(name: string): JsonObject {
  return require(`ajv/dist/refs/${name}.json`) as JsonObject;
}

/** The vocabularies of a dialect as one schema: looked through once for each subschema, and not by seven schemas that call each other. */
function joined(dialect: keyof typeof PARTS): JsonObject {
  const folder = `json-schema-${dialect}`;
  const parts = [...PARTS[dialect].map((part) => metaSchema(`${folder}/meta/${part}`)), metaSchema(`${folder}/schema`)];
  const membersOf = (name: '$defs' | 'properties') => Object.assign({}, ...parts.map((part) => part[name]));
  const text = JSON.stringify({
    type: ['object', 'boolean'],
    $defs: membersOf('$defs'),
    properties: membersOf('properties'),
  });
  return JSON.parse(
    text
      .replaceAll(/"\$(?:dynamicRef|recursiveRef)":"#(?:meta)?"/g, '"$ref":"#"')
      .replaceAll(/"\$ref":"meta\/[a-z]+#/g, '"$ref":"#'),
  ) as JsonObject;
}
