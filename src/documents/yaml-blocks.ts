import { Lexer } from 'yaml';
import type { BrokenJson, JsonBlock } from './json-blocks.ts';
import { readYaml } from './located-yaml.ts';
import type { Fence, Line } from './markdown-lines.ts';

/** Most tokens of YAML that are read in one document: thousands of lines, and some 100 ms where each is a fault. */
const MAX_TOKENS = 20_000;

/** What a text of its own costs beside its tokens. */
const TOKENS_OF_TEXT = 50;

/** Most texts that are told to be unreadable, as many as of those that are like JSON. */
const MAX_BROKEN = 64;

const YAML = /^(?:ya?ml|openapi|swagger|asyncapi|json-?schema|schema)$/;

/** Languages of fences that may hold anything. */
const ANY = /^(?:te?xt|plain(?:text)?)?$/;

/** What only a schema written in YAML has at the beginning of a line. */
const OF_SCHEMA =
  /^[ \t]*(?:["']?\$schema["']?[ \t]*:|["']?(?:properties|\$defs|definitions)["']?[ \t]*:[ \t]*(?:&\w+[ \t]*)?(?:#.*)?\r?$|["']?type["']?[ \t]*:[ \t]*["']?(?:object|array)\b|["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?\d)/m;

/** What is JSON, be it broken: it is read as that. */
const JSON_VALUE = /^\s*[{[]\s*["}\]]/;

/**
 * Finds the YAML documents between fences, and schemas in YAML without any; beside them those that would hold a schema if they could be read. Linear in
 * the text; never throws.
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
      // Whole lines: how deep each is indented tells what belongs together, and comments belong to their lines.
      const start = Math.max(text.lastIndexOf('\n', reading.node.start - 1) + 1, contentStart);
      const end = Math.min(endOfLine(text, reading.node.end), contentEnd);
      if (typeof value === 'boolean' || (typeof value === 'object' && value !== null))
        found.push({ start, end, value, lenient: false, isYaml: true });
    }
    blocks.push(...found);
  }
  return { blocks, broken: broken.slice(0, MAX_BROKEN) };
}

/** How a schema in YAML without fences begins. */
const BEGINS =
  /^[ \t]*(?:\$schema:[ \t]|type:[ \t]*(?:object|array)[ \t]*(?:#.*)?$|(?:properties|\$defs|definitions):[ \t]*$|(?:openapi|swagger):[ \t]*["']?\d)/;

const MEMBER = /^["']?[\w$./-]+["']?[ \t]*:(?:[ \t]|$)/;

/** The lines without fences that are like a schema in YAML: members one below the other, and what is indented deeper. */
function barePlaces(lines: readonly Line[]): Pick<Fence, 'contentStart' | 'contentEnd' | 'language'>[] {
  const places: Pick<Fence, 'contentStart' | 'contentEnd' | 'language'>[] = [];
  for (let first = 0; first < lines.length; first += 1) {
    const begin = lines[first];
    if (begin === undefined || begin.fenced || !BEGINS.test(begin.text.slice(0, MAX_LINE))) continue;
    const indent = indentOf(begin.text);
    let last = first;
    for (let index = first + 1; index < lines.length; index += 1) {
      const { text, fenced } = lines[index] as Line;
      if (fenced) break;
      if (text.trim() === '') continue;
      const isBelow = last === index - 1 && indentOf(text) === indent && MEMBER.test(text.slice(indent, MAX_LINE));
      if (indentOf(text) <= indent && !isBelow) break;
      last = index;
    }
    if (last > first)
      places.push({ contentStart: begin.start, contentEnd: lines[last]?.end ?? begin.end, language: '' });
    first = last;
  }
  return places;
}

/** The longest part of a line that is looked at, in UTF-16 units. */
const MAX_LINE = 200;

function indentOf(line: string): number {
  return /^[ \t]*/.exec(line)?.[0].length ?? 0;
}

/** How many tokens a YAML text has, and how long they are; ends early beyond `most`. */
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

/** Where the line ends that a value ends on; a value that ends with its line has that in it. */
function endOfLine(text: string, end: number): number {
  const lineEnd = text.indexOf('\n', Math.max(0, end - 1));
  const last = lineEnd < 0 ? text.length : lineEnd;
  return text[last - 1] === '\r' ? last - 1 : last;
}
