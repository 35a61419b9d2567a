import { type Accepted, acceptEnvelope, type Refusals } from './accept.ts';

/** A request to an agent's endpoint, with the names of its headers in lower case. */
export interface SubmitRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: string | Uint8Array;
}

/** The endpoint's answer; with `accepted`, a message was accepted. */
export interface SubmitAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  accepted?: Accepted;
  /** Whether the peer waits for the reply: then the body of the answer is its envelope. */
  isAwaited?: boolean;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/**
 * Answers a request to `/submit` as the peers' own endpoint does. Whoever serves it sends the answer, or waits with
 * it if it `isAwaited`.
 */
export function answerSubmit(
  { method, path, headers, body }: SubmitRequest,
  addresses: readonly string[],
  refusals: Refusals = {},
): SubmitAnswer {
  if (method === 'OPTIONS') return { status: 204, headers: {}, body: '' };
  if (path !== '/submit') return failed(404, 'not found');
  if (method === 'HEAD') return readiness(headers['x-uagents-address'], addresses);
  const type = headers['content-type'];
  if (type === undefined && headers['user-agent'] !== undefined)
    return { status: 200, headers: JSON_HEADERS, body: '{"status": "OK - Agent is running"}' };
  if (type === undefined) return failed(400, 'missing header: content-type');
  if (!type.includes('application/json')) return failed(400, 'invalid content-type');
  const accepted = acceptEnvelope(body, addresses, refusals);
  if (!accepted.ok) return failed(accepted.status, accepted.error);
  const isAwaited = headers['x-uagents-connection'] === 'sync';
  return { status: 200, headers: JSON_HEADERS, body: '{}', accepted, isAwaited };
}

function readiness(address: string | undefined, addresses: readonly string[]): SubmitAnswer {
  const found = address !== undefined && addresses.includes(address) ? 'ready' : 'not-ready';
  const status = address === undefined ? 'indeterminate' : found;
  const hint = status === 'ready' ? { 'x-uagents-response-time-hint': '5' } : {};
  return { status: 200, headers: { 'x-uagents-status': status, ...hint }, body: '' };
}

function failed(status: number, error: string): SubmitAnswer {
  return { status, headers: JSON_HEADERS, body: `{"error": ${JSON.stringify(error)}}` };
}
