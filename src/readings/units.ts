import { readLines } from '../documents/markdown-lines.ts';
import type { Subject } from '../verification/subject.ts';

/** A sentence, list item, table row or clause of a document. */
export interface Unit {
  /** From 1. */
  number: number;
  /** Whether it is in the document, or in the description of a requester's task. */
  of: 'document' | 'task';
  /** Its text, on one line. */
  text: string;
  /** Its range there: UTF-16 offsets, end exclusive. */
  start: number;
  end: number;
}

/** Longest unit, in UTF-16 units. A longer one is split. */
const maxLength = 1_000;

/**
 * Splits a document into units, in order. Headings, table rows and lines of fenced blocks are units; schemas and blank
 * lines are not. Sentences are split as Unicode defines (UAX 29), in any language.
 */
export function unitsOf(document: string, schemas: readonly { start: number; end: number }[] = []): Unit[] {
  const prose = withBlanks(document, schemas);
  const units: Unit[] = [];
  const add = (start: number, end: number): void => {
    for (let at = start; at < end; at += maxLength) {
      const raw = prose.slice(at, Math.min(end, at + maxLength));
      const text = raw.replaceAll(/\s+/g, ' ').trim();
      if (!HAS_WORD.test(text)) continue;
      const from = at + (raw.length - raw.trimStart().length);
      units.push({ number: units.length + 1, of: 'document', text, start: from, end: at + raw.trimEnd().length });
    }
  };
  for (const { start, end, isOneUnit } of blocksOf(prose)) {
    if (isOneUnit) add(start, end);
    else for (const { start: from, end: to } of sentencesIn(prose, start, end)) add(from, to);
  }
  return units;
}

/** The sentences of a part of a text. The number of a list item belongs to its first sentence. */
function sentencesIn(text: string, start: number, end: number): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const { index, segment } of sentences.segment(unwrapped(text.slice(start, end)))) {
    const last = found.at(-1);
    if (last !== undefined && MARK.test(text.slice(last.start, last.end))) last.end += segment.length;
    else found.push({ start: start + index, end: start + index + segment.length });
  }
  return found;
}

/** Replaces the line ends inside sentences by blanks. Offsets stay the same. */
function unwrapped(paragraph: string): string {
  const lines = paragraph.split('\n');
  return lines
    .map((line) => (isFull(line) ? `${line.replace(/\r$/, ' ')} ` : `${line}\n`))
    .join('')
    .slice(0, -1);
}

/**
 * Whether a line ends because it is full, so that its sentence continues on the next line. Shorter lines are complete.
 */
function isFull(line: string): boolean {
  const text = line.trimEnd();
  return text.length >= fullLine && !ENDS.test(text);
}

/** Fewest UTF-16 units of a full line. */
const fullLine = 50;

const ENDS = /[.!?:;。！？：；][)\]"'”’」』）*_`]{0,3}$/;

const MARK = /^\W{0,4}[\p{N}\p{L}]{1,3}[.)、．）]\s*$/u;

/** A text with blanks in place of some parts. Offsets stay the same. */
function withBlanks(text: string, parts: readonly { start: number; end: number }[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of parts.toSorted((one, other) => one.start - other.start)) {
    const from = Math.max(start, at);
    if (end <= from) continue;
    pieces.push(text.slice(at, from), text.slice(from, end).replaceAll(/[^\n]/g, ' '));
    at = end;
  }
  return pieces.join('') + text.slice(at);
}

/** The units of an agreement, and of a requester's task: both state what a handler must do. Cached by subject. */
export function unitsOfSubject(subject: Pick<Subject, 'agreement' | 'task'>): readonly Unit[] {
  const units = cache.get(subject) ?? allUnits(subject);
  cache.set(subject, units);
  return units;
}

/** Each step of a reading asks for the units of the same subject. */
const cache = new WeakMap<object, readonly Unit[]>();

function allUnits({ agreement, task }: Pick<Subject, 'agreement' | 'task'>): Unit[] {
  const schemas = agreement.schemas.filter(({ baseUri }) => baseUri === undefined);
  const units = unitsOf(agreement.text, [...schemas, ...(agreement.data ?? [])]);
  const taskUnits = unitsOf(task?.description ?? '').map(
    (unit): Unit => ({ ...unit, of: 'task', number: units.length + unit.number }),
  );
  return [...units, ...taskUnits];
}

/** Whether a unit is a heading, which demands nothing by itself. */
export function isHeading({ text }: Unit): boolean {
  return /^#{1,6} /.test(text);
}

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });

const HAS_WORD = /[\p{L}\p{N}]/u;

interface Block {
  start: number;
  end: number;
  /** Whether the block is one unit: a heading, a table row or a line of a fenced block. */
  isOneUnit: boolean;
}

/** Splits a document into paragraphs, list items, table rows, headings and fenced lines. */
function blocksOf(document: string): Block[] {
  const blocks: Block[] = [];
  let current: Block | undefined;
  for (const { start, end, text, fenced } of readLines(document).lines) {
    const isGap = text.trim() === '' || (fenced && FENCE.test(text));
    const isOneUnit = fenced || ONE_UNIT.test(text);
    const continues =
      current !== undefined && current.isOneUnit === isOneUnit && (fenced || (!isOneUnit && !ITEM.test(text)));
    if (isGap) current = undefined;
    else if (current !== undefined && continues) current.end = end;
    else {
      current = { start, end, isOneUnit };
      blocks.push(current);
    }
  }
  return blocks;
}

const FENCE = /^[ \t>]*(?:`{3,}|~{3,})/;

/** A heading or a table row. */
const ONE_UNIT = /^[ \t>]*(?:#{1,6}[ \t]|\|)/;

/** The start of a list item, or of a line that begins with a label. */
const ITEM = /^[ \t>]*(?:[-*+•‣◦·●○▪■–—][ \t]|\(?[\p{N}\p{L}]{1,3}[.)、．）][ \t]?|\*\*[^*\n]{1,80}\*\*)/u;
