import type { Finding } from '../contract/finding.ts';
import { looksLikeSchema } from '../documents/looks-like-schema.ts';
import type { PlacedFinding } from '../families/family.ts';
import type { Json } from '../kernel/json.ts';
import { quoteText } from '../kernel/quote.ts';
import type { Rule } from './rule.ts';

/**
 * Document and cases are plain texts, not texts escaped as JSON strings: in those, neither lines nor JSON are
 * recognised. Only a warning for a piece of escaped JSON in a document whose two schemas are readable.
 */
export const ruleTextEscaped: Rule = {
  name: 'text-escaped',
  check({ agreement: { requestSchema, responseSchema, caseText } }, { document, baseDocuments, texts }) {
    const isReadable = requestSchema !== null && responseSchema !== null;
    return [
      inText('document', document.text, { isReadable, text: 'document', at: 0 }),
      ...baseDocuments.map((base) =>
        inText('base protocol', base.text, {
          isReadable,
          text: 'document',
          at: Math.max(0, texts.document.indexOf(base.uri)),
        }),
      ),
      inText('cases', caseText ?? '', { isReadable: false, text: 'cases', at: 0 }),
    ].flat();
  },
};

function inText(
  named: string,
  text: string,
  { isReadable, ...place }: Pick<PlacedFinding, 'text' | 'at'> & { isReadable: boolean },
): PlacedFinding[] {
  const lines = escapedLines(text);
  const found = lines ?? escapedJson(text) ?? (place.text === 'document' ? schemaInString(text) : undefined);
  if (found === undefined) return [];
  const finding: Finding = {
    code: 'DOCUMENT_TEXT_ESCAPED',
    severity: lines === undefined && isReadable ? 'warning' : 'error',
    in: 'document',
    message: `Cannot read ${named}: it is escaped like a JSON string at ${quoteText(found)}, wanted the unescaped text`,
    actual: found,
  };
  return [{ finding, ...place }];
}

/** Longest excerpt in a message, in UTF-16 units. */
const MAX_EXCERPT = 40;

/** Inside JSON strings and code, escapes are normal. */
const STRING = /(?<!\\)"(?:[^"\\\n]|\\.)*"/g;
const CODE = /(?<!`)`(?!`)[^`\n]*`(?!`)/g;

const BREAK = /(?<!\\)\\{1,8}n/g;

/** An escaped line break after a sentence, before an empty line, or before the start of a Markdown or JSON line. */
const BREAK_OF_LINES =
  /(?<=[.:!?。：！？])\\{1,8}n|(?<!\\)\\{1,8}n(?=\\{1,8}[nr]|#{1,6} |`{3}|~{3}|[-*+] |\d{1,3}[.)] |[{}[\]]| {2})/g;

/** Fewest such breaks; a single one may be an example in prose. */
const MIN_BREAKS = 2;

/** The first escaped line break, if the text has more of these than real ones. */
function escapedLines(text: string): string | undefined {
  const trimmed = text.trim();
  if (isStringOfLines(trimmed)) return trimmed.slice(0, MAX_EXCERPT);
  const bare = text.replace(STRING, '""').replace(CODE, '``');
  const breaks = bare.match(BREAK_OF_LINES) ?? [];
  const isEscaped = breaks.length >= MIN_BREAKS && countOf(bare, BREAK) > countOf(trimmed, /\n/g);
  return isEscaped ? breaks[0] : undefined;
}

/** The first line that is a JSON string and nothing else, and contains a JSON Schema. */
function schemaInString(text: string): string | undefined {
  for (const [, line = ''] of text.matchAll(/^[ \t]*("\s{0,8}\{.*\}\s{0,8}")[ \t\r]*$/gm))
    if (looksLikeSchema(jsonIn(jsonIn(line)))) return line.slice(0, MAX_EXCERPT);
  return undefined;
}

function jsonIn(text: Json): Json {
  try {
    return typeof text === 'string' ? (JSON.parse(text) as Json) : null;
  } catch {
    return null;
  }
}

/** Whether a text is a JSON string that contains several lines. */
function isStringOfLines(text: string): boolean {
  if (!text.startsWith('"') || !text.endsWith('"') || text.includes('\n')) return false;
  try {
    return (JSON.parse(text) as string).includes('\n');
  } catch {
    return false;
  }
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** An object whose first member name is in escaped quotation marks. */
const ESCAPED_JSON = new RegExp(
  String.raw`\{(?:\s|\\{1,8}[nrt]){0,200}(MARK)(?:(?!MARK)[^"\n]){1,100}\1(?:\s|\\{1,8}[nrt]){0,20}:`.replaceAll(
    'MARK',
    String.raw`\\{1,8}(?:"|u0022)|&(?:quot|#34|#x22);`,
  ),
);

function escapedJson(text: string): string | undefined {
  return ESCAPED_JSON.exec(text.replace(STRING, '""'))?.[0].slice(0, MAX_EXCERPT);
}
