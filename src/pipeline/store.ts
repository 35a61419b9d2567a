import { HANDLER_ABI, type HandlerRecord } from '../contract/handler.ts';
import { handlerDigest } from '../hosting/load-handler.ts';
import { canonicalDigest } from '../kernel/digest.ts';
import { PROMPT_VERSION } from '../prompting/system-prompt.ts';
import { protosmithVersion } from '../version.ts';
import type { Tested } from './attempt.ts';
import type { Brief } from './brief.ts';
import type { Workshop } from './workshop.ts';

/** Names what a handler was verified with; it changes with the checks. */
export const verifierVersion = '1';

/** Puts a verified handler into the store, under the digest of its content. Rejects with `PLATFORM_REDIS_…` where that cannot be done. */
export async function store(
  tested: Tested,
  { cleared, types, schemas, subject }: Brief,
  jobId: string,
  shop: Workshop,
): Promise<HandlerRecord> {
  const { job, agreement, amendments } = cleared;
  const content = { abi: HANDLER_ABI, role: job.role, bundle: tested.bundle, tools: tested.tools };
  const record: HandlerRecord = {
    digest: handlerDigest(content),
    ...content,
    amendments,
    source: tested.source,
    types,
    payload: agreement.payload,
    ...schemas,
    timeoutMs: agreement.timeoutMs,
    provenance: {
      tenant: job.tenant,
      family: job.family,
      protocolHash: agreement.protocolHash,
      jobId,
      model: tested.model,
      generator: shop.completer.generator,
      promptVersion: PROMPT_VERSION,
      verifierVersion,
      protosmithVersion: protosmithVersion(),
      createdAtMs: Date.now(),
      cases: subject.cases.map(({ request, response }) => canonicalDigest({ request, response })),
    },
  };
  await shop.handlers.put(record);
  return record;
}
