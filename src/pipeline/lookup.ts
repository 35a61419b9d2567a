import type { HandlerRecord } from '../contract/handler.ts';
import { recordFault } from '../hosting/load-handler.ts';
import { canonicalJson } from '../kernel/digest.ts';
import type { Json } from '../kernel/json.ts';
import { typesFor } from './brief.ts';
import type { Ledger } from './ledger.ts';
import type { Measure } from './measure.ts';
import { mergeProof, proofOf } from './proof.ts';
import { prove } from './prove.ts';
import { verifierVersion } from './verifier-version.ts';
import type { Workshop } from './workshop.ts';

/** Stored handlers tried for one job; the newest is seldom wrong, and each costs the runs of all cases. */
const maxTried = 3;

/** Finds a stored handler that passes this job's cases (ANP's 0-RTT); `null` where there is none. One that fails stays stored, as it was. */
export async function lookup(
  measure: Measure,
  key: string,
  shop: Workshop,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<HandlerRecord | null> {
  const { tenant } = measure.cleared.job;
  const stored = await ledger.stage('lookup', () => shop.handlers.find(tenant, key));
  for (const record of stored.slice(0, maxTried)) {
    if (recordFault(record) !== undefined) continue;
    const { sound, cases, checks } = await prove(record, measure, shop, ledger, signal);
    if (!sound) continue;
    ledger.reused = true;
    ledger.verification = cases.length > 0 ? 'negotiated' : 'schema-only';
    ledger.cases = cases;
    ledger.checks = checks.length > 0 ? checks : record.provenance.checks;
    // Nothing about it was new: the record stands as it is.
    if (checks.length === 0 && hasSchemas(record, measure)) {
      await shop.handlers.touch(record, key);
      return record;
    }
    const known: HandlerRecord = {
      ...record,
      // What the host holds it to is what this job's agreement says, wherever the record came from.
      ...measure.schemas,
      types: await typesFor(measure),
      proof: mergeProof(proofOf(measure), record.proof),
      provenance: { ...record.provenance, verifierVersion, checks: ledger.checks },
    };
    await shop.handlers.put(known, key);
    return known;
  }
  return null;
}

function hasSchemas(record: HandlerRecord, { schemas }: Measure): boolean {
  const { requestSchema, responseSchema, taskInputSchema, taskOutputSchema, toolSchemas } = record;
  const own = { requestSchema, responseSchema, taskInputSchema, taskOutputSchema, toolSchemas };
  return canonicalJson(own as unknown as Json) === canonicalJson({ ...own, ...schemas } as unknown as Json);
}
