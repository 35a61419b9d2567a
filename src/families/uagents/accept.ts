import { type Envelope, readEnvelope, verifyEnvelope } from './envelope.ts';
import { decodePayload } from './payload-text.ts';

/** What to refuse in addition to what the peers' own endpoint refuses; by default nothing. */
export interface Refusals {
  /**
   * The current time in seconds since 1970. Expired envelopes, and those that never expire, are then refused.
   */
  expiredAt?: number | bigint;
  /**
   * Says whether the pair of a sender and its nonce came before, and remembers it; asked only of envelopes whose
   * sender is known. An envelope without a nonce is refused as well: its digest is that of one whose nonce stands in
   * `expires`.
   */
  repeats?: (sender: string, nonce: bigint) => boolean;
  /** Senders that nobody verifies: those whose address begins with `user`. */
  unverified?: boolean;
}

/** An accepted envelope, with the JSON text of its message. */
export interface Accepted {
  ok: true;
  envelope: Envelope;
  text: string;
  /** `false` if the address begins with `user`: the peers verify no such sender, and it may be anybody. */
  isVerified: boolean;
}

/** Why an envelope was not accepted, with the answer of the peers' own endpoint. */
export interface Refused {
  ok: false;
  fault: 'unreadable' | 'unverified' | 'unroutable' | 'expired' | 'repeated' | 'payload';
  /** The HTTP status of the answer. */
  status: 400 | 500;
  error: string;
}

/**
 * Takes an envelope in for the agents of these addresses, as the peers' own endpoint does. Never throws, unless
 * `repeats` does.
 */
export function acceptEnvelope(
  body: string | Uint8Array,
  addresses: readonly string[],
  refusals: Refusals = {},
): Accepted | Refused {
  const read = readEnvelope(body);
  if (!read.ok) return refused('unreadable', read.error);
  const { envelope } = read;
  const verified = verifyEnvelope(envelope);
  if (!verified.ok) return refused('unverified', verified.error);
  const isVerified = verified.sender === 'agent';
  if (refusals.unverified === true && !isVerified)
    return refused('unverified', 'Message must be sent from verified agent address');
  if (!addresses.includes(envelope.target)) return refused('unroutable', 'unable to route envelope');
  const payload = decodePayload(envelope.payload);
  if (!payload.ok) return refused('payload', payload.error, 500);
  const { expiredAt, repeats } = refusals;
  if (expiredAt !== undefined && (envelope.expires === null || envelope.expires <= expiredAt))
    return refused('expired', envelope.expires === null ? 'Envelope never expires' : 'Query envelope expired');
  if (repeats !== undefined) {
    if (envelope.nonce === null) return refused('repeated', 'Envelope nonce is missing');
    if (repeats(envelope.sender, envelope.nonce)) return refused('repeated', 'Envelope nonce came before');
  }
  return { ok: true, envelope, text: payload.text, isVerified };
}

function refused(fault: Refused['fault'], error: string, status: Refused['status'] = 400): Refused {
  return { ok: false, fault, status, error };
}
