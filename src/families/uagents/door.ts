/**
 * The library for agents (`protosmith/uagents`): reads, verifies, wraps and signs envelopes, and computes the
 * digests that peers compare. Only agents that send messages need a key; workers never do.
 */
export { type Accepted, acceptEnvelope, type Refusals, type Refused } from './accept.ts';
export { protocolDigest, schemaDigest } from './digests.ts';
export { answerSubmit, type SubmitAnswer, type SubmitRequest } from './endpoint.ts';
export {
  type Envelope,
  type EnvelopeReading,
  envelopeDigest,
  envelopeText,
  readEnvelope,
  signEnvelope,
  type Verification,
  verifyEnvelope,
} from './envelope.ts';
export { type BareMessage, ERROR_MESSAGE_DIGEST, errorMessage } from './error-message.ts';
export {
  decodeBech32,
  encodeBech32,
  type Identity,
  IdentityFault,
  identityFromSeed,
  identityOf,
  isUserAddress,
  signDigest,
  verifyDigest,
} from './identity.ts';
export {
  type Addressing,
  type MessageReading,
  messageIn,
  type OpenProtocol,
  openProtocol,
  replyOf,
  requestOf,
  type Sealable,
  seal,
} from './messages.ts';
