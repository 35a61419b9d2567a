import type { LocatedSchema } from '../contract/agreement.ts';
import type { FamilyReading } from '../families/family.ts';

/**
 * Whether a schema belongs to a base protocol and the document adds sentences of its own. These may change what the
 * schema says, so the schema alone proves no contradiction. The sentences are left to readers who understand them.
 */
export function isChangedInWords(located: LocatedSchema, { prose, bases, baseDocuments }: FamilyReading): boolean {
  if (located.baseUri === undefined) return false;
  const known = new Set(baseDocuments.flatMap((base) => sentencesOf(base.prose)));
  return sentencesOf(prose).some((sentence) => !known.has(sentence) && !bases.some((uri) => sentence.includes(uri)));
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
