import { CODE_WRITERS, KEPT_SECRET } from '../lexicon/instructing.ts';
import type { Subject } from './subject.ts';

/**
 * What stands in quotes in a comment of the document, or in a line that tells whoever writes the code something to be kept secret or to go
 * before the rules, and nowhere else in the document, cases, schemas or tools. Nobody who keeps the agreement has a use for it.
 */
export function hiddenWordsOf({ agreement, cases, tools, loose }: Subject): string[] {
  const { comments, open } = commentsOf(agreement.text);
  const secret = open.split('\n').filter((line) => CODE_WRITERS.test(line) && KEPT_SECRET.test(line));
  if (comments.length === 0 && secret.length === 0) return [];
  const known = [
    ...open.split('\n').filter((line) => !secret.includes(line)),
    JSON.stringify([cases, tools, loose]),
  ].join('\n');
  return [...comments, ...secret].flatMap((passage) =>
    [...passage.matchAll(QUOTED)].flatMap(([, word = '']) =>
      known.includes(word) || (PLAIN.test(word) && !CODE_WRITERS.test(passage) && !KEPT_SECRET.test(passage))
        ? []
        : [word],
    ),
  );
}

/** The HTML comments of a text, and the text without them; one that never ends is none. */
function commentsOf(text: string): { comments: string[]; open: string } {
  const comments: string[] = [];
  let open = '';
  let from = 0;
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', start + 4);
    if (end === -1) break;
    open += `${text.slice(from, start)} `;
    comments.push(text.slice(start, end));
    from = end + 3;
  }
  return { comments, open: open + text.slice(from) };
}

const QUOTED = /["“„「『«`]\s?([^"”“「」『』«»`\n]{3,60}?)\s?["”“」』»`]/gu;

/** A word of the language, which a handler may have for a reason of its own. */
const PLAIN = /^\p{L}+$/u;
