/** The entry point for agents (`protosmith/agent-description`): reads, verifies and signs descriptions. Pure. */

export type { InterfaceChoice } from './choose-interface.ts';
export type { Description, OfferedInterface } from './description.ts';
export { type OpenedDescription, type Opening, openDescription } from './open-description.ts';
export {
  type ProofReport,
  type Signing,
  type SigningRule,
  type Suite,
  signDocument,
  type Verifying,
  verifyProof,
} from './proof.ts';
