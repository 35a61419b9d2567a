import { member } from '../../contract/job-fault.ts';
import { canonicalDigest, sha256Hex } from '../../kernel/digest.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { MAX_METHODS } from '../../service-descriptions/read-service-description.ts';
import { choiceIn, chooseInterface, type InterfaceChoice, isInline } from './choose-interface.ts';
import { type Description, readDescription } from './description.ts';
import { type ProofReport, verifyProof } from './proof.ts';

/**
 * The document of an agreement: a description, and what the job says about it. If the job has only a description, that
 * is the document. If not, the document is a line of JSON, the description, and the text of the interface.
 */
export interface Dossier {
  /** The whole document. The places below are UTF-16 offsets in it, end exclusive. */
  text: string;
  description: { start: number; end: number };
  /** The text of the chosen interface, if the description does not contain it as JSON. */
  interfaceText?: { start: number; end: number; uri: string };
  choice?: InterfaceChoice;
  /** The methods that the agreement is about; all if absent. */
  methods?: readonly string[];
  proof?: ProofReport;
}

const MARK = 'agentDescriptionAgreement';

/** What the first line of a document says. */
interface Head {
  interface?: InterfaceChoice;
  methods?: string[];
  proof?: ProofReport;
  description: number;
  interfaceText?: number;
  uri?: string;
}

const DESCRIPTION = '\n\n# Agent description\n\n';
const INTERFACE = '\n\n# Interface document\n\n';

/** The document of an agreement in unvalidated data, if it has a description, and what is known of the proof. */
interface OpenedAgreement {
  supplied: Json | undefined;
  document?: string;
  proof: ProofReport;
}

/** A job is opened several times, and verifying signatures takes time. */
const known = new WeakMap<object, OpenedAgreement>();

/** The document of an agreement in unvalidated data; `undefined` if it has no description. Never throws. */
export function documentOf(agreement: Json | undefined, supplied: Json | undefined): string | undefined {
  return opened(agreement, supplied).document;
}

/** What is known of the proof of the description in an agreement. Never throws. */
export function proofReportOf(agreement: Json | undefined, supplied: Json | undefined): ProofReport {
  return opened(agreement, supplied).proof;
}

function opened(agreement: Json | undefined, supplied: Json | undefined): OpenedAgreement {
  if (!isObject(agreement)) return { supplied, proof: { status: 'absent' } };
  const before = known.get(agreement);
  const found = before !== undefined && before.supplied === supplied ? before : openAgreement(agreement, supplied);
  known.set(agreement, found);
  return found;
}

function openAgreement(agreement: JsonObject, supplied: Json | undefined): OpenedAgreement {
  const text = descriptionText(member(agreement, 'description'));
  const { description } = text === undefined ? {} : readDescription(text);
  const proof: ProofReport = description === undefined ? { status: 'absent' } : proofOf(description, agreement);
  if (text === undefined) return { supplied, proof };
  const choice = choiceIn(member(agreement, 'interface'));
  const methods = methodsIn(member(agreement, 'methods'));
  // A text with a head is such a document already. Only the job chooses an interface, never the peer's text.
  if (choice === undefined && methods === undefined && headOf(text) !== undefined)
    return { supplied, document: text, proof };
  const own = description && interfaceTextOf(description, choice, supplied);
  const head: Head = {
    ...(choice === undefined ? {} : { interface: choice }),
    ...(methods === undefined ? {} : { methods }),
    ...(proof.status === 'absent' ? {} : { proof }),
    description: text.length,
    ...(own === undefined ? {} : { interfaceText: own.text.length, uri: own.uri }),
  };
  const first = JSON.stringify({ [MARK]: 1, ...head });
  const last = own === undefined ? '' : INTERFACE + own.text;
  const document = Object.keys(head).length === 1 ? text : `${first}${DESCRIPTION}${text}${last}`;
  return { supplied, document, proof };
}

/** The text of the chosen interface, unless the description contains it as JSON. */
function interfaceTextOf(
  description: Description,
  choice: InterfaceChoice | undefined,
  supplied: Json | undefined,
): { text: string; uri: string } | undefined {
  const found = chooseInterface(description, choice, (url) => textAt(supplied, url) !== undefined);
  if (!found.ok) return undefined;
  const { inline, url = '', name } = found.chosen;
  const text = typeof inline === 'string' ? inline : isInline(found.chosen) ? undefined : textAt(supplied, url);
  return text === undefined ? undefined : { text, uri: url || name };
}

function proofOf({ value, did }: Description, agreement: JsonObject): ProofReport {
  const didDocument = didDocumentIn(member(agreement, 'didDocument'));
  return verifyProof(value, {
    ...(didDocument === undefined ? {} : { didDocument }),
    ...(did === '' ? {} : { signer: did }),
  });
}

/** A DID document, given as an object or as its text. */
function didDocumentIn(given: Json | undefined): Json | undefined {
  if (typeof given !== 'string') return given;
  return parsed(given) ?? null;
}

/** The text of a description that is given as text or object; `undefined` for other values. */
export function descriptionText(given: Json | undefined): string | undefined {
  if (typeof given === 'string') return given;
  if (!isObject(given)) return undefined;
  try {
    return JSON.stringify(given, null, 1);
  } catch {
    // Nested too deep to be written: the data may be unvalidated.
    return undefined;
  }
}

/** The parts of a document. Any other text is taken for a description alone. Never throws. */
export function openDossier(text: string): Dossier {
  const head = headOf(text);
  if (head === undefined) return { text, description: { start: 0, end: text.length } };
  const start = text.indexOf('\n') + DESCRIPTION.length;
  const end = start + head.description;
  const from = end + INTERFACE.length;
  return {
    text,
    description: { start, end },
    ...(head.interfaceText === undefined
      ? {}
      : { interfaceText: { start: from, end: from + head.interfaceText, uri: head.uri ?? '' } }),
    ...(head.interface === undefined ? {} : { choice: head.interface }),
    ...(head.methods === undefined ? {} : { methods: head.methods }),
    ...(head.proof === undefined ? {} : { proof: head.proof }),
  };
}

/**
 * The hash of a document, as 64 hex digits: SHA-256 of the canonical JSON (RFC 8785) of the description without its
 * proof, the number of the interface, the methods, and the text of the interface (parsed if it is JSON). So neither the
 * order of members nor a new signature changes it.
 */
export function dossierHash(text: string): string {
  const { description, interfaceText, choice, methods } = openDossier(text);
  const read = readDescription(text, description.start, description.end).description;
  if (read === undefined) return sha256Hex(text);
  const { proof: _, 'ad:proof': __, 'sec:proof': ___, ...bare } = read.value;
  const found = chooseInterface(read, choice, (url) => url === interfaceText?.uri);
  const document = interfaceText && text.slice(interfaceText.start, interfaceText.end);
  try {
    return canonicalDigest({
      description: bare,
      interface: found.ok ? found.chosen.index : (choice ?? null),
      methods: methods === undefined ? null : [...methods],
      document: document === undefined ? null : (parsed(document) ?? document),
    });
  } catch {
    // Half a surrogate pair has no canonical form.
    return sha256Hex(text);
  }
}

function headOf(text: string): Head | undefined {
  if (!text.startsWith(`{"${MARK}":1,`)) return undefined;
  const line = text.slice(0, Math.max(0, text.indexOf('\n')));
  const head = parsed(line);
  if (!isObject(head) || !isLength(head.description)) return undefined;
  const { interface: choice, methods, proof, description, interfaceText, uri } = head;
  const end = line.length + DESCRIPTION.length + description;
  const total = isLength(interfaceText) ? end + INTERFACE.length + interfaceText : end;
  if (!text.startsWith(DESCRIPTION, line.length) || total !== text.length) return undefined;
  if (isLength(interfaceText) && !text.startsWith(INTERFACE, end)) return undefined;
  const [found, names] = [choiceIn(choice), methodsIn(methods)];
  return {
    description,
    ...(found === undefined ? {} : { interface: found }),
    ...(names === undefined ? {} : { methods: names }),
    ...(isObject(proof) && typeof proof.status === 'string' ? { proof: proof as unknown as ProofReport } : {}),
    ...(isLength(interfaceText) ? { interfaceText, uri: typeof uri === 'string' ? uri : '' } : {}),
  };
}

function isLength(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function methodsIn(value: Json | undefined): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((one) => typeof one === 'string').slice(0, MAX_METHODS);
}

function textAt(supplied: Json | undefined, uri: string): string | undefined {
  const text = member(supplied, uri);
  return typeof text === 'string' ? text : undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
