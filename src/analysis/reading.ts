import type { Case, LocatedSchema } from '../contract/agreement.ts';
import type { Job } from '../contract/job.ts';
import { decodeAnp } from '../families/anp/decode.ts';
import type { Json } from '../kernel/json.ts';
import type { Matches } from '../schemas/validator.ts';
import { areTexts, textsBySchema } from './bare-payloads.ts';
import {
  type CaseText,
  isJsonLines,
  isPayloadFault,
  MAX_CASES,
  type PayloadFault,
  type PayloadText,
  readCaseText,
  verbatimText,
} from './case-text.ts';
import { CaseValidation } from './case-validation.ts';
import type { Side } from './claims.ts';
import {
  baseUrisIn,
  type DocumentedCode,
  documentedCodesIn,
  languageOf,
  wantsJson,
  wantsText,
} from './document-facts.ts';
import { type FoundSchema, type FoundSchemas, findSchemas } from './find-schemas.ts';
import type { BrokenJson } from './json-blocks.ts';
import { listedCases } from './listed-cases.ts';
import { excerptAt, type KnownJson, knownJson } from './located-json.ts';
import { withoutQuoteMarks } from './markdown-lines.ts';
import { pairedCases } from './paired-cases.ts';
import { SaidEchoes } from './said-echoes.ts';
import { selectSchemas } from './select-schemas.ts';
import { Refusals } from './turns-down.ts';

/** A case that could not be read, or whose number is not what it should be. */
export interface CaseFault {
  reason: PayloadFault['reason'] | 'number-missing' | 'number-repeated' | 'number-skipped' | 'no-cases' | 'too-many';
  testCase?: number;
  side?: 'request' | 'response';
  /** Where in the case text, in UTF-16 offsets. */
  at: number;
  found?: string;
  /** For a repeated number: whether the cases are the same. */
  same?: boolean;
}

/** All that was read out of a job's documents, with what could not be read. */
export interface Reading {
  text: string;
  caseText: string | null;
  language: 'en' | 'zh';
  payload: 'json' | 'text';
  schemas: FoundSchema[];
  request: LocatedSchema | null;
  response: LocatedSchema | null;
  requestRivals: FoundSchema[];
  broken: BrokenJson[];
  lenient: { start: number; end: number }[];
  cases: Case[];
  caseFaults: CaseFault[];
  /** Where the numbers of the cases stand in the case text, in order. */
  numberSpans: { start: number; end: number }[];
  baseUris: string[];
  missingBaseUris: string[];
  documentedCodes: DocumentedCode[];
  validation: CaseValidation;
  /** What the document's own prose says of ids that are repeated. */
  said: SaidEchoes;
  /** What was read before schemas and cases were held against each other. */
  parts: Parts;
}

interface CasesRead extends Pick<Reading, 'caseText' | 'cases' | 'payload'> {
  faults: CaseFault[];
  numberSpans?: Reading['numberSpans'];
  /** The cases as they stand in the text, with the text that they were read from. */
  read?: { text: string; cases: readonly CaseText[] };
  /** The JSON that lists them, where there are no such cases in the text. */
  listed?: Pick<FoundSchemas, 'text' | 'blocks'>;
}

interface Parts {
  own: FoundSchemas;
  bases: ReturnType<typeof resolveBases>;
  cases: CasesRead;
}

/** A protocol that the document builds on, by its address there. */
interface BaseDocument extends FoundSchemas {
  uri: string;
}

/** How far a chain of protocols that build on each other is followed. */
const MAX_BASE_DOCUMENTS = 8;

const readings = new WeakMap<Job, Reading>();

/** Reads agreement, base protocols and cases of a job; the same job object is read once. */
export function readingOf(job: Job, matches?: Matches): Reading {
  const known = readings.get(job);
  if (known !== undefined) return known;
  const made = read(job, matches);
  readings.set(job, made);
  return made;
}

/** Reads a job that differs from another in document or cases: the part that is the same is not read twice. */
export function readAgain(job: Job, changedFrom: Job): void {
  readings.set(job, read(job, undefined, { job: changedFrom, ...readingOf(changedFrom) }));
}

function read(job: Job, matches?: Matches, before?: Reading & { job: Job }): Reading {
  const { text } = decodeAnp(job);
  const own =
    before?.text === text
      ? before.parts.own
      : findSchemas(withoutQuoteMarks(text), undefined, before && knownBlocks(before.parts.own));
  const isSameProse = before !== undefined && own.prose === before.parts.own.prose;
  const bases =
    isSameProse && job.baseProtocols === before.job.baseProtocols
      ? before.parts.bases
      : resolveBases(own.prose, job.baseProtocols);
  const schemas = [...own.schemas, ...bases.documents.flatMap((document) => document.schemas)];
  const prose = [own.prose, ...bases.documents.map((document) => document.prose)];
  const hasSchemas = schemas.length > 0;
  const areSameCases =
    isSameProse && job.testCases === before.job.testCases && hasSchemas === before.schemas.length > 0;
  const casesRead = areSameCases
    ? before.parts.cases
    : readCases(job, hasSchemas, own.prose, before && knownPayloads(before.parts.cases));
  const { caseText, faults, numberSpans = [] } = casesRead;
  const validation = new CaseValidation(matches, 1, before?.validation);
  const selection = selectSchemas(schemas, casesRead.cases, validation);
  const { cases: numbered, payload } =
    job.payload === undefined ? inWordsOfSchemas(casesRead, selection, validation) : casesRead;
  const isSameText = before !== undefined && isSameProse && bases === before.parts.bases;
  const documentedCodes = isSameText ? before.documentedCodes : documentedCodesIn(prose.join('\n'));
  const cases = markNegatives(
    numbered,
    selection.request,
    new Refusals(
      new Set(documentedCodes.map(({ code }) => code)),
      new Set(job.role === 'provider' ? job.loose.map(({ pointer }) => pointer) : []),
    ),
    validation,
  );
  return {
    text,
    caseText,
    language: languageOf(/\p{L}/u.test(own.prose) ? own.prose : `${own.prose} ${caseText ?? ''}`),
    payload,
    schemas,
    ...selection,
    broken: own.broken,
    lenient: own.lenient,
    cases,
    caseFaults: faults,
    numberSpans,
    baseUris: bases.uris,
    missingBaseUris: bases.missing,
    documentedCodes,
    validation,
    said:
      isSameProse && job.tools === before.job.tools
        ? before.said
        : new SaidEchoes(own.prose, job.tools, selection.response?.schema),
    parts: { own, bases, cases: casesRead },
  };
}

function knownBlocks({ text, blocks }: FoundSchemas): KnownJson {
  return knownJson(
    text,
    blocks.filter(({ lenient }) => !lenient),
  );
}

function knownPayloads({ read }: CasesRead): KnownJson | undefined {
  if (read === undefined) return undefined;
  const payloads = read.cases.flatMap(({ request, response }) => [request, response]);
  return knownJson(
    read.text,
    payloads.flatMap((payload) =>
      isPayloadFault(payload) || payload.value === undefined ? [] : [{ ...payload.span, value: payload.value }],
    ),
  );
}

function resolveBases(
  prose: string,
  given: Job['baseProtocols'],
): { uris: string[]; missing: string[]; documents: BaseDocument[] } {
  const uris = baseUrisIn(prose);
  const missing: string[] = [];
  const documents: BaseDocument[] = [];
  const pending = [...uris];
  const seen = new Set<string>();
  for (let uri = pending.shift(); uri !== undefined && documents.length < MAX_BASE_DOCUMENTS; uri = pending.shift()) {
    if (seen.has(uri)) continue;
    seen.add(uri);
    const base = Object.hasOwn(given, uri) ? given[uri] : undefined;
    if (base === undefined) missing.push(uri);
    else {
      const found = findSchemas(withoutQuoteMarks(base.content), uri);
      documents.push({ ...found, uri });
      pending.push(...baseUrisIn(found.prose));
    }
  }
  return { uris: [...seen], missing, documents };
}

function readCases(job: Job, hasSchemas: boolean, prose: string, known?: KnownJson): CasesRead {
  const given = job.testCases;
  if (Array.isArray(given)) {
    const cases = given.slice(0, MAX_CASES).map(({ request, response, expected }, index) => {
      return { testCase: index + 1, request, response, expected: expected ?? '', negative: false };
    });
    const isText =
      cases.length > 0 &&
      cases.every(({ request, response }) => typeof request === 'string' && typeof response === 'string');
    return {
      caseText: null,
      cases,
      faults: tooMany(given.length),
      payload: job.payload ?? (isText && !hasSchemas ? 'text' : 'json'),
    };
  }
  const { caseText } = decodeAnp(job);
  if (caseText === null || caseText.trim() === '') {
    return {
      caseText,
      cases: [],
      faults: [],
      payload: job.payload ?? (!hasSchemas && wantsText(prose) ? 'text' : 'json'),
    };
  }
  const plain = withoutQuoteMarks(caseText);
  const bareText = job.payload === 'text' || (job.payload === undefined && !hasSchemas && wantsText(prose));
  const first = readCaseText(plain, bareText ? 'allowed' : 'refused', known);
  const listed = first.cases.every(hasNoPayload) ? listedCases(first.json) : undefined;
  if (listed !== undefined) {
    return {
      caseText,
      cases: listed.slice(0, MAX_CASES),
      listed: { text: plain, blocks: first.json.blocks },
      faults: tooMany(listed.length),
      payload: job.payload ?? 'json',
    };
  }
  const wanted = bareText ? 'text' : wantsJson(prose) ? 'json' : undefined;
  const isTextual = (cases: readonly CaseText[]) =>
    job.payload === undefined && !hasSchemas && areTexts(plain, cases, wanted);
  // Beside texts between fences, a fence with nothing in it is a text as well.
  const { cases: read, headings } =
    hasGaps(first.cases) && isTextual(first.cases)
      ? readCaseText(plain, 'allowed', known)
      : (pairedCases(plain, first) ?? first);
  const isText = (side: Side, all: boolean): boolean => {
    const payloads = read.flatMap((each) => (isPayloadFault(each[side]) ? [] : [each[side]]));
    const texts = payloads.filter((payload) => payload.value === undefined).length;
    return all ? texts > 0 && texts === payloads.length : texts > 0;
  };
  // Without schemas, one text on a side makes them all texts: a handler must know what it is given.
  const areAllTexts = job.payload === 'text' || isTextual(read);
  const isVerbatim = (side: Side): boolean => {
    return areAllTexts || (job.payload === undefined && !hasSchemas && isText(side, false));
  };
  const verbatim = { request: isVerbatim('request'), response: isVerbatim('response') };
  const both = (['request', 'response'] as const).every((side) => verbatim[side] || isText(side, true));
  const payload = job.payload ?? (both ? 'text' : 'json');
  const chosenValue = (payload: PayloadText, side: Side): Json => {
    return payload.value === undefined || verbatim[side] ? verbatimText(plain, payload) : payload.value;
  };
  // Beside requests of one value each, one with several is a slip.
  const isMixed = (side: Side): boolean => hasSchemas && isText(side, false) && !isText(side, true);
  const mixed = { request: isMixed('request'), response: isMixed('response') };
  const strict =
    job.payload === 'json' ? read.map((each) => withoutTexts(plain, each)) : withoutLines(plain, read, mixed);
  const numberSpans = read.flatMap(({ numberSpan }) => (numberSpan === undefined ? [] : [numberSpan]));
  return {
    caseText,
    payload,
    numberSpans,
    read: { text: plain, cases: read },
    ...numberCases(strict, headings, chosenValue),
  };
}

function hasNoPayload({ request, response }: CaseText): boolean {
  return [request, response].every((payload) => isPayloadFault(payload) && payload.reason === 'missing');
}

/** Whether some payloads have nothing in them, and all others could be read. */
function hasGaps(cases: readonly CaseText[]): boolean {
  const faults = cases.flatMap(({ request, response }) => [request, response]).filter(isPayloadFault);
  return faults.length > 0 && faults.every(({ reason }) => reason === 'empty');
}

/** The cases with texts on a side whose schema allows nothing else for what stands there, and what payloads are then. */
function inWordsOfSchemas(
  { cases, payload, read }: CasesRead,
  selection: Record<Side, LocatedSchema | null>,
  validation: CaseValidation,
): Pick<CasesRead, 'cases' | 'payload'> {
  if (read === undefined) return { cases, payload };
  const textsOf = (side: Side) => textsBySchema(read, side, selection[side], validation);
  const texts = { request: textsOf('request'), response: textsOf('response') };
  const said = (each: Case, side: Side): Json => texts[side]?.get(each[`${side}Span`]?.start ?? -1) ?? each[side];
  return {
    cases: cases.map((each) => ({ ...each, request: said(each, 'request'), response: said(each, 'response') })),
    payload: texts.request !== undefined && texts.response !== undefined ? 'text' : payload,
  };
}

/** Where the job says that payloads are JSON, a text that is none could not be read. */
function withoutTexts(caseText: string, each: CaseText): CaseText {
  const checked = (payload: CaseText['request']): CaseText['request'] =>
    isPayloadFault(payload) || payload.value !== undefined
      ? payload
      : { reason: 'unreadable', at: payload.span.start, found: excerptAt(caseText, payload.span.start) };
  return { ...each, request: checked(each.request), response: checked(each.response) };
}

/** Where other payloads of a side are one JSON value each, several values line by line could not be read. */
function withoutLines(text: string, cases: readonly CaseText[], mixed: Record<Side, boolean>): readonly CaseText[] {
  if (!mixed.request && !mixed.response) return cases;
  const checked = (payload: CaseText['request'], side: Side): CaseText['request'] =>
    !mixed[side] ||
    isPayloadFault(payload) ||
    payload.value !== undefined ||
    !isJsonLines(text.slice(payload.span.start, payload.span.end))
      ? payload
      : { reason: 'several', at: payload.span.start };
  return cases.map((each) => ({
    ...each,
    request: checked(each.request, 'request'),
    response: checked(each.response, 'response'),
  }));
}

function tooMany(count: number): CaseFault[] {
  return count > MAX_CASES ? [{ reason: 'too-many', at: 0, found: String(count) }] : [];
}

function numberCases(
  read: readonly CaseText[],
  headings: number,
  chosenValue: (payload: PayloadText, side: Side) => Json,
): { cases: Case[]; faults: CaseFault[] } {
  const faults: CaseFault[] = tooMany(headings);
  const cases: Case[] = [];
  const byNumber = new Map<number, Record<Side, Json | undefined>>();
  let previous = 0;
  for (const [index, each] of read.entries()) {
    const testCase = each.number ?? previous + 1;
    const values = {
      request: isPayloadFault(each.request) ? undefined : chosenValue(each.request, 'request'),
      response: isPayloadFault(each.response) ? undefined : chosenValue(each.response, 'response'),
    };
    const before = byNumber.get(testCase);
    if (each.number === null) faults.push({ reason: 'number-missing', testCase, at: each.start });
    if (before !== undefined) {
      const same = JSON.stringify(before) === JSON.stringify(values);
      faults.push({ reason: 'number-repeated', testCase, at: each.start, same });
    } else if (each.number !== null && testCase > previous + 1 && !(index === 0 && testCase === 0)) {
      faults.push({ reason: 'number-skipped', testCase, at: each.start, found: String(previous + 1) });
    }
    previous = Math.max(previous, testCase);
    byNumber.set(testCase, values);
    const { request, response } = each;
    for (const [side, payload] of [
      ['request', request],
      ['response', response],
    ] as const) {
      if (isPayloadFault(payload)) faults.push({ ...payload, testCase, side });
    }
    if (before !== undefined || isPayloadFault(request) || isPayloadFault(response)) continue;
    cases.push({
      testCase,
      request: values.request ?? null,
      response: values.response ?? null,
      expected: each.expected,
      negative: false,
      requestSpan: request.span,
      responseSpan: response.span,
    });
  }
  if (read.length === 0) faults.push({ reason: 'no-cases', at: 0 });
  return { cases, faults };
}

/** Cases with broken requests that are compared with each other. */
const MAX_UNCLEAR = 10;

function markNegatives(
  cases: readonly Case[],
  request: LocatedSchema | null,
  refusals: Refusals,
  validation: CaseValidation,
): Case[] {
  const isInvalid = cases.map((each) => {
    return request !== null && validation.allows(request.schema, each.request) === false;
  });
  const sound = cases.filter((_, index) => !isInvalid[index]);
  const isTurnedDown = cases.map((each, index) => isInvalid[index] === true && refusals.turnsDown(each, sound));
  // A request that is broken by mistake is answered as sound ones are: beside it a refusal is known for what it is.
  const unclear = cases.filter((_, index) => isInvalid[index] && !isTurnedDown[index]).slice(0, MAX_UNCLEAR);
  return cases.map((each, index) => ({
    ...each,
    negative:
      isTurnedDown[index] === true ||
      (unclear.length > 1 &&
        unclear.includes(each) &&
        refusals.turnsDown(each, [...unclear.filter((one) => one !== each), ...sound])),
  }));
}
