import { Lexer } from 'yaml';
import type { BrokenJson, JsonBlock } from './json-blocks.ts';
import { readYaml } from './located-yaml.ts';
import type { Fence, Line } from './markdown-lines.ts';

/** Most YAML tokens read in one document: thousands of lines, about 100 ms if each is invalid. */
const MAX_TOKENS = 20_000;

/** Fixed cost of one YAML text, in tokens. */
const TOKENS_OF_TEXT = 50;

/** Most unreadable texts reported, the same number as for JSON. */
const MAX_BROKEN = 64;

const YAML = /^(?:ya?ml|openapi|openrpc|swagger|asyncapi|json-?schema|schema)$/;

/** Fence languages that may contain anything. */
const ANY = /^(?:te?xt|plain(?:text)?)?$/;

/** What only a schema in YAML has at the start of a line. */
const OF_SCHEMA =
  /^[ \t]*(?:["']?\$schema["']?[ \t]*:|["']?(?:properties|\$defs|definitions)["']?[ \t]*:[ \t]*(?:&\w+[ \t]*)?(?:#.*)?\r?$|["']?type["']?[ \t]*:[ \t]*["']?(?:object|array)\b|["']?(?:openapi|swagger|openrpc)["']?[ \t]*:[ \t]*["']?\d)/m;

/** JSON, valid or broken, which the JSON reader handles. */
const JSON_VALUE = /^\s*[{[]\s*["}\]]/;

/**
 * Finds the YAML documents in fences and bare schemas in YAML, and the texts that would be a schema if they were
 * readable. Linear in the text; never throws.
 */
export function findYamlBlocks(
  text: string,
  lines: readonly Line[],
  fences: readonly Fence[],
): { blocks: JsonBlock[]; broken: BrokenJson[] } {
  const blocks: JsonBlock[] = [];
  const broken: BrokenJson[] = [];
  let left = MAX_TOKENS;
  const places = [...fences, ...barePlaces(lines)].sort((one, other) => one.contentStart - other.contentStart);
  for (const { contentStart, contentEnd, language } of places) {
    const content = text.slice(contentStart, contentEnd);
    const isOfSchema = OF_SCHEMA.test(content);
    if (JSON_VALUE.test(content) || !(YAML.test(language) || (ANY.test(language) && isOfSchema))) continue;
    const fault = isOfSchema ? { start: contentStart, end: contentEnd, isYaml: true } : undefined;
    const { tokens, length } = tokensIn(content, left);
    left -= tokens + TOKENS_OF_TEXT;
    if (left < 0) {
      if (fault !== undefined) broken.push({ ...fault, at: contentStart + length });
      continue;
    }
    const found: JsonBlock[] = [];
    for (const reading of readYaml(text, contentStart, contentEnd)) {
      if (!reading.ok) {
        if (fault !== undefined) broken.push({ ...fault, at: reading.at });
        found.length = 0;
        break;
      }
      const { value } = reading.node;
      // Whole lines, because indentation defines the structure and comments belong to their lines.
      const start = Math.max(text.lastIndexOf('\n', reading.node.start - 1) + 1, contentStart);
      const end = Math.min(endOfLine(text, reading.node.end), contentEnd);
      if (typeof value === 'boolean' || (typeof value === 'object' && value !== null))
        found.push({ start, end, value, lenient: false, isYaml: true });
    }
    blocks.push(...found);
  }
  return { blocks, broken: broken.slice(0, MAX_BROKEN) };
}

/** The first line of a bare schema in YAML. */
const BEGINS =
  /^[ \t]*(?:\$schema:[ \t]|type:[ \t]*(?:object|array)[ \t]*(?:#.*)?$|(?:properties|\$defs|definitions):[ \t]*$|(?:openapi|swagger|openrpc):[ \t]*["']?\d)/;

/** The first line of a service description, and its other members, which may be apart from each other. */
const DESCRIPTION = /^[ \t]*(?:openapi|openrpc):/;
const OF_DESCRIPTION =
  /^(?:info|servers|paths|webhooks|methods|components|security|tags|externalDocs|jsonSchemaDialect|x-[\w-]+):(?:[ \t]|$)/;

const MEMBER = /^["']?[\w$./-]+["']?[ \t]*:(?:[ \t]|$)/;

/** Bare lines that look like a schema in YAML: members below each other, and deeper indented lines. */
function barePlaces(lines: readonly Line[]): Pick<Fence, 'contentStart' | 'contentEnd' | 'language'>[] {
  const places: Pick<Fence, 'contentStart' | 'contentEnd' | 'language'>[] = [];
  for (let first = 0; first < lines.length; first += 1) {
    const begin = lines[first];
    if (begin === undefined || begin.fenced || !BEGINS.test(begin.text.slice(0, MAX_LINE))) continue;
    const indent = indentOf(begin.text);
    const isDescription = DESCRIPTION.test(begin.text);
    let last = first;
    for (let index = first + 1; index < lines.length; index += 1) {
      const { text, fenced } = lines[index] as Line;
      if (fenced) break;
      if (text.trim() === '' || (isDescription && text.startsWith('#'))) continue;
      const member = indentOf(text) === indent ? text.slice(indent, MAX_LINE) : '';
      const isBelow = last === index - 1 ? MEMBER.test(member) : isDescription && OF_DESCRIPTION.test(member);
      if (indentOf(text) <= indent && !isBelow) break;
      last = index;
    }
    if (last > first)
      places.push({ contentStart: begin.start, contentEnd: lines[last]?.end ?? begin.end, language: '' });
    first = last;
  }
  return places;
}

/** Longest part of a line examined, in UTF-16 units. */
const MAX_LINE = 200;

function indentOf(line: string): number {
  return /^[ \t]*/.exec(line)?.[0].length ?? 0;
}

/** Whether a text has few enough tokens to be read as YAML. */
export function hasFewTokens(text: string): boolean {
  return tokensIn(text, MAX_TOKENS).tokens <= MAX_TOKENS;
}

/** Counts the tokens of a YAML text and their length; stops after `most` tokens. */
function tokensIn(text: string, most: number): { tokens: number; length: number } {
  let [tokens, length] = [0, 0];
  if (most < 0) return { tokens, length };
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > most) break;
    length += token.length;
  }
  return { tokens, length: Math.min(length, text.length) };
}

/** The end of the line on which a value ends; a value may include its line break. */
function endOfLine(text: string, end: number): number {
  const lineEnd = text.indexOf('\n', Math.max(0, end - 1));
  const last = lineEnd < 0 ? text.length : lineEnd;
  return text[last - 1] === '\r' ? last - 1 : last;
}
