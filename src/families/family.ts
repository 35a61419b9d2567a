import type { Agreement, Case, Interaction, Texts } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { Job, Kind } from '../contract/job.ts';
import type { JobFault } from '../contract/job-fault.ts';
import type { Language, Said } from '../contract/said.ts';
import type { CaseValidation } from '../documents/case-validation.ts';
import type { FoundSchema } from '../documents/find-schemas.ts';
import type { BrokenJson, JsonBlock } from '../documents/json-blocks.ts';
import type { JsonObject } from '../kernel/json.ts';

/**
 * A kind of agreement: messages in, facts out; what is to be said in, messages out. Pure; never throws, whatever the
 * messages hold. Listed in families.ts, named nowhere else.
 */
export interface Family {
  readonly name: string;
  /** How long a peer waits where the job does not say, in milliseconds. */
  readonly timeoutMs: number;
  /** JSON Schemas of the members of a job that differ from family to family; job.schema.json is composed of them. */
  readonly schemas: {
    readonly agreement: JsonObject;
    readonly testCases?: JsonObject;
    readonly complaint?: JsonObject;
    /** How the peers write the hash of a document; absent where it is its SHA-256. */
    readonly protocolHash?: JsonObject;
  };
  /** What is wrong with a job's messages beyond their schemas. */
  faults(kind: Kind, data: JsonObject): JobFault[];
  /** The text of the document, and its place in a job whose data nobody has validated; `undefined` where there is none. */
  documentIn(data: JsonObject): { text: string; pointer: string } | undefined;
  /** The hash by which the peers know a document, as 64 hex digits. */
  hashOf(document: string): string;
  /** Takes the texts out of a job's messages. */
  open(job: Pick<Job, 'agreement' | 'testCases'>): Texts;
  /** The members of a job that carry these texts; `open` gives them back. */
  carry(texts: Texts): Pick<Job, 'agreement' | 'testCases'>;
  /** The texts in one message of the family as it stands in a file, `written` so; `undefined` where it is no such message. */
  textsIn(message: JsonObject, written?: string): Partial<Texts> | undefined;
  /** Reads the texts. `before` is what was read of other texts: what is the same is not read twice. */
  read(texts: Texts, about: ReadingTask, before?: Before): FamilyReading;
  /** The text of cases, in the family's layout: below a text that stands there, or by themselves. */
  writeCases?(cases: readonly WrittenCase[], layout: CaseLayout, below?: string): string;
  /** What a complaint says. */
  complaint(message: JsonObject): string;
  /** Whether this job's peer can be told such a thing. */
  canSay(what: Said['what'], job: Pick<Job, 'peerCapabilities'>): boolean;
  /** The messages to forward; none where there is nothing to send. */
  say(said: Said, job: Pick<Job, 'agreement'>, language: Language): JsonObject[];
}

/** What a family is told besides the texts that it reads. */
export interface ReadingTask {
  payload: Job['payload'];
  baseProtocols: Job['baseProtocols'];
  validation: CaseValidation;
}

/** What was read before of other texts. */
export interface Before {
  texts: Texts;
  about: Omit<ReadingTask, 'validation'>;
  reading: FamilyReading;
}

/** Everything that a family reads out of the texts of an agreement. */
export interface FamilyReading {
  /** At least one. */
  interactions: readonly Interaction[];
  payload: Agreement['payload'];
  cases: Case[];
  /** What keeps the messages and their layout from being read. */
  faults: readonly PlacedFinding[];
  /** Every schema found, in the order of the document. */
  schemas: readonly FoundSchema[];
  /** Other schemas with the same claim to be the request. */
  requestRivals: readonly FoundSchema[];
  /** Schemas that break off being JSON, and those that are JSON but for comments and trailing commas. */
  broken: readonly BrokenJson[];
  lenient: readonly { start: number; end: number }[];
  /** The document as it was read, and those that it builds on. */
  document: ReadText;
  baseDocuments: readonly (ReadText & { uri: string; prose: string })[];
  /** The text of the cases as it was read; in place of that, the JSON that lists them. */
  casesText?: string;
  listedCases?: ReadText;
  /** What people read: the document without its JSON, and with the documents that it builds on. */
  prose: string;
  wholeProse: string;
  /** Protocols that the document builds on, and those of them whose text is not there. */
  bases: string[];
  missingBases: readonly string[];
  /** Where the numbers of the cases stand in their text, in order. */
  numberSpans: readonly { start: number; end: number }[];
}

/** A text, with the JSON and YAML that stand in it. */
export interface ReadText {
  text: string;
  blocks: readonly JsonBlock[];
}

/** A finding with its place in document and cases, by which findings are put in order. */
export interface PlacedFinding {
  finding: Finding;
  /** Findings about the document come first, those about cases after them. */
  text: 'document' | 'cases';
  /** UTF-16 offset in that text. */
  at: number;
}

/** What of a case stands in a text of cases. */
export type WrittenCase = Pick<Case, 'testCase' | 'request' | 'response' | 'expected'>;

/** What a text of cases is written in. */
export interface CaseLayout {
  language: Language;
  payload: Agreement['payload'];
}
