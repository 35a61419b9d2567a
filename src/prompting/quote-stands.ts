import { visibleText } from './visible-text.ts';

/** Shorter quotes stand in nearly every text. A character outside ASCII says about twice as much as a letter. */
const FEWEST_CHARACTERS = 8;

/** Says whether a quote stands in a document word for word, white space aside; as written, or as the model was shown it. */
export function quoteStands(document: string, quote: string): boolean {
  const wanted = collapsed(quote);
  const weight = wanted.length + (wanted.match(/[^\x00-\x7f]/g)?.length ?? 0);
  return (
    weight >= FEWEST_CHARACTERS &&
    (collapsed(document).includes(wanted) || collapsed(visibleText(document)).includes(wanted))
  );
}

function collapsed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
