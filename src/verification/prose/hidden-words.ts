import { isObject, type Json } from '../../kernel/json.ts';
import { CODE_WRITERS, KEPT_SECRET, PAST_THE_RULES } from '../../lexicon/instructing.ts';
import type { Subject } from '../subject.ts';

/**
 * What tells whoever writes the code something that is none of the agreement: comments, text between signs without width, lines that are
 * to be kept secret or go past the rules, and what speaks to code writers from a description in a schema or the expected result of a case.
 * Of these the words that are quoted or look like data, and stand nowhere else in the document, cases, schemas or tools. Nobody who keeps
 * the agreement has a use for them.
 */
export function hiddenWordsOf({ agreement, cases, tools, loose, requestSchema, responseSchema }: Subject): string[] {
  const { comments, open } = commentsOf(agreement.text);
  const described = [requestSchema, responseSchema]
    .flatMap((schema) => descriptionsOf(schema, 0))
    .filter((text) => CODE_WRITERS.test(text));
  const isSecret = (line: string) =>
    wide(line) !== line ||
    (CODE_WRITERS.test(line) &&
      (KEPT_SECRET.test(line) || PAST_THE_RULES.test(line) || described.some((text) => line.includes(text))));
  const lines = open.split('\n');
  const secret = lines.filter(isSecret).map(wide);
  const expected = cases.flatMap(({ expected: text }) => (text && CODE_WRITERS.test(text) ? [text] : []));
  const passages = [...comments, ...secret, ...described, ...expected];
  if (passages.length === 0) return [];
  const data = cases.map(({ request, response }) => [request, response]);
  const schemas = JSON.stringify([requestSchema, responseSchema], (key, value: Json) =>
    key === 'description' && described.includes(String(value)) ? '' : value,
  );
  const known = [...lines.filter((line) => !isSecret(line)), JSON.stringify([data, tools, loose]), schemas].join('\n');
  return passages.flatMap((passage) => {
    const isTold = CODE_WRITERS.test(passage) || KEPT_SECRET.test(passage);
    const quoted = [...passage.matchAll(QUOTED)].flatMap(([, word = '']) =>
      PLAIN.test(word) && !isTold ? [] : [word],
    );
    const bare = isTold ? [...passage.matchAll(LIKE_DATA)].map(([word]) => word) : [];
    return [...quoted, ...bare].filter((word) => !known.includes(word));
  });
}

/** The descriptions of a schema. */
function descriptionsOf(schema: Json, depth: number): string[] {
  if (depth > 20 || typeof schema !== 'object' || schema === null) return [];
  const own = isObject(schema) && typeof schema.description === 'string' ? [schema.description] : [];
  return [...own, ...Object.values(schema).flatMap((child) => descriptionsOf(child, depth + 1))];
}

/** A line without the signs that have no width, where these part its letters. */
function wide(line: string): string {
  return NO_WIDTH.test(line) ? line.replaceAll(SIGNS_WITHOUT_WIDTH, '') : line;
}

const [NO_WIDTH, SIGNS_WITHOUT_WIDTH] = [/\w\p{Cf}+\w\p{Cf}+\w/u, /\p{Cf}/gu];

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

/** A word with digits, or parted by a sign, that nobody uses by chance. */
const LIKE_DATA =
  /(?<![\p{L}\p{N}_.@/-])(?:\d{5,20}|(?=[\p{L}\p{N}._@-]*\d)\p{L}[\p{L}\p{N}_]*[-_@][\p{L}\p{N}._@-]{1,40}|[\p{Ll}\d-]{3,30}(?:\.[\p{Ll}\d-]{2,20}){1,3}|\p{Ll}{3,20}-(?=\s))(?![\p{L}\p{N}_@])/gu;

/** A word of the language, which a handler may have for a reason of its own. */
const PLAIN = /^\p{L}+$/u;
