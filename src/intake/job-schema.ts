import type { Family } from '../families/family.ts';
import type { JsonObject } from '../kernel/json.ts';
import base from './job-base.schema.json' with { type: 'json' };

/**
 * The JSON Schema of a job: the members that all families share, and those that each family requires of its messages.
 * Published as queues/job.schema.json, which `npm run schemas` writes.
 */
export function jobSchema(families: readonly Family[]): JsonObject & { $id: string } {
  const [standard] = families;
  const of = families.map(({ name }) => ({
    if: { properties: { family: { const: name } }, ...(name === standard?.name ? {} : { required: ['family'] }) },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { $ref: `#/$defs/${name}-messages` },
  }));
  const messages = families.map(({ name, schemas }): [string, JsonObject] => [
    `${name}-messages`,
    {
      description: `What the family ${name} requires of its messages.`,
      properties: {
        agreement: schemas.agreement,
        protocolHash: schemas.protocolHash ?? { $ref: '#/$defs/sha256', description: 'The SHA-256 of the document.' },
        ...(schemas.testCases === undefined
          ? {}
          : {
              testCases: { description: 'As a list, or in this form.', if: { type: 'array' }, else: schemas.testCases },
            }),
        ...(schemas.complaint === undefined ? {} : { complaint: schemas.complaint }),
      },
    },
  ]);
  const { data, ...others } = base.$defs as unknown as { data: JsonObject } & JsonObject;
  const own = Object.assign({}, ...families.map(({ schemas }) => schemas.own ?? {}));
  const properties = { ...(data.properties as JsonObject), ...own };
  const $defs: JsonObject = { data: { ...data, properties, allOf: of }, ...others, ...Object.fromEntries(messages) };
  return { ...(base as unknown as JsonObject), $id: base.$id, $defs };
}
