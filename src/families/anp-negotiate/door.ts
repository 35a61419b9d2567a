/** The entry point for agents that negotiate by ANP-06 (`protosmith/anp-negotiate`). Pure; fetches nothing. */
export { artifactDigest, type DigestBasis, digestBasis } from './digest.ts';
export {
  type CallerCapabilities,
  type Constraints,
  DEFAULT_MODE,
  type Intent,
  isExpired,
  type MetaProtocolInterface,
  NEGOTIATE_METHOD,
  NEGOTIATION_PROFILE,
  type NegotiateAnswer,
  type NegotiateBody,
  type NegotiateRequest,
  type NegotiationResult,
  readMetaProtocolInterface,
  readNegotiateBody,
  readNegotiateRequest,
  readNegotiateResponse,
  readNegotiationResult,
  type Selected,
} from './messages.ts';
export type { MessageFault, MessageReading } from './model.ts';
export {
  type AnpCode,
  type JsonRpcError,
  NEGOTIATION_ERRORS,
  type NegotiationError,
  negotiationError,
  readNegotiationError,
} from './negotiation-error.ts';
export {
  type Asked,
  type CurrentCapabilities,
  findSelection,
  type KeptSelection,
  type SelectionLookup,
  selectionKey,
} from './selection.ts';
