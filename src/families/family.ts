import { type Agreement, type Case, type Interaction, MAX_CASES, type Texts } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { OpenFrames } from '../contract/frames.ts';
import type { Job, Kind } from '../contract/job.ts';
import type { JobFault } from '../contract/job-fault.ts';
import type { Language, Statement } from '../contract/statement.ts';
import type { CaseValidation } from '../documents/case-validation.ts';
import type { FoundSchema } from '../documents/find-schemas.ts';
import type { BrokenJson, JsonBlock } from '../documents/json-blocks.ts';
import type { Json, JsonObject } from '../kernel/json.ts';

/**
 * A kind of agreement: turns messages into facts, and things to say into messages. Pure; never throws, whatever the
 * messages contain. Only families.ts refers to a concrete family.
 */
export interface Family {
  readonly name: string;
  /** How long a peer waits if the job does not say, in milliseconds. */
  readonly timeoutMs: number;
  /** JSON Schemas of the job members that differ between families; job.schema.json includes them. */
  readonly schemas: {
    readonly agreement: JsonObject;
    readonly testCases?: JsonObject;
    readonly complaint?: JsonObject;
    /** Members of a job that only some families accept, by name; in jobs of other families they are faults. */
    readonly own?: Readonly<Record<string, JsonObject>>;
    /** How the peers write the hash of a document; absent if it is its SHA-256. */
    readonly protocolHash?: JsonObject;
  };
  /** Faults in a job's messages that their schemas do not catch. */
  faults(kind: Kind, data: JsonObject): JobFault[];
  /** The document text and its place in unvalidated job data; `undefined` if there is none. */
  documentIn(data: JsonObject): { text: string; pointer: string } | undefined;
  /**
   * The sources that the text of unvalidated job data may be fetched from, in order, and a test by the agreement's own
   * hash whether a text is the right one; `undefined` if there is nothing to fetch. Absent if nothing ever is.
   */
  fetchable?(data: JsonObject): Fetchable | undefined;
  /** The hash that a document is known by in outcomes and stores, as 64 hex digits. */
  hashOf(document: string): string;
  /** Extracts the texts from a job's messages. */
  open(job: Pick<Job, 'agreement' | 'testCases' | 'supplied'>): Texts;
  /** The job members that carry these texts; the inverse of `open`. */
  carry(texts: Texts): Pick<Job, 'agreement' | 'testCases'>;
  /** The texts in one message of the family, `written` so in a file; `undefined` for other JSON. */
  textsIn(message: JsonObject, written?: string): Partial<Texts> | undefined;
  /** Reads the texts. `before` is the reading of other texts; equal parts are reused. */
  read(texts: Texts, about: ReadingTask, before?: Before): FamilyReading;
  /** Cases as text in the family's layout, appended to `below` or alone. */
  writeCases?(cases: readonly WrittenCase[], layout: CaseLayout, below?: string): string;
  /** Opens an exchange of frames; absent if the peers frame nothing, and such an exchange is a fault of the job. */
  openFrames?: OpenFrames;
  /** The text of a complaint. */
  complaint(message: JsonObject): string;
  /** Whether this job's peer can be told such a thing. */
  canSay(what: Statement['what'], job: Pick<Job, 'peerCapabilities'>): boolean;
  /** The messages to forward; empty if there is nothing to send. The members of the job may be invalid. */
  say(statement: Statement, job: UncheckedAgreement, language: Language): JsonObject[];
}

/** Where a document may be fetched from. */
export interface Fetchable {
  sources: readonly { uri: string; pointer: string }[];
  isText(text: string): boolean;
}

/** The members of a job that hold its agreement, before or after validation. */
export interface UncheckedAgreement {
  agreement: Json;
  supplied?: Json;
}

/** Input for reading, besides the texts. */
export interface ReadingTask {
  payload: Job['payload'];
  baseProtocols: Job['baseProtocols'];
  validation: CaseValidation;
}

/** An earlier reading of other texts. */
export interface Before {
  texts: Texts;
  about: Omit<ReadingTask, 'validation'>;
  reading: FamilyReading;
}

/** All facts that a family reads from the texts of an agreement. */
export interface FamilyReading {
  /** At least one. */
  interactions: readonly Interaction[];
  payload: Agreement['payload'];
  cases: Case[];
  /** Faults in the messages and their layout. */
  faults: readonly PlacedFinding[];
  /** Every schema found, in document order. */
  schemas: readonly FoundSchema[];
  /** Other schemas with an equal claim to be the request. */
  requestRivals: readonly FoundSchema[];
  /** Schemas that break off, and schemas that are JSON except for comments and trailing commas. */
  broken: readonly BrokenJson[];
  lenient: readonly { start: number; end: number }[];
  /** The document and its base protocols, as they were read. */
  document: ReadText;
  /** Parts of the document that hold no sentences: data for machines, whose words are elsewhere in it. */
  data?: readonly { start: number; end: number }[];
  baseDocuments: readonly (ReadText & { uri: string; prose: string })[];
  /** The case text as it was read, or instead the JSON that lists the cases. */
  casesText?: string;
  listedCases?: ReadText;
  /** The prose: the document without its JSON, and the same including the base protocols. */
  prose: string;
  wholeProse: string;
  /** The URIs of the base protocols, and those without a text. */
  bases: readonly string[];
  missingBases: readonly string[];
  /** Where the case numbers are in the text, in order. */
  numberSpans: readonly { start: number; end: number }[];
}

/** The parts of a reading that stay empty in a family without prose, base protocols and a text of cases. */
export const withoutProse = {
  requestRivals: [],
  broken: [],
  lenient: [],
  baseDocuments: [],
  prose: '',
  wholeProse: '',
  bases: [],
  missingBases: [],
  numberSpans: [],
} as const satisfies Partial<FamilyReading>;

/** A text, with the JSON and YAML in it. */
export interface ReadText {
  text: string;
  blocks: readonly JsonBlock[];
}

/** A finding with its place in the document or cases, for sorting. */
export interface PlacedFinding {
  finding: Finding;
  /** Findings about the document come before those about cases. */
  text: 'document' | 'cases';
  /** UTF-16 offset in that text. */
  at: number;
}

/** The parts of a case that a case text contains. */
export type WrittenCase = Pick<Case, 'testCase' | 'request' | 'response' | 'expected'>;

/** Language and payload type of a case text. */
export interface CaseLayout {
  language: Language;
  payload: Agreement['payload'];
}

/** The finding that an agreement has more cases than are run; none if it has not. */
export function tooManyCases(found: number): PlacedFinding[] {
  if (found <= MAX_CASES) return [];
  const message = `Cannot read cases: found ${found} of them, wanted at most ${MAX_CASES}`;
  const finding: Finding = { code: 'DOCUMENT_CASES_TOO_MANY', severity: 'error', in: 'document', message };
  return [{ finding: { ...finding, actual: String(found) }, text: 'cases', at: 0 }];
}
