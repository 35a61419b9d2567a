import { Lexer } from 'yaml';
import type { BrokenJson, JsonBlock } from './json-blocks.ts';
import { readYaml } from './located-yaml.ts';
import type { Fence } from './markdown-lines.ts';

/** Most tokens of YAML that are read in one document: thousands of lines, and some 100 ms where each is a fault. */
const MAX_TOKENS = 20_000;

const YAML = /^(?:ya?ml|openapi|swagger|asyncapi|json-?schema|schema)$/;

/** Languages of fences that may hold anything. */
const ANY = /^(?:te?xt|plain(?:text)?)?$/;

/** What only a schema written in YAML has at the beginning of a line. */
const OF_SCHEMA =
  /^[ \t]*(?:["']?\$schema["']?[ \t]*:|["']?(?:properties|\$defs|definitions)["']?[ \t]*:[ \t]*(?:&\w+[ \t]*)?(?:#.*)?\r?$|["']?type["']?[ \t]*:[ \t]*["']?(?:object|array)\b|["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?\d)/m;

/** What is JSON, be it broken: it is read as that. */
const JSON_VALUE = /^\s*[{[]\s*["}\]]/;

/** Finds the YAML documents between fences, and those that would hold a schema if they could be read. Linear in the text; never throws. */
export function findYamlBlocks(text: string, fences: readonly Fence[]): { blocks: JsonBlock[]; broken: BrokenJson[] } {
  const blocks: JsonBlock[] = [];
  const broken: BrokenJson[] = [];
  let left = MAX_TOKENS;
  for (const { contentStart, contentEnd, language } of fences) {
    const content = text.slice(contentStart, contentEnd);
    const isOfSchema = OF_SCHEMA.test(content);
    if (JSON_VALUE.test(content) || !(YAML.test(language) || (ANY.test(language) && isOfSchema))) continue;
    const fault = isOfSchema ? { start: contentStart, end: contentEnd, isYaml: true } : undefined;
    const { tokens, length } = tokensIn(content, left);
    left -= tokens;
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
  return { blocks, broken };
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
