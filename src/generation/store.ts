import { HANDLER_ABI, type HandlerRecord } from '../contract/handler.ts';
import type { Report } from '../contract/outcome.ts';
import type { ReadingWork } from '../deriving/reading-work.ts';
import { proofOf } from '../handlers/proof.ts';
import { verifierVersion } from '../handlers/verifier-version.ts';
import { handlerDigest } from '../hosting/load-handler.ts';
import type { Ledger } from '../job/ledger.ts';
import type { Requirements } from '../job/requirements.ts';
import type { Services } from '../job/services.ts';
import { sha256Hex } from '../kernel/digest.ts';
import { CodedError } from '../kernel/errors.ts';
import { PROMPT_VERSION } from '../prompting/system-prompt.ts';
import { protosmithVersion } from '../version.ts';
import { type Assignment, typesFor } from './assignment.ts';
import type { Tested } from './lane-candidate.ts';

/**
 * Stores a verified handler under the digest of its content, which includes what it was verified for. Rejects with
 * `PLATFORM_REDIS_…` if Redis fails, and with `OPERATOR_HANDLER_WITHDRAWN` if an operator has withdrawn this
 * handler.
 */
export async function store(
  tested: Tested,
  assignment: Assignment,
  key: string,
  ledger: Ledger,
  services: Services,
  reading: ReadingWork,
): Promise<HandlerRecord> {
  const { cleared, types, schemas } = assignment;
  const { job, agreement, amendments } = cleared;
  const content = { abi: HANDLER_ABI, role: job.role, bundle: bundleFor(key, tested.bundle), tools: tested.tools };
  const record: HandlerRecord = {
    digest: handlerDigest(content),
    ...content,
    amendments,
    source: tested.source,
    types,
    payload: agreement.payload,
    ...schemas,
    timeoutMs: reading.current().reading.waitMs ?? null,
    provenance: {
      tenant: job.tenant,
      family: job.family,
      protocolHash: agreement.protocolHash,
      jobId: ledger.jobId,
      model: tested.model,
      generator: services.completer.generator,
      promptVersion: PROMPT_VERSION,
      verifierVersion,
      protosmithVersion: protosmithVersion(),
      createdAtMs: Date.now(),
      checks: tested.checks,
      report: keptReport(ledger.report()),
    },
    proof: proofOf(assignment),
  };
  const stored = await put(withReading(record, reading), key, services);
  ledger.tell({ type: 'stored', digest: stored.digest, bundleDigest: sha256Hex(stored.bundle), reused: false });
  return stored;
}

/** Adds the reading that judged a handler to its record, if there is one. */
export function withReading(record: HandlerRecord, reading: ReadingWork): HandlerRecord {
  const kept = reading.kept();
  return kept.reading.derived.length === 0 && kept.covered === 0
    ? record
    : { ...record, proof: { ...record.proof, reading: kept } };
}

/**
 * Most characters of an attempt's message that are stored with a handler. The job's outcome has the whole message,
 * while it is kept.
 */
const maxMessageCharacters = 200;

/**
 * The report that is stored with a handler: without the checks, which the record has already, and with short messages
 * of attempts.
 */
function keptReport({ checks: _, ...report }: Report): Omit<Report, 'checks'> {
  const attempts = report.attempts.map((attempt) =>
    attempt.message === undefined ? attempt : { ...attempt, message: attempt.message.slice(0, maxMessageCharacters) },
  );
  return { ...report, attempts };
}

/**
 * Stores a handler again that satisfies its agreement with further amendments: the same code with other schemas is
 * another handler. Rejects as `store` does.
 */
export async function storeAmended(
  { abi, role, tools, ...record }: HandlerRecord,
  requirements: Requirements,
  key: string,
  services: Services,
): Promise<HandlerRecord> {
  const { cleared, schemas } = requirements;
  const content = { abi, role, bundle: bundleFor(key, record.bundle), tools };
  const amended = { ...schemas, types: await typesFor(requirements, services), amendments: cleared.amendments };
  return put({ ...record, ...content, ...amended, digest: handlerDigest(content) }, key, services);
}

const firstLine = /^\/\/ for [0-9a-f]{64}\n/;

/**
 * Marks the bundle with its look-up key: otherwise the same code for another agreement would have the same digest, and
 * its record would replace this one.
 */
function bundleFor(key: string, bundle: string): string {
  return `// for ${key}\n${bundle.replace(firstLine, '')}`;
}

async function put(record: HandlerRecord, key: string, services: Services): Promise<HandlerRecord> {
  if ((await services.handlers.withdrawnFor(record.provenance.tenant, record.digest)) !== null) {
    throw new CodedError(
      'OPERATOR_HANDLER_WITHDRAWN',
      `Cannot serve handler ${record.digest}: it was withdrawn, wanted another`,
    );
  }
  await services.handlers.put(record, key);
  return record;
}
