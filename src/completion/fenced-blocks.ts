import { withoutReasoning } from './reasoning.ts';

/** A fenced block of a Markdown text. */
export interface FencedBlock {
  /**
   * The first word after the opening fence in lower case, without a file name behind it (`ts:handler.ts`). Empty if
   * there is none.
   */
  language: string;
  content: string;
  /** Whether its closing fence is certain: not inside a literal of the module. */
  closed: boolean;
}

const CODE_LANGUAGES: ReadonlySet<string> = new Set([
  '',
  'ts',
  'typescript',
  'mts',
  'js',
  'javascript',
  'mjs',
  'tsx',
  'jsx',
]);

/** What may stand before a fence, some of it unseen. */
const BLANKS = ' \t\u00a0\u200b\ufeff';

/** More blocks, or more closing fences in one block, than any real answer has; reading them would only cost time. */
const MAX_BLOCKS = 64;
const MAX_CLOSINGS = 64;
/** Most of a line that is read for an opening fence, and most list and quotation marks before it. */
const MAX_LINE_CHARACTERS = 4_096;
const MAX_MARKS = 4;

/** Whether a block may contain a module. */
export function isCode(block: FencedBlock): boolean {
  return CODE_LANGUAGES.has(block.language);
}

/**
 * The fenced blocks of an answer (CommonMark 0.31, section 4.5), also those in lists and quotations, without reasoning
 * or a byte order mark. A fence inside a template literal or a comment of a module closes it only if no other fence
 * does.
 */
export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  const lines = withoutReasoning(text.replace(/^\ufeff/, '')).split(/\r?\n/);
  for (let at = 0; at < lines.length && blocks.length < MAX_BLOCKS; at += 1) {
    const opening = openingOf(lines[at] ?? '');
    // A fence around the whole answer, whose own blocks count.
    if (opening === null || opening.language === 'markdown' || opening.language === 'md') continue;
    const block: FencedBlock = { language: opening.language, content: '', closed: false };
    const closings = closingLines(lines, at + 1, opening);
    const certain = isCode(block) ? firstOutsideLiterals(lines, at + 1, closings) : closings[0];
    const end = certain ?? closings.at(-1);
    block.content = contentOf(lines.slice(at + 1, end ?? lines.length), opening);
    block.closed = certain !== undefined;
    blocks.push(block);
    at = end ?? lines.length;
  }
  return blocks;
}

/** An opening fence. */
interface Opening {
  fence: string;
  language: string;
  /** Columns before the fence, including a list marker. */
  indent: number;
  isQuoted: boolean;
}

/** The opening fence of a line: at its start, in a list item or in a quotation. `null` if there is none. */
function openingOf(line: string): Opening | null {
  const indent = indentOf(line);
  // One expression for both would try every way to divide a line of tildes.
  const opening = /^(`{3,}|~{3,})[ \t]*([^\s`]*)/.exec(line.slice(indent, indent + MAX_LINE_CHARACTERS));
  if (opening === null || line.includes('`', indent + opening[0].length)) return null;
  const [, fence = '', info = ''] = opening;
  return { fence, language: languageOf(info.toLowerCase()), indent, isQuoted: line.slice(0, indent).includes('>') };
}

/** Where the text of a line begins after white space and the markers of lists and quotations. */
function indentOf(line: string): number {
  let at = 0;
  for (let marks = 0; marks < MAX_MARKS; marks += 1) {
    while (BLANKS.includes(line[at] ?? '-')) at += 1;
    const mark = /^(?:[-*+][ \t]|\d{1,9}[.)][ \t]|>)/.exec(line.slice(at, at + 12));
    if (mark === null) break;
    at += mark[0].length;
  }
  return at;
}

/** The language named after a fence; of a file name, its extension. */
function languageOf(info: string): string {
  const language = /^[a-z0-9+#-]*/.exec(info)?.[0] ?? '';
  if (CODE_LANGUAGES.has(language) && language !== '') return language;
  return /[\w-]\.(ts|mts|tsx|js|mjs|jsx|json)(?:[^\w.].*)?$/.exec(info)?.[1] ?? language;
}

/** The lines of a block without the indentation that all of them share with the opening fence. */
function contentOf(lines: readonly string[], opening: Opening): string {
  if (opening.isQuoted) return lines.map((line) => within(line, opening)).join('\n');
  const written = lines.filter((line) => line.trim() !== '');
  const shared = written.reduce((least, line) => Math.min(least, line.search(/[^ \t]/)), opening.indent);
  return lines.map((line) => within(line, { ...opening, indent: shared })).join('\n');
}

/** A line without the quotation markers and the indentation of its opening fence. */
function within(line: string, { indent, isQuoted }: Opening): string {
  let at = 0;
  while (at < indent && (line[at] === ' ' || line[at] === '\t' || (isQuoted && line[at] === '>'))) at += 1;
  return line.slice(at);
}

function closingLines(lines: readonly string[], from: number, opening: Opening): number[] {
  const found: number[] = [];
  for (let at = from; at < lines.length && found.length < MAX_CLOSINGS; at += 1) {
    const line = lines[at] ?? '';
    if (!line.includes(opening.fence)) continue;
    if (/^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(within(line, opening))?.[1]?.startsWith(opening.fence)) found.push(at);
  }
  return found;
}

/** The first of the closing lines that is not inside a literal of the module that starts at `from`. */
function firstOutsideLiterals(lines: readonly string[], from: number, closings: readonly number[]): number | undefined {
  const last = closings.at(-1);
  if (last === undefined) return undefined;
  const code = lines.slice(from, last).join('\n');
  const ends: number[] = [];
  let [length, line] = [-1, from];
  for (const closing of closings) {
    for (; line < closing; line += 1) length += (lines[line] ?? '').length + 1;
    ends.push(Math.max(0, length));
  }
  const outside = literalsEnd(code, ends);
  return outside === undefined ? undefined : closings[outside];
}

/**
 * The index of the first of the ascending positions, each at the end of a line, where the code is neither in a template
 * literal nor in a block comment. An approximate reader that fails only on very odd code.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one pass over the lines of an answer.
function literalsEnd(code: string, places: readonly number[]): number | undefined {
  // Brace depth per open `${`; the code is in a template literal if the top entry is 'template'.
  const stack: ('template' | number)[] = [];
  let next = 0;
  for (let at = 0; at <= code.length; at += 1) {
    for (; at >= (places[next] ?? Number.POSITIVE_INFINITY); next += 1) if (stack.length === 0) return next;
    const character = code[at];
    const top = stack.at(-1);
    if (top === 'template') {
      if (character === '\\') at += 1;
      else if (character === '`') stack.pop();
      else if (character === '$' && code[at + 1] === '{') {
        stack.push(0);
        at += 1;
      }
    } else if (character === '`') stack.push('template');
    else if (character === '/' && code[at + 1] === '/') at = lineEnd(code, at) - 1;
    else if (character === '/' && code[at + 1] === '*') {
      const end = code.indexOf('*/', at + 2);
      const after = end === -1 ? Number.POSITIVE_INFINITY : end + 2;
      while ((places[next] ?? Number.POSITIVE_INFINITY) < after) next += 1;
      at = after - 1;
    } else if (character === '/' && /(?:^|[(,=:[!&|?{};\n]|return)\s*$/.test(code.slice(Math.max(0, at - 16), at))) {
      at = endOfPattern(code, at);
    } else if (character === '"' || character === "'") {
      at = endOfString(code, at);
    } else if (top !== undefined && character === '{') stack[stack.length - 1] = top + 1;
    else if (top !== undefined && character === '}') {
      if (top === 0) stack.pop();
      else stack[stack.length - 1] = top - 1;
    }
  }
  return stack.length === 0 && next < places.length ? next : undefined;
}

function lineEnd(code: string, from: number): number {
  const end = code.indexOf('\n', from);
  return end === -1 ? code.length : end;
}

/** End of a regular expression: its closing slash, or the end of the line. */
function endOfPattern(code: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < code.length; at += 1) {
    const character = code[at];
    if (character === '\\') at += 1;
    else if (character === '\n' || (character === '/' && !inClass)) return at;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
  }
  return code.length;
}

/** End of a quoted string: its closing quote, or the end of the line. */
function endOfString(code: string, start: number): number {
  for (let at = start + 1; at < code.length; at += 1) {
    if (code[at] === '\\') at += 1;
    else if (code[at] === code[start] || code[at] === '\n') return at;
  }
  return code.length;
}
