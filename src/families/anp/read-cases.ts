import { type Case, type LocatedSchema, MAX_CASES, type Texts } from '../../contract/agreement.ts';
import type { Job } from '../../contract/job.ts';
import type { CaseValidation } from '../../documents/case-validation.ts';
import type { Side } from '../../documents/claims.ts';
import { wantsJson, wantsText } from '../../documents/document-facts.ts';
import { excerptAt, type KnownJson, knownJson } from '../../documents/located-json.ts';
import { withoutQuoteMarks } from '../../documents/markdown-lines.ts';
import type { Json } from '../../kernel/json.ts';
import type { ReadText } from '../family.ts';
import { areTexts, textsBySchema } from './bare-payloads.ts';
import type { CaseFault } from './case-faults.ts';
import {
  type CaseText,
  isJsonLines,
  isPayloadFault,
  type PayloadText,
  readCaseText,
  verbatimText,
} from './case-text.ts';
import { listedCases } from './listed-cases.ts';
import { pairedCases } from './paired-cases.ts';

/** The cases read from an agreement. */
export interface CasesRead {
  cases: Case[];
  payload: 'json' | 'text';
  faults: CaseFault[];
  /** Where the case numbers are in the text, in order. */
  numberSpans?: { start: number; end: number }[];
  /** The cases in the text, with the text they were read from. */
  read?: { text: string; cases: readonly CaseText[] };
  /** The JSON that lists the cases, if the text has no labelled ones. */
  listed?: ReadText;
}

/** What decides whether payloads are read as JSON or as texts. */
export interface PayloadHints {
  /** The payload type in the job. */
  payload: Job['payload'];
  hasSchemas: boolean;
  prose: string;
}

/** Reads the cases of an agreement: the structured ones, or those in a text. */
export function readCases(given: Texts['cases'], hints: PayloadHints, known?: KnownJson): CasesRead {
  if (given !== null && typeof given !== 'string') return structuredCases(given, hints);
  const text = given ?? '';
  if (text.trim() === '') return { cases: [], faults: [], payload: areTextsWanted(hints) ? 'text' : 'json' };
  return casesInText(withoutQuoteMarks(text), hints, known);
}

function structuredCases(
  given: Exclude<Texts['cases'], string | null>,
  { payload, hasSchemas }: PayloadHints,
): CasesRead {
  const cases = given.slice(0, MAX_CASES).map(({ request, response, expected }, index) => {
    return { testCase: index + 1, request, response, expected: expected ?? '', negative: false };
  });
  const areAllTexts =
    cases.length > 0 &&
    cases.every(({ request, response }) => typeof request === 'string' && typeof response === 'string');
  return {
    cases,
    faults: tooMany(given.length),
    payload: payload ?? (areAllTexts && !hasSchemas ? 'text' : 'json'),
  };
}

/** Whether the job or the document asks for texts as payloads. */
function areTextsWanted({ payload, hasSchemas, prose }: PayloadHints): boolean {
  return payload === 'text' || (payload === undefined && !hasSchemas && wantsText(prose));
}

function casesInText(text: string, hints: PayloadHints, known: KnownJson | undefined): CasesRead {
  const { payload: wantedPayload, hasSchemas, prose } = hints;
  const bareText = areTextsWanted(hints);
  const first = readCaseText(text, bareText ? 'allowed' : 'refused', known);
  const listed = first.cases.every(hasNoPayload) ? listedCases(first.json) : undefined;
  if (listed !== undefined) {
    return {
      cases: listed.slice(0, MAX_CASES),
      listed: { text, blocks: first.json.blocks },
      faults: tooMany(listed.length),
      payload: wantedPayload ?? 'json',
    };
  }
  const wanted = bareText ? 'text' : wantsJson(prose) ? 'json' : undefined;
  const isTextual = (cases: readonly CaseText[]) =>
    wantedPayload === undefined && !hasSchemas && areTexts(text, cases, wanted);
  // Next to fenced texts, an empty fence is a text too.
  const { cases: read, headings } =
    hasGaps(first.cases) && isTextual(first.cases)
      ? readCaseText(text, 'allowed', known)
      : (pairedCases(text, first) ?? first);
  const texts = { request: shareOfTexts(read, 'request'), response: shareOfTexts(read, 'response') };
  // Without schemas, one text on a side makes all payloads of that side texts, because a handler needs one type.
  const areAllTexts = wantedPayload === 'text' || isTextual(read);
  const isVerbatim = (side: Side) =>
    areAllTexts || (wantedPayload === undefined && !hasSchemas && texts[side] !== 'none');
  const verbatim = { request: isVerbatim('request'), response: isVerbatim('response') };
  const areBothTexts = (['request', 'response'] as const).every((side) => verbatim[side] || texts[side] === 'all');
  const chosenValue = (payload: PayloadText, side: Side): Json =>
    payload.value === undefined || verbatim[side] ? verbatimText(text, payload) : payload.value;
  // Next to single values, a payload with several values is a mistake.
  const isMixed = (side: Side) => hasSchemas && texts[side] === 'some';
  const mixed = { request: isMixed('request'), response: isMixed('response') };
  const strict =
    wantedPayload === 'json' ? read.map((each) => withoutTexts(text, each)) : withoutLines(text, read, mixed);
  return {
    payload: wantedPayload ?? (areBothTexts ? 'text' : 'json'),
    numberSpans: read.flatMap(({ numberSpan }) => (numberSpan === undefined ? [] : [numberSpan])),
    read: { text, cases: read },
    ...numberCases(strict, headings, chosenValue),
  };
}

/** How many of the readable payloads of a side are texts. */
function shareOfTexts(cases: readonly CaseText[], side: Side): 'none' | 'some' | 'all' {
  const payloads = cases.flatMap((each) => (isPayloadFault(each[side]) ? [] : [each[side]]));
  const texts = payloads.filter(({ value }) => value === undefined).length;
  return texts === 0 ? 'none' : texts === payloads.length ? 'all' : 'some';
}

function hasNoPayload({ request, response }: CaseText): boolean {
  return [request, response].every((payload) => isPayloadFault(payload) && payload.reason === 'missing');
}

/** Whether some payloads are empty, and all others were read. */
function hasGaps(cases: readonly CaseText[]): boolean {
  const faults = cases.flatMap(({ request, response }) => [request, response]).filter(isPayloadFault);
  return faults.length > 0 && faults.every(({ reason }) => reason === 'empty');
}

/** The payloads that were read before, so that they need not be parsed again. */
export function knownPayloads({ read }: CasesRead): KnownJson | undefined {
  if (read === undefined) return undefined;
  const payloads = read.cases.flatMap(({ request, response }) => [request, response]);
  return knownJson(
    read.text,
    payloads.flatMap((payload) =>
      isPayloadFault(payload) || payload.value === undefined ? [] : [{ ...payload.span, value: payload.value }],
    ),
  );
}

/**
 * The cases with bare scalars as texts if the schema of their side allows only texts, and the payload type that
 * results.
 */
export function withTextsOfSchemas(
  { cases, payload, read }: CasesRead,
  selection: Record<Side, LocatedSchema | null>,
  validation: CaseValidation,
): Pick<CasesRead, 'cases' | 'payload'> {
  if (read === undefined) return { cases, payload };
  const textsOf = (side: Side) => textsBySchema(read, side, selection[side], validation);
  const texts = { request: textsOf('request'), response: textsOf('response') };
  const payloadOf = (each: Case, side: Side): Json => texts[side]?.get(each[`${side}Span`]?.start ?? -1) ?? each[side];
  return {
    cases: cases.map((each) => ({
      ...each,
      request: payloadOf(each, 'request'),
      response: payloadOf(each, 'response'),
    })),
    payload: texts.request !== undefined && texts.response !== undefined ? 'text' : payload,
  };
}

/** If the job says that payloads are JSON, a text counts as unreadable. */
function withoutTexts(caseText: string, each: CaseText): CaseText {
  const checked = (payload: CaseText['request']): CaseText['request'] =>
    isPayloadFault(payload) || payload.value !== undefined
      ? payload
      : { reason: 'unreadable', at: payload.span.start, found: excerptAt(caseText, payload.span.start) };
  return { ...each, request: checked(each.request), response: checked(each.response) };
}

/** If other payloads of a side are single JSON values, several values on separate lines count as unreadable. */
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
