import { Ajv, type ValidateFunction } from 'ajv';
import applicator2019 from 'ajv/dist/refs/json-schema-2019-09/meta/applicator.json' with { type: 'json' };
import content2019 from 'ajv/dist/refs/json-schema-2019-09/meta/content.json' with { type: 'json' };
import core2019 from 'ajv/dist/refs/json-schema-2019-09/meta/core.json' with { type: 'json' };
import format2019 from 'ajv/dist/refs/json-schema-2019-09/meta/format.json' with { type: 'json' };
import metaData2019 from 'ajv/dist/refs/json-schema-2019-09/meta/meta-data.json' with { type: 'json' };
import validation2019 from 'ajv/dist/refs/json-schema-2019-09/meta/validation.json' with { type: 'json' };
import schema2019 from 'ajv/dist/refs/json-schema-2019-09/schema.json' with { type: 'json' };
import applicator2020 from 'ajv/dist/refs/json-schema-2020-12/meta/applicator.json' with { type: 'json' };
import content2020 from 'ajv/dist/refs/json-schema-2020-12/meta/content.json' with { type: 'json' };
import core2020 from 'ajv/dist/refs/json-schema-2020-12/meta/core.json' with { type: 'json' };
import formatAnnotation2020 from 'ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json' with { type: 'json' };
import metaData2020 from 'ajv/dist/refs/json-schema-2020-12/meta/meta-data.json' with { type: 'json' };
import unevaluated2020 from 'ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json' with { type: 'json' };
import validation2020 from 'ajv/dist/refs/json-schema-2020-12/meta/validation.json' with { type: 'json' };
import schema2020 from 'ajv/dist/refs/json-schema-2020-12/schema.json' with { type: 'json' };
import draft07 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' };
import type { JsonObject } from '../kernel/json.ts';

/** The drafts of JSON Schema that values are validated with. */
export type Engine = 'draft-07' | '2019-09' | '2020-12';

const schemas: Readonly<Record<Engine, () => JsonObject>> = {
  'draft-07': () => draft07,
  '2019-09': () =>
    joined([core2019, applicator2019, validation2019, metaData2019, format2019, content2019, schema2019]),
  '2020-12': () =>
    joined([
      core2020,
      applicator2020,
      unevaluated2020,
      validation2020,
      metaData2020,
      formatAnnotation2020,
      content2020,
      schema2020,
    ]),
};

const validators = new Map<Engine, ValidateFunction>();

/**
 * The validator of a draft's meta-schema. It holds no state of a document, and is compiled on first use, because most
 * commands need none.
 */
export function metaValidator(draft: Engine): ValidateFunction {
  const known = validators.get(draft);
  if (known !== undefined) return known;
  const validator = compile(schemas[draft]());
  validators.set(draft, validator);
  return validator;
}

function compile({ $id: _, $schema: __, ...schema }: JsonObject): ValidateFunction {
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    // Optimizing takes longer than it saves.
    code: { optimize: false },
  });
  const properties = schema.properties as JsonObject;
  // Checking that values are unique would take quadratic time.
  return ajv.compile({ ...schema, properties: { ...properties, enum: { type: 'array', items: true } } });
}

/**
 * The vocabularies of a draft as one schema, so that each subschema is visited once and not by seven schemas that call
 * each other.
 */
function joined(vocabularies: readonly object[]): JsonObject {
  const membersOf = (name: '$defs' | 'properties'): JsonObject =>
    Object.assign({}, ...vocabularies.map((vocabulary) => (vocabulary as JsonObject)[name]));
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
