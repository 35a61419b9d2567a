/**
 * Writes queues/job.schema.json, the schema of jobs for callers in any language, from the parts that all families share
 * and those of each family.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { families } from '../src/families/families.ts';
import { jobSchema } from '../src/intake/job-schema.ts';

const root = join(import.meta.dirname, '..');
const path = join(root, 'queues/job.schema.json');
writeFileSync(path, JSON.stringify(jobSchema(families), null, 2));
execFileSync(process.execPath, [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--write', path]);
