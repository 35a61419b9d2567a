import { isObject, type Json } from '../../kernel/json.ts';

/** Most sentences taken from one artifact, and its deepest level with sentences. */
const MAX_TEXTS = 500;
const MAX_DEPTH = 16;

/**
 * What an artifact says in words: its description, then every other text in it that is a sentence, those of a method
 * under its name with its errors. Schemas, examples and signatures say nothing in words.
 */
export function wordsOf(artifact: Json, isChosen: (method: string) => boolean): string {
  if (!isObject(artifact)) return '';
  const { methods, ...rest } = artifact;
  const parts = textsIn(rest, 0);
  for (const method of Array.isArray(methods) ? methods : []) {
    const name = isObject(method) ? method.name : undefined;
    if (typeof name !== 'string' || !isChosen(name)) continue;
    const texts = [...textsIn(method, 0), ...errorList(method)];
    if (texts.length > 0) parts.push(`## ${name.replaceAll(/\s+/g, ' ')}`, ...texts);
  }
  return parts.slice(0, MAX_TEXTS).join('\n\n');
}

function textsIn(value: Json, depth: number): string[] {
  if (typeof value === 'string') return SENTENCE.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, depth + 1));
  return Object.entries(value)
    .sort(([one], [other]) => Number(other === 'description') - Number(one === 'description'))
    .flatMap(([name, member]) => {
      if (WORDLESS.test(name)) return [];
      return WORDY.has(name) && typeof member === 'string' ? [member] : textsIn(member, depth + 1);
    });
}

function errorList(method: Json): string[] {
  const errors = isObject(method) && Array.isArray(method.errors) ? method.errors : [];
  const lines = errors.flatMap((error) => {
    if (!isObject(error) || typeof error.code !== 'number' || typeof error.message !== 'string') return [];
    return [`- ${error.code}: ${error.message.replaceAll(/\s+/g, ' ')}`];
  });
  return lines.length === 0 ? [] : [`Errors:\n${lines.join('\n')}`];
}

/** Three words, or any in a script without spaces. */
const SENTENCE = /\S\s+\S+\s+\S|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

/** Members whose text is said, however short. */
const WORDY: ReadonlySet<string> = new Set(['description', 'summary']);

const WORDLESS = /schema|^(?:digest|errors|proof|signatures?|examples|test_cases)$|_ur[il]$/;
