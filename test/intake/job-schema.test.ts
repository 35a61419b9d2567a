import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import published from '../../queues/job.schema.json' with { type: 'json' };
import { families } from '../../src/families/families.ts';
import { jobSchema } from '../../src/intake/job-schema.ts';

test('the published schema of jobs is the one that validates them: `npm run schemas` writes it', () => {
  assert.deepEqual(published, JSON.parse(JSON.stringify(jobSchema(families))));
});

test('the published schema of jobs is a JSON Schema of 2020-12', () => {
  const ajv = new Ajv2020();
  assert.ok(ajv.validateSchema(published), ajv.errorsText());
});

/** Each member of the objects that a schema describes, with its place; conditions say nothing of their own. */
function members(schema: unknown, place = ''): [place: string, schema: Record<string, unknown>][] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'if' || keyword === 'not') return [];
    const named = keyword === 'properties' || keyword === '$defs' ? Object.entries(value as object) : [];
    const own = named.map(([name, each]): [string, Record<string, unknown>] => [`${place}/${keyword}/${name}`, each]);
    return [...own, ...members(value, `${place}/${keyword}`)];
  });
}

test('every member of a job says what it is, in one short text', () => {
  const found = members(published);
  assert.ok(found.length > 70);
  for (const [place, { description }] of found) {
    assert.ok(typeof description === 'string' && /^.{8,300}\.$/.test(description), `${place}: ${description}`);
  }
});

test('the times that the schema names are those of the families', () => {
  const { description } = published.$defs.data.properties.timeoutMs;
  for (const { name, timeoutMs } of families) assert.match(description, new RegExp(`\\b${timeoutMs} for ${name}\\b`));
});
