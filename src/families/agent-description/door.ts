/** The entry point for agents (`protosmith/agent-description`): reads, verifies and signs descriptions. Pure. */

export type { InterfaceChoice } from './choose-interface.ts';
export type { Description, OfferedInterface } from './description.ts';
export { type OpenedDescription, type OpenOptions, openDescription } from './open-description.ts';
export {
  type ProofReport,
  type SigningRule,
  type SignOptions,
  type Suite,
  signDocument,
  type VerifyOptions,
  verifyProof,
} from './proof.ts';
