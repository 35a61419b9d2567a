import type { Case } from './agreement.ts';
import type { Finding } from './finding.ts';

/** The language of a text for a peer. */
export type Language = 'en' | 'zh';

/** A statement to a peer, independent of any protocol; a family turns it into protocol messages. */
export type Statement =
  /** The handler is ready. */
  | { what: 'generated' }
  /** There will be no handler. */
  | { what: 'failed' }
  /** The agreement contradicts itself. */
  | { what: 'dispute'; findings: readonly Finding[] }
  /** The peer's complaint is accepted or rejected. */
  | { what: 'complaint-accepted'; findings: readonly Finding[] }
  | { what: 'complaint-rejected'; findings: readonly Finding[] }
  /** A counter-offer: the document, or its cases, with findings resolved in the text. */
  | { what: 'amended-document'; text: string; settled: readonly Finding[] }
  | { what: 'amended-cases'; text: string; settled: readonly Finding[] }
  /** An offer: the agreed cases, with more cases appended. */
  | { what: 'further-cases'; text: string; added: readonly Pick<Case, 'testCase' | 'expected'>[] };
