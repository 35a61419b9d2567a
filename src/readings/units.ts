import { readLines } from '../documents/markdown-lines.ts';
import type { Subject } from '../verification/subject.ts';

/** A sentence, list item, table row or clause of a document. */
export interface Unit {
  /** From 1. */
  number: number;
  /** Where it stands: in the document, or in the description of a requester's task. */
  of: 'document' | 'task';
  /** Its words, on one line. */
  text: string;
  /** Its place there: UTF-16 offsets, end exclusive. */
  start: number;
  end: number;
}

/** Longest unit, in UTF-16 units; a longer one is parted. */
const maxLength = 1_000;

/**
 * The units of a document, in its order. A heading is one, and so is a fenced block; schemas and blank lines are none.
 * Sentences are told apart as Unicode says (UAX 29), in any language.
 */
export function unitsOf(document: string, schemas: readonly { start: number; end: number }[] = []): Unit[] {
  const prose = schemas.reduce((text, { start, end }) => blanked(text, start, end), document);
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
  for (const { start, end, isWhole } of blocksOf(prose)) {
    if (isWhole) add(start, end);
    else for (const { start: from, end: to } of sentencesIn(prose, start, end)) add(from, to);
  }
  return units;
}

/** The sentences of a part of a text; the number before an item belongs to its first one. */
function sentencesIn(text: string, start: number, end: number): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const { index, segment } of sentences.segment(unwrapped(text.slice(start, end)))) {
    const last = found.at(-1);
    if (last !== undefined && MARK.test(text.slice(last.start, last.end))) last.end += segment.length;
    else found.push({ start: start + index, end: start + index + segment.length });
  }
  return found;
}

/** A paragraph without the line ends that part its sentences for want of room; places stay where they are. */
function unwrapped(paragraph: string): string {
  const lines = paragraph.split('\n');
  return lines
    .map((line) => (isFull(line) ? `${line.replace(/\r$/, ' ')} ` : `${line}\n`))
    .join('')
    .slice(0, -1);
}

/** Whether a line ends since it is full, and its sentence goes on: others say one thing a line. */
function isFull(line: string): boolean {
  const text = line.trimEnd();
  return text.length >= fullLine && !ENDS.test(text);
}

/** Fewest UTF-16 units of a line that is full. */
const fullLine = 50;

const ENDS = /[.!?:;。！？：；][)\]"'”’」』）*_`]{0,3}$/;

const MARK = /^\W{0,4}[\p{N}\p{L}]{1,3}[.)、．）]\s*$/u;

function blanked(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, ' ') + text.slice(end);
}

/** The units of an agreement and then, of a requester, those of its task: both say what its handler must do. */
export function unitsOfSubject(subject: Pick<Subject, 'agreement' | 'task'>): readonly Unit[] {
  const units = known.get(subject) ?? allUnits(subject);
  known.set(subject, units);
  return units;
}

/** A subject is asked for its units by everybody who works on its reading. */
const known = new WeakMap<object, readonly Unit[]>();

function allUnits({ agreement, task }: Pick<Subject, 'agreement' | 'task'>): Unit[] {
  const schemas = agreement.schemas.filter(({ baseUri }) => baseUri === undefined);
  const units = unitsOf(agreement.text, schemas);
  const own = unitsOf(task?.description ?? '').map(
    (unit): Unit => ({ ...unit, of: 'task', number: units.length + unit.number }),
  );
  return [...units, ...own];
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
  /** A heading, a row of a table or a line of a fenced block, whatever sentences stand in it. */
  isWhole: boolean;
}

/** Runs of lines that make a paragraph, an item or a fenced block each. */
function blocksOf(document: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const { start, end, text, fenced } of readLines(document).lines) {
    const isGap = text.trim() === '' || (fenced && FENCE.test(text));
    const isWhole = fenced || WHOLE.test(text);
    const goesOn = open !== undefined && open.isWhole === isWhole && (fenced || (!isWhole && !ITEM.test(text)));
    if (isGap) open = undefined;
    else if (open !== undefined && goesOn) open.end = end;
    else {
      open = { start, end, isWhole };
      blocks.push(open);
    }
  }
  return blocks;
}

const FENCE = /^[ \t>]*(?:`{3,}|~{3,})/;

/** A heading or a row of a table. */
const WHOLE = /^[ \t>]*(?:#{1,6}[ \t]|\|)/;

/** The start of an item of a list, or of a line that has a label of its own. */
const ITEM = /^[ \t>]*(?:[-*+•‣◦·●○▪■–—][ \t]|\(?[\p{N}\p{L}]{1,3}[.)、．）][ \t]?|\*\*[^*\n]{1,80}\*\*)/u;
