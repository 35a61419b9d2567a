import assert from 'node:assert/strict';
import { readJob } from '../../queues/index.ts';
import type { Received } from '../../src/intake/intake.ts';
import { Leave } from '../../src/job/leave.ts';
import { Ledger } from '../../src/job/ledger.ts';
import { observePath } from '../../src/kinds/observe-path.ts';

/** The end of a job about what was seen on the wire. */
export async function observed(data: object) {
  const reading = readJob('observe', data);
  assert.ok(reading.ok, JSON.stringify(reading));
  try {
    const shop = undefined as never;
    return await observePath(
      { job: reading.job } as Received,
      shop,
      new Ledger({ jobId: 'job', negotiationId: null }, () => undefined),
    );
  } catch (error) {
    if (error instanceof Leave) return error.conclusion;
    throw error;
  }
}
