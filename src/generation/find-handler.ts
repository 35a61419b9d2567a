import type { HandlerRecord } from '../contract/handler.ts';
import { startReading } from '../deriving/read.ts';
import { mergeProof, proofOf } from '../handlers/proof.ts';
import { verifierVersion } from '../handlers/verifier-version.ts';
import { recordFault } from '../hosting/load-handler.ts';
import type { JobContext } from '../job/ask.ts';
import type { Solved } from '../job/conclusion.ts';
import type { Requirements } from '../job/requirements.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { canonicalJson, sha256Hex } from '../kernel/digest.ts';
import type { Json } from '../kernel/json.ts';
import { assignmentFor, typesFor } from './assignment.ts';
import { finishReading } from './finish-reading.ts';
import { prove } from './prove.ts';

/** Most stored handlers tried for one job. The newest rarely fails, and each one tried costs a run of all cases. */
const maxTried = 3;

/**
 * Finds a stored handler that passes this job's cases (ANP's 0-RTT); `null` if there is none. A handler that
 * fails stays stored. A handler that no whole reading has judged is served, and judged after the outcome; if a
 * whole reading is required, it is not served.
 */
export async function findHandler(
  requirements: Requirements,
  key: string,
  context: JobContext,
  workDeadline: Deadline,
  peerDeadline: Deadline,
): Promise<Solved | null> {
  const { services, ledger } = context;
  const { tenant } = requirements.cleared.job;
  const stored = await ledger.stage('lookup', () => services.handlers.find(tenant, key));
  for (const record of stored.slice(0, maxTried)) {
    if (recordFault(record) !== undefined) continue;
    const isRead = record.proof.reading?.complete === true;
    if (services.readingMode === 'required' && !isRead) continue;
    const { sound, cases, checks } = await prove(record, requirements, services, ledger, workDeadline.signal);
    if (!sound) continue;
    ledger.reused = true;
    ledger.cases = cases;
    ledger.checks = checks.length > 0 ? checks : record.provenance.checks;
    ledger.reading = keptReport(record, services.readingMode);
    ledger.verification = cases.length > 0 ? 'negotiated' : (record.provenance.report?.verification ?? 'schema-only');
    const handler = await refreshedRecord(record, requirements, checks.length > 0, key, context);
    ledger.tell({ type: 'stored', digest: handler.digest, bundleDigest: sha256Hex(handler.bundle), reused: true });
    const isFinished = isRead || services.readingMode !== 'late';
    return isFinished
      ? { handler }
      : { handler, later: () => readLater(handler, requirements, context, workDeadline, peerDeadline, key) };
  }
  return null;
}

/**
 * Updates the record with what this job verified, and returns it. A record that learns nothing new only gets its
 * retention renewed.
 */
async function refreshedRecord(
  record: HandlerRecord,
  requirements: Requirements,
  isChecked: boolean,
  key: string,
  { services, ledger }: JobContext,
): Promise<HandlerRecord> {
  if (!isChecked && hasSchemas(record, requirements)) {
    await services.handlers.touch(record, key);
    return record;
  }
  const handler: HandlerRecord = {
    ...record,
    // The host validates against this job's agreement, whichever job the record came from.
    ...requirements.schemas,
    types: await typesFor(requirements, services),
    proof: mergeProof(proofOf(requirements), record.proof),
    provenance: { ...record.provenance, verifierVersion, checks: ledger.checks },
  };
  await services.handlers.put(handler, key);
  return handler;
}

/** Reads the agreement of a handler that was made without a whole reading, and judges the handler by it. */
async function readLater(
  record: HandlerRecord,
  requirements: Requirements,
  context: JobContext,
  workDeadline: Deadline,
  peerDeadline: Deadline,
  key: string,
): ReturnType<typeof finishReading> {
  const { ledger, services } = context;
  const reading = startReading(requirements, context, workDeadline);
  const assignment = await assignmentFor(requirements, services);
  const { source, bundle, tools, provenance } = record;
  const tested = { source, bundle, tools, model: provenance.model, cases: ledger.cases, checks: ledger.checks };
  return finishReading(record, tested, { ...context, assignment, reading, deadline: workDeadline, peerDeadline }, key);
}

/** The report on the reading that a stored handler was judged by. */
function keptReport(
  { proof, provenance }: HandlerRecord,
  mode: string,
): ReturnType<JobContext['ledger']['report']>['reading'] {
  const earlier = provenance.report?.reading;
  const { reading: kept } = proof;
  if (kept === undefined) return earlier ?? null;
  const { reader, derived } = kept.reading;
  return {
    confirmed: 0,
    contested: 0,
    questions: [],
    ...earlier,
    state: mode === 'off' && !kept.complete ? 'off' : kept.complete ? 'complete' : 'partial',
    complete: kept.complete,
    reader: reader.name,
    units: kept.units,
    covered: kept.covered,
    derived: derived.length,
    dropped: kept.dropped,
  };
}

function hasSchemas(record: HandlerRecord, { schemas }: Requirements): boolean {
  const { requestSchema, responseSchema, interactions, taskInputSchema, taskOutputSchema, toolSchemas } = record;
  const stored = { requestSchema, responseSchema, interactions, taskInputSchema, taskOutputSchema, toolSchemas };
  return canonicalJson(stored as unknown as Json) === canonicalJson({ ...stored, ...schemas } as unknown as Json);
}
