import { isObject, type Json } from '../kernel/json.ts';
import { type FencedBlock, fencedBlocks, isCode } from './fenced-blocks.ts';

/** Why a model declines to write a handler. */
export type DeclineKind = 'protocol' | 'case' | 'missing-tool';

/** What an answer contains: a module, a reasoned refusal, or neither. */
export type Extracted =
  | { kind: 'code'; source: string }
  | {
      kind: 'declined';
      decline: DeclineKind;
      reason: string;
      /**
       * The passage that the model quotes from the document; the caller must look it up. Empty if it quotes nothing.
       */
      quote: string;
    }
  | { kind: 'none'; why: string };

const DECLINE_KINDS: readonly DeclineKind[] = ['protocol', 'case', 'missing-tool'];
/** Languages of blocks that are never a module. Any other word after a fence counts as a name chosen by the model. */
const OTHER_LANGUAGES: ReadonlySet<string> = new Set(['json', 'diff', 'patch', 'md', 'markdown', 'html', 'yaml']);
const EXPORTS_HANDLER =
  /\bexport\b[^;{}]{0,80}\b(?:handle|perform)\b|\bexport\s{0,8}\{[^}]{0,200}\b(?:handle|perform)\b/;
const MAX_REASON_CHARACTERS = 2_000;

/**
 * Reads an answer: the first fenced block that exports a handler or is a refusal, else the longest fenced module, else
 * the whole text if it is a module without fences.
 */
export function extractCandidate(text: string): Extracted {
  const blocks = fencedBlocks(text);
  const answer = blocks.find(isAnswer);
  if (answer !== undefined) return withReason(answer) ?? code(answer.content);
  const longest = blocks
    .filter((block) => isCode(block) && block.content.trim() !== '')
    .sort((one, other) => other.content.length - one.content.length)[0];
  if (longest !== undefined) return code(longest.content);
  if (
    blocks.length === 0 &&
    EXPORTS_HANDLER.test(text) &&
    /^\s*(?:import|export|type|interface|const|\/\/|\/\*)/.test(text)
  )
    return code(text);
  if (blocks.length === 0)
    return { kind: 'none', why: text.trim() === '' ? 'the answer is empty' : 'the answer has no fenced block' };
  return {
    kind: 'none',
    why: `the answer has ${blocks.length === 1 ? 'a fenced block' : 'fenced blocks'} but none with a module or a refusal`,
  };
}

/** Whether the answer is complete: the block that decides has its closing fence. Later text adds nothing. */
export function isComplete(text: string): boolean {
  return fencedBlocks(text).some((block) => block.closed && isAnswer(block));
}

/** The last module or refusal of a text in its own fenced block; `null` if there is none. */
export function lastModule(text: string): string | null {
  const block = fencedBlocks(text).findLast(isAnswer);
  return block === undefined ? null : `\`\`\`\`\`${block.language}\n${block.content}\n\`\`\`\`\`\n`;
}

function isAnswer(block: FencedBlock): boolean {
  const mayBeCode = isCode(block) || !OTHER_LANGUAGES.has(block.language);
  return (mayBeCode && EXPORTS_HANDLER.test(block.content)) || withReason(block) !== null;
}

function code(content: string): Extracted {
  return { kind: 'code', source: `${content.replaceAll('\r\n', '\n').trim()}\n` };
}

/** A refusal in a block, or `null`. */
function withReason(block: FencedBlock): Extracted | null {
  if (block.language !== 'json' && block.language !== '') return null;
  let value: Json;
  try {
    value = JSON.parse(block.content);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const text = (said: Json | undefined) => (typeof said === 'string' ? said.slice(0, MAX_REASON_CHARACTERS) : '');
  const words = { reason: text(value.reason), quote: text(value.quote) };
  const decline = DECLINE_KINDS.find((one) => one === value.decline);
  return decline === undefined ? null : { kind: 'declined', decline, ...words };
}
