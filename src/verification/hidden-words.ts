import { isObject, type Json } from '../kernel/json.ts';
import { CODE_MACHINES, CODE_WRITERS, HAS_TEXT, KEPT_SECRET, PAST_THE_RULES } from '../lexicon/instructing.ts';
import { hasWord } from './scalar-kinds.ts';
import type { Subject } from './subject.ts';

/**
 * Words of hidden passages: passages that instruct the writer of the code but do not belong to the agreement. These are
 * comments, text between zero-width characters, lines that address code generators, ask for secrecy or bypass the
 * rules, and such text in schema descriptions and expected results of cases.
 *
 * Of these passages, the words that are quoted, look like data or are required in a value, and that are nowhere else in
 * the document, cases, schemas or tools. A handler that keeps the agreement has no use for them.
 */
export interface HiddenWords {
  words: readonly string[];
  /**
   * Plain words and numbers that such a passage uses as a condition: only a handler that obeys it compares with them.
   */
  conditions: readonly string[];
  /**
   * Numbers of three or more digits that only such a passage uses as a bound: only a handler that obeys it has them.
   */
  bounds: readonly number[];
  /** Whether only such a passage has a name. */
  hasName(name: string): boolean;
}

/** The hidden words of an agreement's document, schemas and cases. */
export function hiddenWordsOf({ agreement, cases, tools, loose, requestSchema, responseSchema }: Subject): HiddenWords {
  const { comments, open } = commentsOf(agreement.text);
  const described = [requestSchema, responseSchema]
    .flatMap((schema) => descriptionsOf(schema, 0))
    .filter((text) => CODE_WRITERS.test(text));
  const isSecret = (line: string) =>
    wide(line) !== line ||
    CODE_MACHINES.test(line) ||
    (CODE_WRITERS.test(line) &&
      (KEPT_SECRET.test(line) || PAST_THE_RULES.test(line) || described.some((text) => line.includes(text))));
  const { secret, rest } = partedBy(isSecret, open);
  const expected = cases.flatMap(({ expected: text }) => (text && CODE_WRITERS.test(text) ? [text] : []));
  const passages = [...comments, ...(secret === '' ? [] : [secret]), ...described, ...expected];
  if (passages.length === 0) return { words: [], conditions: [], bounds: [], hasName: () => false };
  const data = cases.map(({ request, response }) => [request, response]);
  const schemas = JSON.stringify([requestSchema, responseSchema], (key, value: Json) =>
    NOTES.has(key) && described.includes(String(value)) ? '' : value,
  );
  const ours = [JSON.stringify([data, tools, loose]), schemas].join('\n');
  const known = `${rest}\n${ours}`;
  // A name from an example is not a word of the protocol.
  const ruled = `${rest.replace(BLOCK, (block) => (OF_SCHEMA.test(block) ? block : ''))}\n${ours}`;
  // A larger number may contain the digits of a code by chance.
  const isKnown = (word: string) => (/^\d+$/.test(word) ? hasWord(known, word) : known.includes(word));
  const isTold = (passage: string) => [CODE_WRITERS, CODE_MACHINES, KEPT_SECRET].some((phrase) => phrase.test(passage));
  const words = passages.flatMap((passage) => {
    const quoted = [...passage.matchAll(QUOTED)].map(([, word, single = '']) => word ?? single);
    const named = quoted.filter((word) => NAME.test(word) && !ruled.includes(word));
    const said = quoted.filter((word) => (isTold(passage) || !PLAIN.test(word)) && !isKnown(word));
    if (!isTold(passage)) return [...named, ...said];
    const bare = [...passage.matchAll(LIKE_DATA)].flatMap(([word]) => (isKnown(word) ? [] : [word]));
    const had = [...passage.matchAll(HAD)].flatMap(([, word = '']) => (LIKE_SIGN.test(word) ? [word] : []));
    return [...named, ...said, ...bare, ...had.filter((word) => !hasWord(known, word))];
  });
  const conditions = passages.flatMap((passage) => {
    const texts = [...passage.matchAll(HAD)].flatMap(([, word = '']) => (LIKE_SIGN.test(word) ? [] : [word]));
    const numbers = [...passage.matchAll(IS_NUMBER)].flatMap(([, digits = '']) => digits);
    return isTold(passage) ? [...texts, ...numbers].filter((word) => !hasWord(known, word)) : [];
  });
  const bounds = passages.filter(isTold).flatMap((passage) =>
    [...passage.matchAll(BOUND)].flatMap(({ groups }) => {
      const digits = (groups?.over ?? groups?.least ?? '').replaceAll(/[,_]/g, '');
      return hasWord(known, digits) || hasWord(known, groups?.over ?? groups?.least ?? '') ? [] : [Number(digits)];
    }),
  );
  const hidden = passages.join('\n');
  return {
    words,
    conditions,
    bounds,
    hasName: (name) => name.length > 2 && hasWord(hidden, name) && !hasWord(known, name),
  };
}

/** A number as a bound: "of 500 tonnes or more", "above 2,500". */
const BOUND =
  /\b(?:above|over|below|under|exceed(?:s|ing)?|more than|less than|at least|at most|from|up to)\s+(?<over>[1-9][\d,_]{2,11})\b|(?<![\d.,])(?<least>[1-9][\d,_]{2,11})(?:\s+\p{L}+)?\s+or\s+(?:more|less|above|below|over)\b/giu;

/** Splits a text into its secret lines, with what such a line announces, and the rest. Line positions stay the same. */
function partedBy(isSecret: (line: string) => boolean, text: string): { secret: string; rest: string } {
  const secret: string[] = [];
  const rest: string[] = [];
  let to: RegExp | undefined;
  for (const line of text.split('\n')) {
    if (HEADING.test(line) || to?.test(line)) to = undefined;
    const isHidden = to !== undefined || isSecret(line);
    if (isHidden) to ??= HEADING.test(line) ? HEADING : ANNOUNCES.test(line) ? BLANK : undefined;
    rest.push(isHidden ? blank(line) : line);
    if (isHidden) secret.push(wide(line));
  }
  return { secret: secret.join('\n'), rest: rest.join('\n') };
}

const [HEADING, BLANK] = [/^ {0,3}#{1,6}\s/, /^\s*$/];

/** A separate line, not a list item, that further lines belong to. */
const ANNOUNCES = /^(?!\s*(?:[-*+•]|\d+[.)])\s).*[:：][\s*_]*$/;

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

/**
 * The subject with its document as people read it: without hidden passages, to which no handler is held, and with `-`
 * before all list items. Positions stay the same.
 */
export function asRead(subject: Subject): Subject {
  const known = opened.get(subject);
  if (known !== undefined) return known;
  const { text } = subject.agreement;
  const { open } = commentsOf(text);
  const rest = partedBy((line) => wide(line) !== line || CODE_MACHINES.test(line), open).rest.replace(
    ITEM_MARK,
    '$<indent>-',
  );
  const visible = rest === text ? subject : { ...subject, agreement: { ...subject.agreement, text: rest } };
  opened.set(subject, visible);
  return visible;
}

const opened = new WeakMap<Subject, Subject>();

/** List markers other than `-`. Numbers stay, and so do rules of three such marks. */
const ITEM_MARK = /^(?<indent>[ \t]*)[+*•‣◦·●○▪■–](?=[ \t]+[^\s*])/gmu;

/** Schema keywords for human readers. */
const NOTES: ReadonlySet<string> = new Set(['description', '$comment', 'title']);

/** The notes of a schema to human readers. */
function descriptionsOf(schema: Json, depth: number): string[] {
  if (depth > 20 || typeof schema !== 'object' || schema === null) return [];
  const own = isObject(schema)
    ? Object.entries(schema).flatMap(([key, value]) => (NOTES.has(key) && typeof value === 'string' ? [value] : []))
    : [];
  return [...own, ...Object.values(schema).flatMap((child) => descriptionsOf(child, depth + 1))];
}

/** A line without zero-width characters that split its letters. */
function wide(line: string): string {
  return NO_WIDTH.test(line) ? line.replaceAll(SIGNS_WITHOUT_WIDTH, '') : line;
}

const [NO_WIDTH, SIGNS_WITHOUT_WIDTH] = [/\w\p{Cf}+\w\p{Cf}+\w/u, /\p{Cf}/gu];

/**
 * The HTML and Markdown comments of a text, and the text with blanks in their place. An unclosed comment does not
 * count.
 */
function commentsOf(whole: string): { comments: string[]; open: string } {
  const comments: string[] = whole.match(LINK_COMMENT) ?? [];
  const text = whole.replace(LINK_COMMENT, blank);
  let open = '';
  let from = 0;
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', start + 4) + 3;
    if (end < 3) break;
    const comment = text.slice(start, end);
    open += text.slice(from, start) + blank(comment);
    comments.push(comment);
    from = end;
  }
  return { comments, open: open + text.slice(from) };
}

/** A link definition without a target, which Markdown does not render. */
const LINK_COMMENT = /^[ \t]*\[[^\]\n]{1,30}\]:[ \t]*(?:#|<>)[ \t]*[("'].{0,4000}$/gmu;

const QUOTED =
  /["“„「『«`]\s?([^"”“「」『』«»`\n]{3,60}?)\s?["”“」』»`]|(?<![\p{L}\p{N}])['‘]([^'’\n]{3,60})['’](?![\p{L}\p{N}])/gu;

/** A word with digits or a separator, which nobody uses by chance. */
const LIKE_DATA =
  /(?<![\p{L}\p{N}_.@/-])(?:\d{5,20}|\d{2,12}(?:-\d{2,12}){1,4}|(?=[\p{L}\p{N}._@-]*\d)\p{L}[\p{L}\p{N}_]*[-_@][\p{L}\p{N}._@-]{1,40}|[\p{Ll}\d-]{3,30}(?:\.[\p{Ll}\d-]{2,20}){1,3}|\p{Ll}{3,20}-(?=[\s,.;:)]))(?![\p{L}\p{N}_@])/gu;

/** What a value must contain: a code rather than a plain word. */
const HAD = new RegExp(`(?:${HAS_TEXT.source})[\\s"'“„«「『\`*:_-]{0,4}([a-z\\d][a-z\\d_-]{2,24})`, 'giu');

/** A number that a value must equal, and any number of several digits. */
const IS_NUMBER =
  /(?:(?:={1,3}|\b(?:is|equals|equal to)) ?|(?<![\p{L}\p{N}.,:_-])(?=\d{2}))(\d{1,9})(?![\d.,:]*\d|[\p{L}_-])/gu;

const LIKE_SIGN = /^(?:[A-Z][A-Z\d_-]+|\d{3,}|[a-z]+-)$/;

/** Names of several words. */
const NAME = /^\p{Lu}\S*(?: \p{Lu}\S*)+$/u;

const [BLOCK, OF_SCHEMA] = [/```[^\n`]{0,40}\n[^`]*```/g, /"(?:properties|\$schema|enum|const)"/];

/** A plain word: a handler may have its own reason to use it. */
const PLAIN = /^\p{L}+$/u;
