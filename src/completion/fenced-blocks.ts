/** A fenced block of a Markdown text. */
export interface FencedBlock {
  /** The first word after the opening fence, in lower case; empty where there is none. */
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
 * The fenced blocks of an answer (CommonMark 0.31, section 4.5), without the reasoning in `<think>` before it. A line of backticks inside a
 * template literal or a comment of a module does not close it, unless nothing else would.
 */
export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  const lines = withoutReasoning(text).split(/\r?\n/);
  for (let at = 0; at < lines.length && blocks.length < MAX_BLOCKS; at += 1) {
    const opening = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/.exec(lines[at] ?? '');
    if (opening === null) continue;
    const [, fence = '', info = ''] = opening;
    const block: FencedBlock = { language: info.toLowerCase(), content: '', closed: false };
    const closings = closingLines(lines, at + 1, fence);
    const certain = isCode(block)
      ? closings.find((line) => !insideLiteral(lines.slice(at + 1, line).join('\n')))
      : closings[0];
    const end = certain ?? closings.at(-1);
    block.content = lines.slice(at + 1, end ?? lines.length).join('\n');
    block.closed = certain !== undefined;
    blocks.push(block);
    at = end ?? lines.length;
  }
  return blocks;
}

function withoutReasoning(text: string): string {
  const opened = /^\s*<think(?:ing)?>/.exec(text);
  if (opened === null) return text;
  const closed = /<\/think(?:ing)?>/.exec(text);
  return closed === null ? '' : text.slice(closed.index + closed[0].length);
}

function closingLines(lines: readonly string[], from: number, fence: string): number[] {
  const closing = new RegExp(`^ {0,3}${fence.charAt(0)}{${fence.length},}[ \\t]*$`);
  const found: number[] = [];
  for (let at = from; at < lines.length && found.length < MAX_CLOSINGS; at += 1) {
    if (closing.test(lines[at] ?? '')) found.push(at);
  }
  return found;
}

/** Says whether TypeScript text ends inside a template literal or a block comment. A rough reader, right about all but the oddest code. */
function insideLiteral(code: string): boolean {
  // Depth of braces per open `${`; a template literal is open wherever the innermost entry is 'template'.
  const stack: ('template' | number)[] = [];
  for (let at = 0; at < code.length; at += 1) {
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
    else if (character === '/' && code[at + 1] === '/') {
      const end = code.indexOf('\n', at);
      if (end === -1) return false;
      at = end;
    } else if (character === '/' && code[at + 1] === '*') {
      const end = code.indexOf('*/', at + 2);
      if (end === -1) return true;
      at = end + 1;
    } else if (character === '/' && /(?:^|[(,=:[!&|?{};\n]|return)\s*$/.test(code.slice(Math.max(0, at - 16), at))) {
      at = endOfPattern(code, at);
    } else if (character === '"' || character === "'") {
      const end = endOfString(code, at);
      at = end;
    } else if (top !== undefined && character === '{') stack[stack.length - 1] = top + 1;
    else if (top !== undefined && character === '}') {
      if (top === 0) stack.pop();
      else stack[stack.length - 1] = top - 1;
    }
  }
  return stack.length > 0;
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
