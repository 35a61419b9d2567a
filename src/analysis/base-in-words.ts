import type { LocatedSchema } from '../contract/agreement.ts';
import type { FamilyReading } from '../families/family.ts';
import { DEPENDING } from '../lexicon/qualifying.ts';

/**
 * Whether a schema belongs to a base protocol and the document adds sentences of its own. These may change what the
 * schema says, so the schema alone proves no contradiction. The sentences are left to readers who understand them.
 */
export function isChangedInWords(located: LocatedSchema, { prose, bases, baseDocuments }: FamilyReading): boolean {
  if (located.baseUri === undefined) return false;
  const known = new Set(baseDocuments.flatMap((base) => sentencesOf(base.prose)));
  return sentencesOf(prose).some((sentence) => !known.has(sentence) && !onlyNames(sentence, bases));
}

/** Whether a sentence names a base protocol and says no more about it: it has one clause and no condition. */
function onlyNames(sentence: string, bases: readonly string[]): boolean {
  const named = bases.filter((uri) => sentence.includes(uri));
  if (named.length === 0) return false;
  const rest = named.reduce((text, uri) => text.replaceAll(uri, NAME), sentence);
  const clauses = rest.split(CLAUSE_END).filter((clause) => !clause.includes(NAME) && hasSeveralWords(clause));
  return clauses.length === 0 && !DEPENDING.test(rest);
}

/** Stands for the URI, which may hold marks that end a clause. */
const NAME = '\ufffc';

const CLAUSE_END = /[,;，；、—–]/;

/** Whether a clause has three words, or three characters of a script without spaces. */
function hasSeveralWords(clause: string): boolean {
  return clause.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '').length >= 3 || /[^\x00-\u0fff]{3}/.test(clause);
}

const HEADING = /^[ \t]*#{1,6}[ \t]/;

/** The sentences of a text, without headings. */
function sentencesOf(prose: string): string[] {
  return prose
    .split('\n')
    .filter((line) => !HEADING.test(line))
    .flatMap((line) => line.split(/(?<=[.!?。！？])(?=\s|[^\x00-\x7f])/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}
