/** The envelope as this folder uses it: the members of its stream entry. outcome.schema.json has all of them. */
export interface Envelope {
  kind: string | null;
  negotiationId: string | null;
  /** `null` or absent if the job's data do not say. */
  tenant?: string | null;
  protocolHash: string | null;
  verdict: 'generated' | 'clean' | 'disputed' | 'error';
  messages: readonly object[];
  findings: readonly object[];
}

/**
 * A published envelope: with the job's id and the digest of its data, which is `null` if the writer did not know the
 * data.
 */
export interface PublishedEnvelope extends Envelope {
  jobId: string;
  dataDigest: string | null;
}

/** Why a job ends without a verdict. */
export interface Reason {
  code: string;
  message: string;
  /** Where in the job's data the fault is, as a JSON pointer. */
  pointer?: string;
}

/** The code of the finding with which a reader closes its job. */
export const READER_DEADLINE = 'READER_DEADLINE';

/** The reason for a job that BullMQ itself failed. */
export function givenUp(failedReason: string): Reason {
  return {
    code: 'PLATFORM_JOB_GIVEN_UP',
    message: `Cannot finish job: found "${failedReason.slice(0, 120)}", wanted a worker to survive it`,
  };
}

/** Whether a reader closed the job because it stopped waiting. */
export function isClosedByReader(envelope: Envelope): boolean {
  return envelope.findings.some((finding) => Object(finding).code === READER_DEADLINE);
}

/**
 * Whether an outcome may belong to a job with this kind and data; an outcome that names neither matches any.
 */
export function isOutcomeOf(envelope: PublishedEnvelope, kind: string, dataDigest: string): boolean {
  return (envelope.dataDigest ?? dataDigest) === dataDigest && (envelope.kind ?? kind) === kind;
}

/** The codes of an envelope's errors, each once; a code is one word in capitals. */
export function errorCodesOf({ findings }: Pick<Envelope, 'findings'>): string[] {
  const codes = findings.flatMap((finding) => {
    const { severity, code }: { severity?: unknown; code?: unknown } = finding;
    return severity === 'error' && typeof code === 'string' && /^[A-Z][A-Z_]{1,60}$/.test(code) ? [code] : [];
  });
  return [...new Set(codes)];
}

/** The envelope with the announced messages first. */
export function withAnnounced<E extends Envelope>(envelope: E, announced: readonly object[]): E {
  const { messages } = envelope;
  const has = JSON.stringify(messages.slice(0, announced.length)) === JSON.stringify(announced);
  return has ? envelope : { ...envelope, messages: [...announced, ...messages] };
}

/**
 * Reads a published envelope. Its writer may be a reader in another language: missing lists become empty, missing facts
 * of the job `null`. Returns `null` if the text is not an envelope.
 */
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
