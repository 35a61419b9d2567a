/**
 * A text with `not` written out where it is drawn together with the word before: rules read one form of it. Not in what is quoted, nor in what
 * will not happen: that says how things go rather than what is to be done.
 */
export function writtenOut(text: string): string {
  return text.replace(DRAWN_TOGETHER, (whole, before: string | undefined) => {
    if (before === undefined) return whole;
    return /^ca$/i.test(before) ? `${before}nnot` : `${before} not`;
  });
}

const DRAWN_TOGETHER =
  /`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|\b(is|are|was|were|do|does|did|has|have|had|must|may|might|should|would|could|need|ca)n['’]t\b(?! going\b)/gi;
