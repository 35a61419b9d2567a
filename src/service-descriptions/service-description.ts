import type { Case, Interaction } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { DescriptionFormat } from '../documents/description-format.ts';

/** What was read from a service description, and the faults in it. */
export interface ServiceDescription {
  /** `null` if the text is not a service description in a known format. */
  format: DescriptionFormat | null;
  /** Its title; empty if it has none. */
  title: string;
  /** One for each method, in document order. With several methods, their requests name the method by `$method`. */
  interactions: readonly Interaction[];
  /** The examples of all methods, numbered from 1. */
  cases: readonly Case[];
  /** What cannot be read or used, and where; `severity` tells whether the description is usable nevertheless. */
  faults: readonly DescriptionFault[];
}

/** A fault of a service description as a finding, with its place in the text. */
export interface DescriptionFault {
  finding: Finding;
  text: 'document';
  /** UTF-16 offset. */
  at: number;
}

/** What to read of a service description. */
export interface DescriptionChoice {
  /** The names of the wanted methods; all of them if absent. */
  methods?: readonly string[] | undefined;
  /** The URI of the text, if it is not the document of the agreement itself. */
  baseUri?: string | undefined;
}
