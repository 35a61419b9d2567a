import { decodedText, isEpoch, isIsoTime, type Leaf } from '../scalar-kinds.ts';
import { looksLikeData, type Vocabulary } from '../vocabulary.ts';
import { isRenamableRun, WHOLE_BASIC_TIME } from './text-runs.ts';

/** The form of a datum: it decides how the datum is renamed and how certain a check may be. */
export type DatumKind = 'id' | 'name' | 'code' | 'word' | 'time' | 'number' | 'encoded';

/**
 * A value of cases or tool answers that no handler may know beforehand and that a fresh value of its shape can replace.
 */
export interface Datum {
  key: string;
  value: string | number;
  kind: DatumKind;
  /** The names of the members that hold it. */
  names: string[];
}

/**
 * The data in some leaves that can be renamed: nothing that a handler may know, no small integers, no form whose
 * meaning a fresh value would break.
 */
export function dataOf(leaves: readonly Leaf[], vocabulary: Vocabulary): Datum[] {
  const data = new Map<string, Datum>();
  const add = (value: string | number, kind: DatumKind, name: string): void => {
    const key = `${typeof value}:${value}`;
    const known = data.get(key);
    if (known) known.names.push(name);
    else data.set(key, { key, value, kind, names: [name] });
  };
  const isSpelledTwice = spelledTwice(leaves);
  for (const { value, name } of leaves) {
    if (typeof value === 'number') {
      if (isRenamableNumber(value, vocabulary)) add(value, isEpoch(value) ? 'time' : 'number', name);
    } else if (typeof value === 'string') {
      for (const segment of segmentsOf(value)) {
        const kind = kindOf(segment, vocabulary);
        if (kind && !isSpelledTwice(segment)) add(segment, kind, name);
      }
    }
  }
  return [...data.values()];
}

/** Whether a datum is too distinctive to be in an answer by chance. */
export function isDistinctive({ kind, value }: Datum): boolean {
  if (kind === 'word') return false;
  if (kind === 'number') return typeof value === 'number' ? !Number.isInteger(value) || Math.abs(value) >= 1000 : true;
  return kind !== 'id' || (typeof value === 'string' && (value.length >= 3 || looksLikeData(value)));
}

/**
 * The fields of a text. A short text is one field; longer ones are split at the separators of CSV, XML, forms and
 * prose, and adjacent numbers at the space.
 */
export function segmentsOf(text: string): string[] {
  if (text.length <= 80 && !/[\n<>]/.test(text)) return rowOf(text);
  const markup = new Set(
    [...text.matchAll(/<[/?!]?([\w:.-]+)|\s([\w:.-]+)=["']/g)].flatMap(([, tag, attribute]) => [tag, attribute]),
  );
  return text
    .split(/[\n\r\t,;|<>"'=&{}[\]()]+|:\s/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !markup.has(part) && !part.startsWith('/'))
    .flatMap(rowOf);
}

/** Longer texts are not names of things. */
const maxSpelled = 40;

/** Tells whether a text with few digits also occurs with other separators: it can then be renamed only as a whole. */
function spelledTwice(leaves: readonly Leaf[]): (text: string) => boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const known = new Map<string, string>();
  const twice = new Set<string>();
  for (const { value } of leaves) {
    if (typeof value !== 'string' || value.length > maxSpelled || !/\d/.test(value)) continue;
    const [form, key] = [value.toLowerCase(), plain(value)];
    if ((known.get(key) ?? form) !== form) twice.add(key);
    known.set(key, form);
  }
  return (text) => twice.size > 0 && text.replace(/\D/g, '').length <= 2 && twice.has(plain(text));
}

function isRenamableNumber(value: number, vocabulary: Vocabulary): boolean {
  if (!Number.isFinite(value) || vocabulary.hasNumber(value)) return false;
  return Number.isInteger(value) ? Math.abs(value) >= 1000 && Math.abs(value) < 2 ** 50 : Math.abs(value) > 1e-9;
}

/** Adjacent numbers are a row of a table, not one datum. Of fixed-width fields, only the words can be told apart. */
function rowOf(text: string): string[] {
  if (/\S {2,}/.test(text) && /\d\p{L}|\p{L}\d/u.test(text)) return text.match(/\p{L}{4,}/gu) ?? [];
  const words = text.split(/[ \t]+/);
  const numbers = words.filter((word) => /^-?\d+(?:\.\d+)?$/.test(word));
  return numbers.length >= 2 && words.length - numbers.length <= 1 ? words : [text];
}

function kindOf(text: string, vocabulary: Vocabulary): DatumKind | undefined {
  if (text.length > 4_000 || vocabulary.hasText(text)) return undefined;
  if (isIsoTime(text) || WHOLE_BASIC_TIME.test(text)) return 'time';
  // Forms with bounded or checked parts: a fresh value of the same shape would often be invalid.
  if (
    /^\d{1,2}:\d{2}|^-?P(?=[\dT])(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?$|^v?\d+(?:\.\d+){2,}|^eyJ|^-?\d{1,3}(?:\.\d+)?\s?[%°\p{L}]{0,3}$/u.test(
      text,
    )
  ) {
    return /^\d{1,3}\.\d+$/.test(text) ? 'number' : undefined;
  }
  if (/^-?\d+\.\d+$/.test(text)) return 'number';
  if (decodedText(text) !== undefined) return 'encoded';
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  if (/\d/.test(text)) return /\s/.test(text) && !/\d{4}/.test(text) ? nameOf(text, vocabulary) : 'id';
  return nameOf(text, vocabulary);
}

function nameOf(text: string, vocabulary: Vocabulary): DatumKind | undefined {
  const fresh = [...text.matchAll(/[\p{L}\p{M}]+/gu)].filter(([run]) => isRenamableRun(run, vocabulary));
  if (fresh.length === 0) return undefined;
  if (/^[A-Z]{3}$/.test(text)) return 'code';
  if (/\s/.test(text.trim()) || /\p{Lu}\p{Ll}/u.test(text) || /[^\u0000-\u024f]/.test(text)) return 'name';
  return 'word';
}
