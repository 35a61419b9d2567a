/**
 * The entry point for agents that speak ANP's meta-protocol 1.0 (`protosmith/anp`). Pure: keeps no connection, fetches
 * nothing, and never throws; what is wrong is a `Fault`.
 */
export {
  type Content,
  checkHello,
  checkMessage,
  decode,
  encode,
  type ReadOptions,
  readHello,
  readMessage,
  writeHello,
  writeMessage,
} from './codec.ts';
export type { Fault, FaultKind } from './fault.ts';
export { type FrameType, frame, frameTypes, MAX_FRAME_BYTES, unframe } from './frame.ts';
export {
  type Action,
  type CodeGeneration,
  capabilities,
  type DestinationHello,
  type FixErrorNegotiation,
  helloSchemas,
  type MetaMessage,
  messageSchemas,
  type NaturalLanguageNegotiation,
  type NegotiationStatus,
  type ProtocolNegotiation,
  type SourceHello,
  type TestCasesNegotiation,
} from './messages.ts';
export { peerQuirks, type Quirk, quirksOf } from './quirks.ts';
export { follow, MAX_ROUNDS, noRounds, type Party, type RoundRules, type Rounds } from './rounds.ts';
export { type Served, type Serving, serveHello, settledBy } from './serve-hello.ts';
export {
  type AgreedCase,
  agreedCases,
  answerVerification,
  type FramedExchange,
  framedExchange,
  type Payload,
  type RunResult,
  type VerificationRequest,
  verificationRequests,
} from './verification.ts';
