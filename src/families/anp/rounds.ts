import { type Fault, type FaultKind, fault } from './fault.ts';
import type { ProtocolNegotiation } from './messages.ts';
import type { Quirk } from './quirks.ts';

/** Who connected, or who was connected to. */
export type Party = 'initiator' | 'responder';

/** Most rounds of a negotiation, as the specification recommends. */
export const MAX_ROUNDS = 10;

/** A negotiation so far. Start with `noRounds`. */
export interface Rounds {
  /** `open` while a document is offered or nothing was said. */
  state: 'open' | 'accepted' | 'rejected' | 'timeout';
  count: number;
  /** The number of the last round, and of the last one of each party. */
  last?: number;
  lastOf: Partial<Record<Party, number>>;
  /** The document that was offered last: once accepted, the agreement. */
  offer?: { document: string; by: Party };
}

/** A negotiation that has not begun. */
export const noRounds: Rounds = Object.freeze({ state: 'open', count: 0, lastOf: {} });

/** The quirks to tolerate (default: none), and the most rounds (default: `MAX_ROUNDS`). */
export interface RoundRules {
  quirks?: readonly Quirk[];
  maxRounds?: number;
}

/**
 * Checks whether a round may follow; returns the negotiation with it. `sequenceId` starts at 0 and rises by one with
 * every message. An acceptance repeats the exact document that the other party offered last. After it, a new offer may
 * reopen the negotiation, as after a dispute. A refusal ends it for good, and may also come after the last round.
 * Faults: `sequence`, `turn`, `document`, `rounds`, `closed`.
 */
export function follow(
  rounds: Rounds,
  message: ProtocolNegotiation,
  by: Party,
  rules: RoundRules = {},
): { ok: true; rounds: Rounds } | Fault {
  const { sequenceId, status, candidateProtocols: document } = message;
  if (rules.quirks?.includes('end-repeated') && repeatsEnd(rounds, message, by)) return { ok: true, rounds };
  const isOffer = status === 'negotiating';
  if (rounds.state !== 'open' && !(rounds.state === 'accepted' && isOffer))
    return refused('closed', `found ${status} after ${rounds.state}, wanted no further round`, 'status');
  const firsts = rules.quirks?.includes('rounds-from-one') ? [0, 1] : [0];
  const wanted = rounds.last === undefined ? firsts : [rounds.last + 1];
  if (!wanted.includes(sequenceId))
    return refused('sequence', `found ${sequenceId}, wanted ${wanted.join(' or ')}`, 'sequenceId');
  const maxRounds = rules.maxRounds ?? MAX_ROUNDS;
  const isRefusal = status === 'rejected' || status === 'timeout';
  if (!isRefusal && rounds.count >= maxRounds)
    return refused('rounds', `found round ${rounds.count + 1}, wanted at most ${maxRounds}`, 'sequenceId');
  const { offer } = rounds;
  if (!isRefusal && offer?.by === by && rounds.state === 'open')
    return refused('turn', `found a second message of the ${by}, wanted one of the other party`, 'status');
  if (status === 'accepted' && offer === undefined)
    return refused('turn', 'found an acceptance before any offer, wanted an offer', 'status');
  if (status === 'accepted' && offer?.document !== document)
    return refused('document', 'found another text than the offered one, wanted the same text', 'candidateProtocols');
  return {
    ok: true,
    rounds: {
      state: isOffer ? 'open' : status,
      count: rounds.count + 1,
      last: sequenceId,
      lastOf: { ...rounds.lastOf, [by]: sequenceId },
      ...(isOffer ? { offer: { document, by } } : offer === undefined ? {} : { offer }),
    },
  };
}

/** Whether a party repeats the end that the other party sent, with the number of its own last round. */
function repeatsEnd({ state, lastOf, last, offer }: Rounds, message: ProtocolNegotiation, by: Party): boolean {
  if (state === 'open' || message.status !== state) return false;
  if (message.sequenceId !== lastOf[by] || message.sequenceId === last) return false;
  return state !== 'accepted' || message.candidateProtocols === offer?.document;
}

function refused(kind: FaultKind, found: string, member: string): Fault {
  return fault(kind, `Cannot continue negotiation at \`/${member}\`: ${found}`, `/${member}`);
}
