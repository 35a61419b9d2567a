/** The entry point for agents (`protosmith/agent-description`): reads, verifies and signs descriptions. Pure. */
export type { Description, OfferedInterface } from './description.ts';
export { type OpenedDescription, openDescription } from './open-description.ts';
export { type ProofReport, type SigningRule, type Suite, signDocument, type Verifying, verifyProof } from './proof.ts';
