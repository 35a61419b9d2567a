import type { LocatedSchema } from '../contract/agreement.ts';
import type { FamilyReading } from '../families/family.ts';

/**
 * Whether a schema stands in a protocol that the document builds on, and the document adds words of its own: these may change
 * what the schema says, so that it alone contradicts nothing. What the words say is for those who read them.
 */
export function isChangedInWords(located: LocatedSchema, { prose, bases, baseDocuments }: FamilyReading): boolean {
  if (located.baseUri === undefined) return false;
  const known = new Set(baseDocuments.flatMap((base) => sentencesOf(base.prose)));
  return sentencesOf(prose).some((sentence) => !known.has(sentence) && !bases.some((uri) => sentence.includes(uri)));
}

const HEADING = /^[ \t]*#{1,6}[ \t]/;

/** What stands in a text, line by line and sentence by sentence; headings only say what stands below them. */
function sentencesOf(prose: string): string[] {
  return prose
    .split('\n')
    .filter((line) => !HEADING.test(line))
    .flatMap((line) => line.split(/(?<=[.!?。！？])(?=\s|[^\x00-\x7f])/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}
