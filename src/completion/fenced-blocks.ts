import { withoutReasoning } from './reasoning.ts';

/** A fenced block of a Markdown text. */
export interface FencedBlock {
  /** The first word after the opening fence, in lower case, without what some write behind it, as in `ts:handler.ts`; empty where there is none. */
  language: string;
  content: string;
  /** Whether its closing fence was seen for certain: not inside a literal of the module. */
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

/** More blocks, or closing fences within one, are in no honest answer; reading them would only take time. */
const MAX_BLOCKS = 64;
const MAX_CLOSINGS = 64;

/** Says whether a block may hold a module. */
export function isCode(block: FencedBlock): boolean {
  return CODE_LANGUAGES.has(block.language);
}

/**
 * The fenced blocks of an answer (CommonMark 0.31, section 4.5), without the reasoning in `<think>` before it or a byte order mark. A line of backticks inside a
 * template literal or a comment of a module does not close it, unless nothing else would.
 */
export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  const lines = withoutReasoning(text.replace(/^\ufeff/, '')).split(/\r?\n/);
  for (let at = 0; at < lines.length && blocks.length < MAX_BLOCKS; at += 1) {
    const opening = openingOf(lines[at] ?? '');
    if (opening === null) continue;
    const block: FencedBlock = { language: opening.language, content: '', closed: false };
    const closings = closingLines(lines, at + 1, opening.fence);
    const certain = isCode(block) ? firstOutsideLiterals(lines, at + 1, closings) : closings[0];
    const end = certain ?? closings.at(-1);
    block.content = lines.slice(at + 1, end ?? lines.length).join('\n');
    block.closed = certain !== undefined;
    blocks.push(block);
    at = end ?? lines.length;
  }
  return blocks;
}

/** The mark and the language of a line that opens a block. One expression for both would try every way to divide a line of tildes. */
function openingOf(line: string): { fence: string; language: string } | null {
  const opening = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)/.exec(line);
  if (opening === null || line.includes('`', opening[0].length)) return null;
  const [, fence = '', info = ''] = opening;
  return { fence, language: /^[a-z0-9+#-]*/.exec(info.toLowerCase())?.[0] ?? '' };
}

function closingLines(lines: readonly string[], from: number, fence: string): number[] {
  const found: number[] = [];
  for (let at = from; at < lines.length && found.length < MAX_CLOSINGS; at += 1) {
    if (/^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(lines[at] ?? '')?.[1]?.startsWith(fence)) found.push(at);
  }
  return found;
}

/** The first of some lines that stands in no literal of the module that begins at a line. */
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
 * The first of some rising places, each at the end of a line, where TypeScript text stands neither in a template literal nor in a block comment;
 * its index. A rough reader, right about all but the oddest code.
 */
function literalsEnd(code: string, places: readonly number[]): number | undefined {
  // Depth of braces per open `${`; a template literal is open wherever the innermost entry is 'template'.
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

/** Where a regular expression ends: its closing slash, or the end of its line where it has none. */
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

/** Where a quoted string ends: its closing quote, or the end of its line where it has none. */
function endOfString(code: string, start: number): number {
  for (let at = start + 1; at < code.length; at += 1) {
    if (code[at] === '\\') at += 1;
    else if (code[at] === code[start] || code[at] === '\n') return at;
  }
  return code.length;
}
