import type { Job } from '../../contract/job.ts';
import { CaseValidation } from '../../documents/case-validation.ts';
import type { Json } from '../../kernel/json.ts';
import { escapedLine } from '../../kernel/quote.ts';
import { jsonIn, jsonOf } from './codec.ts';
import { type Fault, fault } from './fault.ts';
import { frame, MAX_FRAME_BYTES, unframe, utf8Text } from './frame.ts';
import type { ProtocolNegotiation, TestCasesNegotiation } from './messages.ts';
import { readAgreement } from './read.ts';

/** Whether the messages of a protocol are JSON values or texts. */
export type Payload = 'json' | 'text';

/** A test case that both sides accepted. */
export interface AgreedCase {
  /** From 1. */
  testCase: number;
  request: Json;
  response: Json;
}

/** A request as a verification message. */
export interface VerificationRequest {
  testCase: number;
  bytes: Uint8Array;
}

/** An exchange of frames, as the `exchanges` of an `observe` job hold it: base64 of whole frames with their headers. */
export interface FramedExchange {
  testCase: number;
  framed: true;
  request: string;
  response: string;
}

/** How a run ended; `HandlerResult` of `protosmith/sandbox` is one. */
export interface RunResult {
  end: string;
  value?: Json;
  message?: string;
}

/**
 * The cases of an accepted agreement, and whether its messages are JSON or texts. Further cases that we proposed are
 * among them once the peer has accepted them. Faults: `not-accepted`, `cases` (some case cannot be read).
 */
export function agreedCases(
  agreement: ProtocolNegotiation,
  { testCases, status }: TestCasesNegotiation,
  given: Partial<Pick<Job, 'payload' | 'baseProtocols'>> = {},
): { ok: true; cases: AgreedCase[]; payload: Payload } | Fault {
  if (agreement.status !== 'accepted' || status !== 'accepted') {
    const pointer = agreement.status === 'accepted' ? '/testCases/status' : '/agreement/status';
    return fault('not-accepted', `Cannot verify agreement at \`${pointer}\`: not accepted, wanted "accepted"`, pointer);
  }
  const texts = { document: agreement.candidateProtocols, cases: testCases };
  const { baseProtocols = {}, payload: wanted } = given;
  const { cases, payload, faults } = readAgreement(texts, {
    payload: wanted,
    baseProtocols,
    validation: new CaseValidation(),
  });
  const [first] = faults;
  if (first !== undefined) return fault('cases', first.finding.message);
  return {
    ok: true,
    cases: cases.map(({ testCase, request, response }) => ({ testCase, request, response })),
    payload,
  };
}

/**
 * The requests of cases as verification messages (type 11), in order. Send them one after the other: an answer has the
 * format of the agreed protocol, and need not say which request it answers. Faults: `json`, `unicode`, `too-large`.
 */
export function verificationRequests(
  cases: readonly AgreedCase[],
  payload: Payload = 'json',
): { ok: true; requests: VerificationRequest[] } | Fault {
  const requests: VerificationRequest[] = [];
  for (const { testCase, request } of cases) {
    const written = payloadBytes(request, payload);
    if (!written.ok) return written;
    requests.push({ testCase, bytes: frame('verification', written.data) });
  }
  return { ok: true, requests };
}

/**
 * Answers a verification message with the result of a run, such as `(request) => handler.run(request)`; never rejects.
 * Give the handler tools for tests: a verification must have no effects. Faults: `empty`, `too-large`, `type` (no
 * verification message), `unicode`, `json`, `handler` (the run failed, so there is nothing to answer).
 */
export async function answerVerification(
  bytes: Uint8Array,
  run: (request: Json) => RunResult | Promise<RunResult>,
  payload: Payload = 'json',
): Promise<{ ok: true; bytes: Uint8Array } | Fault> {
  const read = unframe(bytes);
  if (!read.ok) return read;
  if (read.type !== 'verification')
    return fault('type', `Cannot answer frame: found type ${read.type}, wanted verification`);
  const request = payloadIn(read.data, payload);
  if (!request.ok) return request;
  let answer: Json;
  try {
    const { end, value, message } = await run(request.value);
    if (end !== 'returned' || value === undefined) return noAnswer(message ?? end);
    answer = value;
  } catch (error) {
    return noAnswer(error instanceof Error ? error.message : 'an error');
  }
  const written = payloadBytes(answer, payload);
  return written.ok ? { ok: true, bytes: frame('verification', written.data) } : written;
}

/** A request and the frame that answered it, for the `exchanges` of an `observe` job. */
export function framedExchange({ testCase, bytes }: VerificationRequest, answer: Uint8Array): FramedExchange {
  return { testCase, framed: true, request: base64(bytes), response: base64(answer) };
}

/** The payload in the data of a frame: a JSON value, or a text. Faults: `unicode`, `json`, `too-large`. */
export function payloadIn(data: Uint8Array, payload: Payload): { ok: true; value: Json } | Fault {
  const text = utf8Text(data);
  if (text === undefined) return fault('unicode', 'Cannot read payload: found bytes that are not UTF-8, wanted a text');
  return payload === 'text' ? { ok: true, value: text } : jsonIn(text, {});
}

function payloadBytes(value: Json, payload: Payload): { ok: true; data: Uint8Array } | Fault {
  const written = payload === 'text' ? textOf(value) : jsonOf(value);
  if (!written.ok) return written;
  const data = new TextEncoder().encode(written.text);
  if (data.length < MAX_FRAME_BYTES) return { ok: true, data };
  return fault('too-large', `Cannot write payload: found ${data.length} bytes, wanted fewer than ${MAX_FRAME_BYTES}`);
}

function textOf(value: Json): { ok: true; text: string } | Fault {
  if (typeof value !== 'string')
    return fault('json', 'Cannot write payload: found a value that is not a text, wanted a text');
  if (value.isWellFormed()) return { ok: true, text: value };
  return fault('unicode', 'Cannot write payload: found half a surrogate pair, wanted Unicode');
}

function noAnswer(found: string): Fault {
  return fault(
    'handler',
    `Cannot answer frame: the handler gave no answer (${escapedLine(found.slice(0, 500))}), wanted an answer`,
  );
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}
