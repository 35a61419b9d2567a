import { RE2JS } from 're2js';

/** Longest pattern compiled here, in characters; longer ones are left to the isolate. */
const MAX_PATTERN_CHARS = 2_000;

/** Most states in the automaton of one pattern; compiling takes about 10 µs per state. */
const MAX_PATTERN_STATES = 1_500;

/** A pattern that is matched here in linear time, must be left to the isolate (`unsupported`), or is invalid. */
export type CompiledPattern =
  | {
      kind: 'linear';
      test(text: string): boolean;
      /** Work per character of the text, in units of up to 0.1 µs. */
      workPerCharacter: number;
    }
  | { kind: 'unsupported'; reason: string }
  | { kind: 'invalid'; reason: string };

/** Most compiled patterns in the cache. */
const MAX_CACHED_PATTERNS = 200;

/** Compiles an ECMAScript pattern for matching without backtracking. */
export const compilePattern: (pattern: string) => CompiledPattern = cached(MAX_CACHED_PATTERNS, compile);

/** A function that caches up to `most` results of another one. */
function cached<Result extends {}>(most: number, compute: (text: string) => Result): (text: string) => Result {
  const cache = new Map<string, Result>();
  return (text) => {
    const before = cache.get(text);
    if (before !== undefined) return before;
    if (cache.size >= most) cache.clear();
    const result = compute(text);
    cache.set(text, result);
    return result;
  };
}

function compile(pattern: string): CompiledPattern {
  const fault = patternFault(pattern);
  if (fault !== undefined) return { kind: 'invalid', reason: fault };
  if (pattern.length > MAX_PATTERN_CHARS) return { kind: 'unsupported', reason: `${pattern.length} characters` };
  const states = estimatedStates(pattern);
  if (states > MAX_PATTERN_STATES) return { kind: 'unsupported', reason: 'too many repetitions' };
  // Re2js would find out too, but only after parsing the pattern.
  if (hasNoAutomaton(pattern)) return { kind: 'unsupported', reason: 'look-around or back-reference' };
  try {
    const automaton = RE2JS.compile(RE2JS.translateRegExp(asRe2(pattern)));
    // A pattern anchored at the start is in as many states at once as it has choices.
    const atOnce = /^\^(?!.*\|)/s.test(pattern) ? estimatedChoices(pattern) : states;
    return {
      kind: 'linear',
      test: (text) => automaton.matcher(text).find(),
      workPerCharacter: LEAST_WORK + atOnce,
    };
  } catch (error) {
    return { kind: 'unsupported', reason: error instanceof Error ? error.message.slice(0, 200) : 'unknown syntax' };
  }
}

/** What `\\s` matches in ECMAScript, which is more than in other dialects. */
const SPACES = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

/** A pattern rewritten where re2js reads it differently from ECMAScript. */
function asRe2(pattern: string): string {
  let inClass = false;
  return pattern.replace(/\\.|[[\].]/gs, (token) => {
    if (token === '[' && inClass) return '\\[';
    if (token === '[' || token === ']') inClass = token === '[';
    else if (token === '.' && !inClass) return '[^\\n\\r\\u2028\\u2029]';
    else if (token === '\\s') return inClass ? SPACES : `[${SPACES}]`;
    else if (token === '\\S' && !inClass) return `[^${SPACES}]`;
    else if (/^\\[ACEQZahz]$/.test(token)) return token.charAt(1);
    return token;
  });
}

function hasNoAutomaton(pattern: string): boolean {
  const tokens = pattern.match(/\\.|\[(?:[^\]\\]|\\.)*\]|\(\?<?[=!]/gs) ?? [];
  return tokens.some((token) => token.startsWith('(') || /^\\[1-9k]/.test(token));
}

/**
 * Whether a backtracking engine may take exponential time on a pattern: an unbounded or high repetition contains
 * another repetition at any depth, or alternatives with the same start.
 */
export function mayBacktrackWithoutEnd(pattern: string): boolean {
  const groups: { repeats: boolean; heads: string[] }[] = [{ repeats: false, heads: [''] }];
  for (const [token, thing = '', quantifier = ''] of pattern.slice(0, MAX_PATTERN_CHARS).matchAll(PATTERN_PART)) {
    const group = groups.at(-1);
    if (group === undefined) return false;
    const isRepeated = /^(?:[+*]|\{\d+,\}|\{(?:\d+,)?\d{2,}\})$/.test(quantifier);
    if (token.startsWith('?')) continue;
    if (token === '|') group.heads.push('');
    else if (token === '(') {
      // Groups are not compared with each other, so each gets a unique head.
      group.heads.push(group.heads.pop() || `(${groups.length}.${group.heads.length}`);
      groups.push({ repeats: false, heads: [''] });
    } else if (thing === ')') {
      const areAlike = new Set(group.heads).size < group.heads.length;
      if (isRepeated && (group.repeats || areAlike)) return true;
      groups.pop();
      const outer = groups.at(-1);
      if (outer !== undefined) outer.repeats ||= group.repeats || isRepeated;
    } else {
      group.repeats ||= isRepeated || /^\{\d+,\d+\}$/.test(quantifier);
      group.heads.push(group.heads.pop() || thing);
    }
  }
  return false;
}

/** A bar, the start of a group, or the end of a group or an atom, with its quantifier. */
const PATTERN_PART = /\||\(|(?<=\()\?(?:[:=!]|<[=!]|<\w+>)|(\)|\\.|\[(?:[^\]\\]|\\.)*\]|.)([+*?]|\{\d+(?:,\d*)?\})?/gs;

/** Why a text is not an ECMAScript pattern; `undefined` if it is one. */
export function patternFault(pattern: string): string | undefined {
  // Documents contain patterns such as `\_` that only the older syntax allows; they are valid ECMAScript too.
  if (isUnicodePattern(pattern)) return undefined;
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : 'unknown syntax';
  }
}

/** Whether a text is an ECMAScript pattern for flag `u`. */
export function isUnicodePattern(text: string): boolean {
  let areKnown = true;
  // V8 takes a quarter of a millisecond for each character property in a class. For the syntax check, `\d` is
  // equivalent.
  const plain = text.replace(ESCAPE, (token) => {
    if (!/^\\[pP]\{/.test(token)) return token;
    areKnown &&= isProperty(token);
    return '\\d';
  });
  return areKnown && isRegExp(plain);
}

const ESCAPE = /\\(?:[pP]\{[^{}]{0,100}\}|.)/gs;

/** Most character properties in the cache; about 400 names are valid. */
const MAX_CACHED_PROPERTIES = 2_000;

const isProperty = cached(MAX_CACHED_PROPERTIES, isRegExp);

function isRegExp(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Work per character for a pattern with few states. */
const LEAST_WORK = 5;

/** Cost of compiling a character property, in states; it stands for hundreds of ranges. */
const STATES_OF_PROPERTY = 32;

/** Estimated number of states in the automaton of a pattern, as a measure of compile time. */
export function estimatedStates(pattern: string): number {
  const properties = pattern.match(/\\[pP]\{/g)?.length ?? 0;
  return estimated(pattern, 1) + properties * STATES_OF_PROPERTY;
}

/** Estimated number of ways in which a match can continue at one character. */
function estimatedChoices(pattern: string): number {
  return estimated(pattern, 0);
}

/** The weight of a pattern: `ofCharacter` per character, one per choice. */
function estimated(pattern: string, ofCharacter: number): number {
  // Counted repetitions multiply states, so a short pattern can have a huge automaton.
  const sums = [0];
  let last = 0;
  const add = (states: number): void => {
    sums.push((sums.pop() ?? 0) + states);
    last = states;
  };
  for (const [token, least, most] of pattern.matchAll(/\\.|\[(?:[^\]\\]|\\.)*\]|\{(?:(\d+),)?(\d+)\}|\{\d+,\}|./gs)) {
    if (token === '(') sums.push(0);
    else if (token === ')') add(sums.length > 1 ? (sums.pop() ?? 0) : 1);
    else if (most !== undefined) {
      const times = Math.min(Number(most), 1e6);
      add(last * times + (1 - ofCharacter) * (times - Number(least ?? most)));
    } else if (token.startsWith('{') && token.length > 1)
      add(last * Math.min(Number.parseInt(token.slice(1), 10), 1e6) + 1 - ofCharacter);
    else add(/^[?*+|]$/.test(token) ? 1 : ofCharacter);
    if (last > 1e9) break;
  }
  return Math.max(1, ...sums);
}
