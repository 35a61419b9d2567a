/** The envelope as this folder sees it: what its stream entry needs, and the rest as it comes (outcome.schema.json). */
export interface Envelope {
  kind: string | null;
  negotiationId: string | null;
  protocolHash: string | null;
  verdict: 'generated' | 'clean' | 'disputed' | 'error';
  messages: readonly object[];
  findings: readonly object[];
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
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || !('verdict' in parsed) || typeof parsed.verdict !== 'string')
    return null;
  const { negotiationId, kind, protocolHash, messages, findings, dataDigest }: Record<string, unknown> = { ...parsed };
  const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    ...parsed,
    negotiationId: textOrNull(negotiationId),
    kind: textOrNull(kind),
    protocolHash: textOrNull(protocolHash),
    messages: Array.isArray(messages) ? messages : [],
    findings: Array.isArray(findings) ? findings : [],
    dataDigest: textOrNull(dataDigest),
  } as unknown as PublishedEnvelope;
}
