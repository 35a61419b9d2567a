import { createHash } from 'node:crypto';

/**
 * Test files that take minutes, because they try every fault, order or document one by one, or build a whole package.
 * `npm test` skips them, `npm run test:full` runs them all, and `.ci/run` runs a few, chosen by the commit.
 */
export const longProofs: readonly string[] = [
  'test/analysis/flood-generated.test.ts',
  'test/generation/lost-sandbox.test.ts',
  'test/kinds/fix-in-time.test.ts',
  'test/packaging/pack.test.ts',
  'test/pipeline/model-faults.test.ts',
  'test/queues/redis-faults.test.ts',
  'test/queues/topologies.test.ts',
  'test/queues/worker-faults.test.ts',
  'test/system/crowds.test.ts',
  'test/system/faults-named-redis.test.ts',
  'test/system/faults-named.test.ts',
  'test/system/faults.test.ts',
  'test/system/mixed-releases.test.ts',
  'test/system/model-outages.test.ts',
  'test/system/redis-outages.test.ts',
  'test/system/sandbox-outages.test.ts',
  'test/system/ten-faults.test.ts',
];

/** The number of files to choose. */
const drawn = 5;

/** Chooses some of the long proofs. The same text always gives the same files. */
export function drawnBy(text: string): string[] {
  const rank = (file: string) => createHash('sha256').update(`${text} ${file}`).digest('hex');
  return longProofs.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1)).slice(0, drawn);
}
