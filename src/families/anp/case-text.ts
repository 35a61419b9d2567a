// biome-ignore-all lint/style/noExcessiveLinesPerFile: one grammar of case texts.
import { MAX_CASES } from '../../contract/agreement.ts';
import { type BrokenJson, findJsonBlocks, type JsonBlock, type JsonBlocks } from '../../documents/json-blocks.ts';
import { excerptAt, type KnownJson, wholeJson } from '../../documents/located-json.ts';
import { type Fence, type Line, readLines } from '../../documents/markdown-lines.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import {
  CASE_WORDS,
  REQUEST_LABELS,
  RESPONSE_LABELS,
  RESULT_LABELS,
  SHORT_CASE_WORDS,
  STORY_WORDS,
} from '../../lexicon/testing.ts';
import { type Cell, cellsOf, payloadColumns, payloadRows } from './case-table.ts';

/** A payload in the case text. */
export interface PayloadText {
  /** The value, if the text is JSON. */
  value?: Json;
  /** The place of the value or text: UTF-16 offsets, end exclusive. */
  span: Span;
  /** The place of the whole text, and the indentation of its fences. */
  raw: Span & { indent: number };
  /** Whether its fence is labelled as JSON. */
  isJson?: boolean;
}

/** Why a payload cannot be read. */
export type PayloadFault = {
  reason: 'missing' | 'empty' | 'unreadable' | 'too-deep' | 'too-large' | 'several' | 'repeated';
  at: number;
  found?: string;
};

/** One case of a case text, as far as it can be read. */
export interface CaseText {
  /** The number in its heading; `null` if there is none. */
  number: number | null;
  /** Where the number in its heading is. */
  numberSpan?: { start: number; end: number };
  start: number;
  request: PayloadText | PayloadFault;
  response: PayloadText | PayloadFault;
  expected: string;
}

/** The cases read from a case text. */
export interface CaseTexts {
  cases: CaseText[];
  /** The number of cases, including those that were not read. */
  headings: number;
  /** The start of each case with a heading. */
  heads: Pick<CaseText, 'number' | 'numberSpan' | 'start'>[];
  json: JsonBlocks;
}

/** Whether a payload cannot be read. */
export function isPayloadFault(payload: PayloadText | PayloadFault): payload is PayloadFault {
  return 'reason' in payload;
}

/** Whether bare text that is not JSON, and an empty fence, is accepted as a payload or is a fault. */
export type BareText = 'allowed' | 'refused';

const DECORATION =
  '\\ufeff?[ \\t]*(?:>[ \\t]*)*(?:[-*+•][ \\t]+|\\d{1,3}[.)、][ \\t]*)?(?:#{1,6}[ \\t]*)?(?:<[a-z][a-z0-9]{0,9}>[ \\t]*){0,3}(?:(?:[\\u2600-\\u27bf\\ufe0f]|[\\ud83c-\\ud83e][\\udc00-\\udfff]){1,4}[ \\t]*)?(?:\\*{1,2}|_{1,2}|`)?[ \\t]*';
const NUMERAL = '[0-9０-９]{1,9}|[零一二三四五六七八九十百]{1,5}';
const anyOf = (labels: readonly string[]): string => labels.join('|');
const HEADING = new RegExp(
  `^${DECORATION}(?:${anyOf(CASE_WORDS)}|(${anyOf(SHORT_CASE_WORDS)}))(?![a-zа-яäöüß])[ \\t]*(?:#|no\\.?|nr\\.?|n[.ºo°]{1,2}|number|№|编号|[:：_–—-])?[ \\t]*(${NUMERAL})?[ \\t]*(.*)$`,
  'di',
);
const END_OF_LABEL =
  '[ \\t]*(?:\\*{1,2}|_{1,2}|`)?[ \\t]*(?:[(（][^)）\\n]{0,40}[)）])?[ \\t]*(?:\\*{1,2}|_{1,2})?[ \\t\\u00a0\\u202f]*([:：]|$)[ \\t]*(?:\\*\\*|__|[*_](?=\\s|$))?';
const LABEL = new RegExp(
  `^${DECORATION}(?:(${anyOf(REQUEST_LABELS)})|(?:${anyOf(RESPONSE_LABELS)}))${END_OF_LABEL}`,
  'i',
);
const RESULT_LABEL = new RegExp(
  `^${DECORATION}(?:${anyOf(RESULT_LABELS)})[ \\t]*(?:\\*{1,2}|_{1,2}|\`)?[ \\t\\u00a0\\u202f]*([:：]|$)[ \\t]*(?:\\*\\*|__|[*_](?=\\s|$))?`,
  'i',
);
/** The first word of a step in a Given-When-Then story; its sentence continues after it. */
const STEP = new RegExp(
  `^${DECORATION}(?:(${anyOf(STORY_WORDS.before)})|(${anyOf(STORY_WORDS.request)})|${anyOf(STORY_WORDS.response)})(?![a-zа-яäöüß])[ \\t]*(?:\\*{1,2}|_{1,2})?`,
  'i',
);

/** Most headings and labels examined: those of about a thousand cases. */
const MAX_MARKS = 5_000;

/**
 * Reads the cases of a case text, at most `MAX_CASES`. A case is a heading with three labels; in a text without labels,
 * a row of a table with a column for each part, or a story with `Given`, `When` and `Then`. Linear in the text; never
 * throws.
 */
export function readCaseText(text: string, bareText: BareText, known?: KnownJson): CaseTexts {
  const { lines, fences } = readLines(text);
  const json = findJsonBlocks(text, fences, known);
  const { blocks } = json;
  const context: Context = {
    text,
    fences,
    bareText,
    blocksByStart: new Map(blocks.map((block) => [block.start, block])),
  };
  const labelled = findMarks(lines, blocks, markOf);
  const isLabelled = labelled.some(isPayloadMark);
  if (!isLabelled) {
    const byRow = payloadRows(lines, partNamed);
    const rows = byRow.length > 0 ? byRow : payloadColumns(lines, partNamed);
    if (rows.length > 0)
      return {
        cases: rows.slice(0, MAX_CASES).map((row) => caseOfRow(context, row)),
        headings: rows.length,
        heads: [],
        json,
      };
  }
  const steps = isLabelled ? [] : findMarks(lines, blocks, (line) => stepOf(line) ?? fieldOf(line));
  const marks = withoutStrayMarks([...labelled, ...steps].sort((a, b) => a.start - b.start));
  const cases: CaseText[] = [];
  let current: CaseText | undefined;
  const begin = (mark: Mark): CaseText => {
    const made: CaseText = {
      number: mark.number ?? null,
      ...(mark.numberSpan === undefined ? {} : { numberSpan: mark.numberSpan }),
      start: mark.start,
      request: { reason: 'missing', at: mark.start },
      response: { reason: 'missing', at: mark.start },
      expected: '',
    };
    cases.push(made);
    return made;
  };
  for (const [index, mark] of marks.entries()) {
    const end = mark.contentEnd ?? marks[index + 1]?.start ?? text.length;
    if (mark.kind === 'case') {
      if (cases.length >= MAX_CASES) break;
      current = begin(mark);
      continue;
    }
    if (mark.kind === 'before') continue;
    current ??= begin({ ...mark, kind: 'case' });
    if (mark.kind === 'result') current.expected = text.slice(mark.end, end).trim();
    else {
      const before = current[mark.kind];
      const payload = readPayload(context, mark.end, end);
      current[mark.kind] =
        isPayloadFault(before) && before.reason === 'missing' ? payload : { reason: 'repeated', at: mark.start };
    }
  }
  const begun = marks.filter(({ kind }) => kind === 'case');
  const heads = begun
    .filter(({ start, end }) => end > start)
    .map(({ start, number, numberSpan }) => ({
      start,
      number: number ?? null,
      ...(numberSpan === undefined ? {} : { numberSpan }),
    }));
  return { cases, headings: Math.max(cases.length, begun.length), heads, json };
}

/**
 * Drops a title or outline above all cases, and lines of an expected result that only look like labels. Adds a start
 * for cases without a heading.
 */
function withoutStrayMarks(all: readonly Mark[]): Mark[] {
  const isNamed = all.some(({ kind, number, isShort }) => kind === 'case' && number !== undefined && isShort !== true);
  const marks = withoutOutlines(isNamed ? all.filter(({ isShort }) => isShort !== true) : all);
  const kept: Mark[] = [];
  const found = new Set<Mark['kind']>();
  for (const [index, mark] of marks.entries()) {
    if (mark.kind === 'case') {
      found.clear();
      if (mark.number !== undefined || marks[index + 1]?.kind !== 'case') kept.push(mark);
      continue;
    }
    const isComplete = found.has('request') && found.has('response');
    const next = marks[index + 1];
    if (mark.kind === 'request' && isComplete && next?.kind === 'response') {
      found.clear();
      kept.push({ kind: 'case', start: mark.start, end: mark.start });
    } else if (found.has('result') && found.has(mark.kind)) continue;
    found.add(mark.kind);
    kept.push(mark);
  }
  return kept;
}

/**
 * Takes titles without content for an outline, not for cases, if there are two or more in a row before or after all
 * cases, and if other cases have their numbers.
 */
function withoutOutlines(marks: readonly Mark[]): readonly Mark[] {
  const isTitle = (index: number) => marks[index]?.kind === 'case' && (marks[index + 1]?.kind ?? 'case') === 'case';
  const written = new Set(
    marks.flatMap(({ number }, index) => (number === undefined || isTitle(index) ? [] : [number])),
  );
  const isRepeated = (index: number) => isTitle(index) && written.has(marks[index]?.number ?? Number.NaN);
  let first = 0;
  while (isRepeated(first)) first += 1;
  let last = marks.length;
  while (last > first && isRepeated(last - 1)) last -= 1;
  const isOutline = (index: number) => (first > 1 && index < first) || (marks.length - last > 1 && index >= last);
  return marks.map((mark, index) => (isOutline(index) ? { ...mark, kind: 'before' } : mark));
}

interface Mark {
  kind: 'case' | 'request' | 'response' | 'result' | 'before';
  start: number;
  /** Where the content starts. */
  end: number;
  /** Where the content ends; default: at the next mark. */
  contentEnd?: number;
  number?: number;
  numberSpan?: { start: number; end: number };
  /** Whether it uses a short word for a case, such as "test". */
  isShort?: boolean;
}

function isPayloadMark({ kind }: Mark): boolean {
  return kind === 'request' || kind === 'response';
}

function findMarks(
  lines: readonly Line[],
  hidden: readonly JsonBlock[],
  read: (line: Pick<Line, 'start' | 'end' | 'text'>) => Mark | undefined,
): Mark[] {
  const marks: Mark[] = [];
  let block = 0;
  for (const line of lines) {
    if (marks.length >= MAX_MARKS) break;
    for (let node = hidden[block]; node !== undefined && node.end <= line.start; node = hidden[block]) block += 1;
    const covering = hidden[block];
    if (line.fenced || line.text.trim() === '' || (covering !== undefined && covering.start < line.start)) continue;
    const mark = read(line);
    if (mark !== undefined) marks.push(mark);
  }
  return marks;
}

function markOf(line: Pick<Line, 'start' | 'end' | 'text'>): Mark | undefined {
  const text = line.text.slice(0, 400);
  const result = RESULT_LABEL.exec(text);
  if (result !== null) return { kind: 'result', start: line.start, end: line.start + result[0].length };
  const label = LABEL.exec(text);
  if (label !== null) {
    const kind = label[1] === undefined ? 'response' : 'request';
    return { kind, start: line.start, end: line.start + label[0].length };
  }
  const heading = HEADING.exec(text);
  if (heading === null) return undefined;
  const [, short, numeral, rest = ''] = heading;
  // A line of prose may begin with the word, so a heading must be marked as one or consist only of word and number.
  const marked = /^\ufeff?[ \t]*(?:>[ \t]*)*(?:[-*+][ \t]+)?(?:#{1,6}|\*\*|__|<[a-z])/.test(text);
  if (!marked && (numeral === undefined || !/^[ \t]*(?:[:：.、—–-].*)?(?:\*\*|__)?[ \t]*$/.test(rest)))
    return undefined;
  if (numeral === undefined) return { kind: 'case', start: line.start, end: line.end };
  const at = line.start + (heading.indices?.[2]?.[0] ?? 0);
  return {
    kind: 'case',
    start: line.start,
    end: line.end,
    number: numberOf(numeral),
    numberSpan: { start: at, end: at + numeral.length },
    isShort: short !== undefined,
  };
}

function stepOf({ start, text }: Pick<Line, 'start' | 'text'>): Mark | undefined {
  const step = STEP.exec(text.slice(0, 400));
  if (step === null) return undefined;
  const [all, before, request] = step;
  const kind = before === undefined ? (request === undefined ? 'response' : 'request') : 'before';
  return { kind, start, end: start + all.length };
}

/** A table row with two cells, label and content, in a table that is one case. */
function fieldOf({ start, text }: Pick<Line, 'start' | 'text'>): Mark | undefined {
  const [label, content, third] = cellsOf({ start, text });
  if (label === undefined || content === undefined || third !== undefined) return undefined;
  const partOf = ({ start: from, end }: Span) => partNamed(text.slice(from - start, end - start));
  const kind = partOf(label);
  if (kind === undefined || kind === 'case' || partOf(content) !== undefined) return undefined;
  const bare = withoutTicks(text, { start: content.start - start, end: content.end - start });
  return { kind, start, end: start + bare.start, contentEnd: start + bare.end };
}

/** A span without the backticks around it, if it is all code. */
function withoutTicks(text: string, { start, end }: Span): Span {
  const isCode = /^`[^`]*`$/.test(text.slice(start, end));
  return isCode ? { start: start + 1, end: end - 1 } : { start, end };
}

/** The part of a case that a label names, in a column head or a member name; `undefined` if none. */
export function partNamed(label: string): Mark['kind'] | undefined {
  return markOf({ start: 0, end: label.length, text: label })?.kind;
}

/** A case from a table row; its number is in the first column. */
function caseOfRow(context: Context, row: readonly Cell[]): CaseText {
  const { text } = context;
  const cellOf = (kind: Mark['kind']) => row.find((cell) => cell.kind === kind);
  const start = row[0]?.start ?? 0;
  const payloadOf = (kind: 'request' | 'response'): PayloadText | PayloadFault => {
    const cell = cellOf(kind);
    if (cell === undefined) return { reason: 'missing', at: start };
    const bare = withoutTicks(text, cell);
    return unescapedCell(text, bare) ?? readPayload(context, bare.start, bare.end);
  };
  const named = row.find(({ kind }) => kind === undefined || kind === 'case');
  const name = named === undefined ? '' : text.slice(named.start, named.end);
  const numeral = /^\W{0,3}(\d{1,9})\W{0,3}$/.exec(name)?.[1] ?? HEADING.exec(name)?.[2];
  const result = cellOf('result');
  return {
    number: numeral === undefined ? null : numberOf(numeral),
    start,
    request: payloadOf('request'),
    response: payloadOf('response'),
    expected: result === undefined ? '' : text.slice(result.start, result.end),
  };
}

/** The JSON of a cell with escaped bars, which JSON itself does not know; `undefined` if there are none. */
function unescapedCell(text: string, span: Span): PayloadText | undefined {
  const cell = text.slice(span.start, span.end).replaceAll('\\|', '|');
  if (cell.length === span.end - span.start) return undefined;
  const whole = wholeJson(cell, 0, cell.length);
  return whole.ok ? { value: whole.value, span, raw: { ...span, indent: 0 } } : undefined;
}

const CHINESE_DIGITS = '零一二三四五六七八九';

/** The value of a numeral in ASCII, full-width or Chinese digits (up to 999). */
function numberOf(numeral: string): number {
  if (/^[0-9０-９]+$/.test(numeral)) {
    return Number(numeral.replace(/[０-９]/g, (digit) => String(digit.charCodeAt(0) - 0xff10)));
  }
  let total = 0;
  let digit = 0;
  for (const character of numeral) {
    const unit = character === '十' ? 10 : character === '百' ? 100 : 0;
    if (unit === 0) digit = CHINESE_DIGITS.indexOf(character);
    else {
      total += Math.max(1, digit) * unit;
      digit = 0;
    }
  }
  return total + digit;
}

/** The input for reading a payload. */
interface Context {
  text: string;
  fences: readonly Fence[];
  bareText: BareText;
  blocksByStart: ReadonlyMap<number, JsonBlock>;
}

function readPayload(context: Context, start: number, end: number): PayloadText | PayloadFault {
  const { text, fences, bareText } = context;
  const [fence, second] = fencesWithin(fences, start, end);
  if (second !== undefined) return { reason: 'several', at: second.start };
  if (fence !== undefined) return readFenced(context, fence);
  const bare = trimmedSpan(text, start, end);
  if (bare.start === bare.end) return { reason: 'empty', at: start };
  const raw = { ...bare, indent: 0 };
  const whole = jsonAt(context, bare);
  if (whole.ok) return { value: whole.value, span: { start: whole.start, end: whole.end }, raw };
  return bareText === 'allowed' ? { span: bare, raw } : readBareInProse(context, bare, whole);
}

/** The single strict JSON value of a span; reuses a value found before. */
function jsonAt({ text, blocksByStart }: Context, { start, end }: Span): ReturnType<typeof wholeJson> {
  const block = blocksByStart.get(start);
  if (block !== undefined && block.end === end && !block.lenient) return { ok: true, start, end, value: block.value };
  return wholeJson(text, start, end);
}

interface Span {
  start: number;
  end: number;
}

/** The first two fenced blocks between two offsets. */
function fencesWithin(fences: readonly Fence[], start: number, end: number): Fence[] {
  let low = 0;
  for (let high = fences.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((fences[middle]?.start ?? end) < start) low = middle + 1;
    else high = middle;
  }
  return fences.slice(low, low + 2).filter((fence) => fence.end <= end);
}

const BEGINS_AS_JSON = /^(?:\{|\[\s*\{)\s*"/;

/** Bare JSON surrounded by words; accepted if there is exactly one value. */
function readBareInProse({ text }: Context, bare: Span, fault: BrokenPlace): PayloadText | PayloadFault {
  const { blocks, broken } = findJsonBlocks(text.slice(bare.start, bare.end), []);
  // Brackets in prose, such as footnotes, do not count as payloads next to an object.
  const objects = blocks.filter(({ value }) => isObject(value));
  const [first, second] = objects.length > 0 ? objects : blocks;
  const [firstBroken] = broken;
  if (firstBroken !== undefined) return unreadable(text, { ...firstBroken, at: bare.start + firstBroken.at });
  if (second !== undefined) return { reason: 'several', at: bare.start + second.start };
  const isInnerPiece = (first?.start ?? 0) > 0 && BEGINS_AS_JSON.test(text.slice(bare.start, bare.start + 100));
  if (first === undefined || first.lenient || isInnerPiece) return unreadable(text, fault);
  const span = { start: bare.start + first.start, end: bare.start + first.end };
  return { value: first.value, span, raw: { ...span, indent: 0 } };
}

type BrokenPlace = Pick<BrokenJson, 'at' | 'beyond'>;

function unreadable(text: string, { at, beyond }: BrokenPlace): PayloadFault {
  const reason = beyond === undefined ? 'unreadable' : beyond === 'depth' ? 'too-deep' : 'too-large';
  return { reason, at, found: excerptAt(text, at) };
}

function readFenced(context: Context, fence: Fence): PayloadText | PayloadFault {
  const { text, bareText } = context;
  const span = { start: fence.contentStart, end: fence.contentEnd };
  const raw = { ...span, indent: fence.indent };
  const content = trimmedSpan(text, span.start, span.end);
  const isEmpty = content.start === content.end;
  // Between fences, an empty text is visible.
  const isEmptyText = isEmpty && fence.language === '' && bareText === 'allowed';
  if (isEmptyText) return { span, raw };
  if (isEmpty && /^(?:json|jsonc|json5)?$/.test(fence.language)) return { reason: 'empty', at: span.start };
  const whole = jsonAt(context, fence.language === 'http' && bareText === 'refused' ? bodyOf(text, content) : content);
  const isJson = /^json5?c?$/.test(fence.language);
  if (whole.ok) return { value: whole.value, span: { start: whole.start, end: whole.end }, raw, isJson };
  const looksLikeJson = /^[{[]\s*["{[\]}]/.test(text.slice(content.start, content.start + 200));
  const isMeantAsJson = isJson || (fence.language === '' && looksLikeJson && bareText === 'refused');
  return isMeantAsJson && !isJsonLines(text.slice(content.start, content.end))
    ? unreadable(text, whole)
    : { span, raw };
}

/** The part after the first empty line of an HTTP message. */
function bodyOf(text: string, { start, end }: Span): Span {
  const head = /\r?\n[ \t]*\r?\n/.exec(text.slice(start, end));
  return head === null ? { start, end } : trimmedSpan(text, start + head.index, end);
}

/** Whether a text has several JSON values, one per line; together they are a text, not JSON. */
export function isJsonLines(content: string): boolean {
  const lines = content.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every((line) => wholeJson(line, 0, line.trimEnd().length).ok);
}

/** The text between two fences, without the indentation of the opening fence and the last line break. */
function unindented(text: string, indent: number): string {
  const lines = text.replace(/\r?\n$/, '').split('\n');
  return lines.map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length))).join('\n');
}

function trimmedSpan(text: string, start: number, end: number): Span {
  const slice = text.slice(start, end);
  const first = start + (slice.length - slice.trimStart().length);
  return { start: first, end: Math.max(first, end - (slice.length - slice.trimEnd().length)) };
}

/** The exact text of a payload, without the indentation of its fence and the last line break. */
export function verbatimText(text: string, { raw }: PayloadText): string {
  return unindented(text.slice(raw.start, raw.end), raw.indent);
}
