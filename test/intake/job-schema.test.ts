import assert from 'node:assert/strict';
import { test } from 'node:test';
import published from '../../queues/job.schema.json' with { type: 'json' };
import { families } from '../../src/families/families.ts';
import { jobSchema } from '../../src/intake/job-schema.ts';

test('the published schema of jobs is the one that validates them: `npm run schemas` writes it', () => {
  assert.deepEqual(published, JSON.parse(JSON.stringify(jobSchema(families))));
});
