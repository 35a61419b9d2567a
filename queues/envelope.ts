import type { Json, Readable } from './job.ts';
import { sha256Hex } from './job-id.ts';
import { readableOf } from './readable.ts';

/** The envelope as this folder sees it: what its stream entry needs, and the rest as it comes (outcome.schema.json). */
export interface Envelope extends Omit<Readable, 'replyTo'> {
  verdict: 'generated' | 'clean' | 'disputed' | 'error';
  messages: readonly object[];
  proposals?: readonly object[];
  protocolHash: string | null;
  handler: object | null;
  findings: readonly object[];
  report: object;
}

/** An envelope as it lies under its key: the job's own id and the digest of its data added. `dataDigest` is null where whoever closed the job did not know its data. */
export interface PublishedEnvelope extends Envelope {
  jobId: string;
  dataDigest: string | null;
}

/** Why a job ends without a verdict on the matter. */
export interface Reason {
  code: string;
  message: string;
  /** Where in the job's data it stands, as a JSON pointer. */
  pointer?: string;
}

/** The code of the finding with which a reader closes its job. */
export const READER_DEADLINE = 'READER_DEADLINE';

/** The `error` envelope of a job that nobody could work on to the end, made of what can be read of its data. */
export function errorEnvelope(kind: string, data: unknown, reason: Reason): Envelope {
  const { replyTo: _, ...readable } = readableOf(kind, data);
  const silent = readable.kind === 'review' || readable.kind === 'observe';
  return {
    ...readable,
    verdict: 'error',
    messages: silent ? [] : [{ action: 'codeGeneration', status: 'error' }],
    protocolHash: protocolHashOf(data),
    handler: null,
    findings: [{ ...reason, severity: 'error', in: 'job' }],
    report: {
      verification: null,
      reused: false,
      cases: [],
      checks: [],
      attempts: [],
      usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: null },
      usageByPurpose: {},
      reading: null,
      timings: {},
      generator: { kind: 'none', model: null },
      trialSeed: null,
    },
  };
}

/** Why a job that BullMQ itself ended has no verdict. */
export function givenUp(failedReason: string): Reason {
  return {
    code: 'PLATFORM_JOB_GIVEN_UP',
    message: `Cannot finish job: found "${failedReason.slice(0, 120)}", wanted a worker to survive it`,
  };
}

/** Says whether a reader closed the job because it waits no longer. */
export function isClosedByReader(envelope: Envelope): boolean {
  return envelope.findings.some((finding) => Object(finding).code === READER_DEADLINE);
}

/** Whether an outcome is that of a job of this kind and these data, as far as it says whose it is. */
export function isOutcomeOf(envelope: PublishedEnvelope, kind: string, dataDigest: string): boolean {
  return (envelope.dataDigest ?? dataDigest) === dataDigest && (envelope.kind ?? kind) === kind;
}

/** An envelope whose messages begin with those that were announced before it. */
export function withAnnounced<E extends Envelope>(envelope: E, announced: readonly object[]): E {
  const { messages } = envelope;
  const has = JSON.stringify(messages.slice(0, announced.length)) === JSON.stringify(announced);
  return has ? envelope : { ...envelope, messages: [...announced, ...messages] };
}

/** Reads a published envelope; of what its writer, a reader in some other language, left out, lists are empty, and what tells of the job is `null`. `null` where the text is none. */
export function readEnvelope(text: string): PublishedEnvelope | null {
  let parsed: Json;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed) || typeof parsed.verdict !== 'string') {
    return null;
  }
  const { messages, findings, dataDigest } = parsed;
  const textOrNull = (value: Json | undefined) => (typeof value === 'string' ? value : null);
  return {
    ...parsed,
    negotiationId: textOrNull(parsed.negotiationId),
    kind: textOrNull(parsed.kind),
    protocolHash: textOrNull(parsed.protocolHash),
    messages: Array.isArray(messages) ? messages : [],
    findings: Array.isArray(findings) ? findings : [],
    dataDigest: textOrNull(dataDigest),
  } as unknown as PublishedEnvelope;
}

/** The hash of the agreement, where its text can be read. */
export function protocolHashOf(data: unknown): string | null {
  const agreement = typeof data === 'object' && data !== null && 'agreement' in data ? data.agreement : undefined;
  const named = typeof agreement === 'object' && agreement !== null && 'candidateProtocols' in agreement;
  const text = named ? agreement.candidateProtocols : agreement;
  return typeof text === 'string' && text.isWellFormed() ? sha256Hex(text) : null;
}
