import type { HandlerRecord } from '../contract/handler.ts';
import type { Job } from '../contract/job.ts';
import { familyOf } from '../families/families.ts';
import { recordFault } from '../hosting/load-handler.ts';
import { EarlyEnd, jobFinding } from '../job/conclusion.ts';
import type { Services } from '../job/services.ts';
import { type Code, CodedError } from '../kernel/errors.ts';

/**
 * The stored handler that a job names by its digest. Throws `EarlyEnd` with `error` if it is not stored, was
 * withdrawn, or was made for another agreement or role. Throws `PLATFORM_HANDLER_CORRUPT` if the record does
 * not match its digest.
 */
export async function namedHandler(job: Job, services: Services): Promise<HandlerRecord> {
  const digest = job.handlerDigest ?? '';
  const family = familyOf(job);
  const protocolHash = family.hashOf(family.open(job).document);
  const record = await services.handlers.get(job.tenant, digest);
  if (record === null)
    throw refused('JOB_HANDLER_UNKNOWN', `found no handler ${digest} of tenant "${job.tenant}", wanted a stored one`);
  const reason = await services.handlers.withdrawnFor(job.tenant, digest);
  if (reason !== null) throw refused('JOB_HANDLER_UNKNOWN', `found handler ${digest} withdrawn, wanted one in service`);
  if (record.role !== job.role || record.provenance.protocolHash !== protocolHash) {
    throw refused(
      'JOB_HANDLER_MISMATCH',
      `found a handler for the ${record.role} of agreement ${record.provenance.protocolHash}, wanted one for the ${job.role} of ${protocolHash}`,
    );
  }
  const fault = recordFault(record);
  if (fault !== undefined) throw new CodedError('PLATFORM_HANDLER_CORRUPT', `Cannot use handler: ${fault}`);
  return record;
}

function refused(code: Code, found: string): EarlyEnd {
  return EarlyEnd.failed(jobFinding(code, `Cannot accept job at /handlerDigest: ${found}`, '/handlerDigest'));
}
