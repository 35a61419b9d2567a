import type { Case } from './agreement.ts';
import type { Finding } from './finding.ts';

/** The language that a text for a peer is written in. */
export type Language = 'en' | 'zh';

/** What there is to say to a peer, in no protocol's words; a family makes messages of it. */
export type Said =
  /** The handler is ready. */
  | { what: 'generated'; handler?: { digest: string; tools: readonly string[] } }
  /** There will be no handler. */
  | { what: 'failed' }
  /** The agreement cannot be kept as it stands. */
  | { what: 'dispute'; findings: readonly Finding[] }
  /** The peer's complaint is right, or is not. */
  | { what: 'complaint-accepted'; findings: readonly Finding[] }
  | { what: 'complaint-rejected'; findings: readonly Finding[] }
  /** A counter-offer: the document, or its cases, with findings settled in the text. */
  | { what: 'amended-document'; text: string; settled: readonly Finding[] }
  | { what: 'amended-cases'; text: string; settled: readonly Finding[] }
  /** An offer: the agreed cases with further ones below. */
  | { what: 'further-cases'; text: string; added: readonly Pick<Case, 'testCase' | 'expected'>[] };
