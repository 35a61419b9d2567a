import assert from 'node:assert/strict';
import { readJob } from '../../src/intake/read-job.ts';
import { EarlyEnd } from '../../src/job/conclusion.ts';
import { Ledger } from '../../src/job/ledger.ts';
import type { Received } from '../../src/job/received.ts';
import { observePath } from '../../src/kinds/observe-path.ts';
import { told } from '../told.ts';

/** The end of a job about observed exchanges. */
export async function observed(data: object) {
  const reading = readJob('observe', data);
  assert.ok(reading.ok, JSON.stringify(reading));
  try {
    const services = undefined as never;
    const end = await observePath(
      { job: reading.job } as Received,
      services,
      new Ledger({ jobId: 'job', negotiationId: null }, () => undefined),
    );
    return told(end, 'observe', data);
  } catch (error) {
    if (error instanceof EarlyEnd) return told(error.conclusion, 'observe', data);
    throw error;
  }
}
