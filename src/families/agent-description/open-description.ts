import type { Case, Interaction } from '../../contract/agreement.ts';
import type { Finding } from '../../contract/finding.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import type { InterfaceChoice } from './choose-interface.ts';
import { type Description, readDescription } from './description.ts';
import { documentOf, openDossier, proofReportOf } from './dossier.ts';
import type { ProofReport } from './proof.ts';
import { readAgreement, UNREADABLE } from './read.ts';

/** A description, and what is known of it. */
export interface OpenedDescription {
  /** Absent if the text is not a JSON object. */
  description?: Description;
  proof: ProofReport;
  /** The methods of the chosen interface; none if it cannot be read. */
  interactions: readonly Interaction[];
  /** Its examples. */
  cases: readonly Case[];
  /** What is wrong with the description and its interface; the preflight also checks the schemas. */
  findings: readonly Finding[];
}

/** What to read of a description, and the texts that it needs, as in the `agreement` and `supplied` of a job. */
export interface OpenOptions {
  interface?: InterfaceChoice;
  methods?: readonly string[];
  didDocument?: JsonObject | string;
  supplied?: Readonly<Record<string, string>>;
}

/**
 * Reads a description (Agent Description Protocol), given as JSON text or parsed, verifies its proof, and reads the
 * chosen interface. Never throws and fetches nothing: whatever is wrong is among the findings.
 */
export function openDescription(given: string | JsonObject, options: OpenOptions = {}): OpenedDescription {
  const { supplied, ...chosen } = options;
  const agreement = { ...chosen, description: given } as unknown as JsonObject;
  const texts = supplied as Json | undefined;
  const document = documentOf(agreement, texts) ?? '';
  const { start, end } = openDossier(document).description;
  const { description } = readDescription(document, start, end);
  const { interactions, cases, faults } = readAgreement({ document, cases: null });
  return {
    ...(description === undefined ? {} : { description }),
    proof: proofReportOf(agreement, texts),
    interactions: interactions.filter((one) => one !== UNREADABLE),
    cases,
    findings: faults.map(({ finding }) => finding),
  };
}
