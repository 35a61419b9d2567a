/**
 * A text in plain words: nothing in bold or italics, and `not` written out where it is drawn together with the word before, for rules read one form
 * of it. Neither in what is quoted, nor in what will not happen: that says how things go rather than what is to be done.
 */
export function writtenOut(text: string): string {
  return text
    .replace(EMPHASIS, (marked, words?: string) => words ?? marked)
    .replace(DRAWN_TOGETHER, (whole, before: string | undefined) => {
      if (before === undefined) return whole;
      return /^ca$/i.test(before) ? `${before}nnot` : `${before} not`;
    });
}

const EMPHASIS = /`[^`\n]*`|(?<![*\p{L}\p{N}])\*{1,3}(?=\S)([^*\n]{1,200})(?<=\S)\*{1,3}(?![*\p{L}\p{N}])/gu;

const DRAWN_TOGETHER =
  /`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|\b(is|are|was|were|do|does|did|has|have|had|must|may|might|should|would|could|need|ca)n['’]t\b(?! going\b)/gi;
