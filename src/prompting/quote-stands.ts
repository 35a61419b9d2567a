import { visibleText } from './visible-text.ts';

/**
 * Shorter quotes occur in almost any text. A character outside ASCII counts twice, because it carries more meaning than
 * a letter.
 */
const FEWEST_CHARACTERS = 8;

/**
 * Whether a document contains a quote word for word, ignoring white space: in the original text, or in the text shown
 * to the model.
 */
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
