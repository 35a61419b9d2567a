import type { Json } from '../kernel/json.ts';
import { type JsonFault, type KnownJson, parseJsonAt, scanJson } from './located-json.ts';
import type { Fence } from './markdown-lines.ts';

/** A text that starts as JSON and then breaks off. */
export interface BrokenJson {
  start: number;
  end: number;
  /** The offset where it stops being valid JSON, or JSON that can be represented. */
  at: number;
  /** Whether it was meant as YAML. */
  isYaml?: boolean;
  beyond?: JsonFault['beyond'];
}

/** A JSON object or array in prose: UTF-16 offsets, end exclusive. */
export interface JsonBlock {
  start: number;
  end: number;
  value: Json;
  /** Whether it is JSON only without its comments and trailing commas. */
  lenient: boolean;
  /** Whether it is YAML. */
  isYaml?: boolean;
}

/** The outermost JSON objects and arrays of a text, in order, and the broken ones. */
export interface JsonBlocks {
  blocks: JsonBlock[];
  broken: BrokenJson[];
}

/** Most values retried with comments and trailing commas allowed; each retry may read the whole text. */
const MAX_LENIENT_TRIES = 16;

/** Most characters per text spent on finding the end of broken JSON. */
const MAX_BALANCE_CHARS = 500_000;

/**
 * Most characters per text that `JSON.parse` reads without success; broken JSON may reach to the end of the text each
 * time.
 */
const MAX_FAILED_CHARS = 200_000;

/** Fixed cost of a failed `JSON.parse`, in characters, because throwing is slow. */
const FAILED_TRY_CHARS = 1_000;

/** Finds the JSON objects and arrays in prose, in time linear in the text. Ignores brackets that start no JSON. */
export function findJsonBlocks(text: string, fences: readonly Fence[], known?: KnownJson): JsonBlocks {
  const found: JsonBlocks = { blocks: [], broken: [] };
  // The look-ahead is cheap, and most brackets in prose start no JSON.
  const bracket = /\{(?=[ \t\r\n]*["}/])|\[(?=[ \t\r\n]*["\]{[\d\-tfn/])/g;
  let lenientTries = 0;
  let balanceChars = 0;
  let failedChars = 0;
  let fenceIndex = 0;
  for (let hit = bracket.exec(text); hit !== null; hit = bracket.exec(text)) {
    const start = hit.index;
    const second = text.charCodeAt(start + 1);
    if (second === CLOSE_MAP || (second === CLOSE_LIST && text[start] === '[')) {
      found.blocks.push({ start, end: start + 2, lenient: false, value: second === CLOSE_MAP ? {} : [] });
      bracket.lastIndex = start + 2;
      continue;
    }
    if (failedChars < MAX_FAILED_CHARS) {
      const quick = parseJsonAt(text, start, text.length, known);
      if (quick.ok) {
        found.blocks.push({ start, end: quick.end, lenient: false, value: quick.value });
        bracket.lastIndex = quick.end;
        continue;
      }
      failedChars += quick.lookedTo - start + FAILED_TRY_CHARS;
    }
    let reading = scanJson(text, start);
    if (!reading.ok && lenientTries < MAX_LENIENT_TRIES && (reading.begun || text.startsWith('/', reading.at))) {
      lenientTries += 1;
      const second = scanJson(text, start, true);
      if (second.ok) reading = second;
    }
    if (reading.ok) {
      const { end, lenient, loose } = reading;
      found.blocks.push({ start, end, lenient, value: JSON.parse(strictText(text, start, end, loose)) as Json });
      bracket.lastIndex = end;
      continue;
    }
    bracket.lastIndex = Math.max(start + 1, reading.at);
    const { at, beyond } = reading;
    if (beyond === undefined && !(reading.named && BEGINS_OBJECTS.test(text.slice(start, start + 100)))) continue;
    for (let fence = fences[fenceIndex]; fence !== undefined && fence.end <= start; fence = fences[fenceIndex])
      fenceIndex += 1;
    const fence = fences[fenceIndex];
    let end = at;
    if (fence !== undefined && fence.contentStart <= start) end = Math.max(end, fence.contentEnd);
    else if (balanceChars < MAX_BALANCE_CHARS) {
      const balanced = balancedEnd(text, start, MAX_BALANCE_CHARS - balanceChars);
      balanceChars += (balanced ?? Math.min(text.length, start + MAX_BALANCE_CHARS)) - start;
      end = Math.max(end, balanced ?? end);
    }
    found.broken.push({ start, end, at, ...(beyond === undefined ? {} : { beyond }) });
    bracket.lastIndex = Math.max(start + 1, end);
  }
  return found;
}

/** An object, or a list of objects. Other lists in prose are usually brackets, not JSON. */
const BEGINS_OBJECTS = /^(?:\{|\[\s*\{)/;

/** A range of a text without some ranges inside it. */
function strictText(
  text: string,
  start: number,
  end: number,
  loose: readonly { start: number; end: number }[],
): string {
  if (loose.length === 0) return text.slice(start, end);
  // A trailing comma is recorded after the comment that follows it.
  const cuts = loose.toSorted((one, other) => one.start - other.start);
  const kept = cuts.map((cut, index) => text.slice(cuts[index - 1]?.end ?? start, cut.start));
  return [...kept, text.slice(cuts.at(-1)?.end ?? start, end)].join(' ');
}

const [QUOTE, BACKSLASH, LINE_FEED] = [0x22, 0x5c, 0x0a];
const [OPEN_MAP, CLOSE_MAP, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Where the brackets opened at an offset are all closed; ignores brackets in strings. `undefined` if they never are.
 */
function balancedEnd(text: string, start: number, maxChars: number): number | undefined {
  const limit = Math.min(text.length, start + maxChars);
  let depth = 0;
  for (let at = start; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at) ?? at;
    else if (code === OPEN_MAP || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE_MAP || code === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** The end of a string on the same line. */
function closingQuote(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
    if (text.charCodeAt(at) === LINE_FEED) return undefined;
  }
  return undefined;
}
