import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/kernel/json.ts';

const root = join(import.meta.dirname, '../../..');
const own = join(root, 'fixtures/families/anp-negotiate');

/** The folders with the draft's examples. */
export const folders = [join(own, 'vectors'), join(root, '../shared/conformance/anp/anp06-v1.2')].filter(existsSync);

/** An example of the draft. */
export function vector(folder: string, name: string): JsonObject {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
}

/** The job of a fixture. */
export function jobOf(folder: string, more: JsonObject = {}): JsonObject & { agreement: JsonObject } {
  return { ...JSON.parse(readFileSync(join(own, 'jobs', folder, 'job.json'), 'utf8')), ...more };
}
