import { RE2JS } from 're2js';

/** Longest pattern that is compiled, in characters: longer ones are left to be evaluated elsewhere. */
export const MAX_PATTERN_CHARS = 2_000;

/** Most states of one pattern's automaton: compiling takes about 10 µs for each. */
export const MAX_PATTERN_STATES = 1_500;

/** A pattern that can be matched in linear time here, or must be left to the isolate, or is no pattern at all. */
export type CompiledPattern =
  | {
      kind: 'linear';
      test(text: string): boolean;
      /** What a match takes for each character of the text, in units of up to 0.1 µs. */
      workPerCharacter: number;
    }
  | { kind: 'unsupported'; reason: string }
  | { kind: 'invalid'; reason: string };

/** Most patterns whose compiled form is kept for the next time they are asked for. */
const MAX_KEPT_PATTERNS = 200;

/** Compiles an ECMAScript pattern for matching without backtracking. */
export const compilePattern: (pattern: string) => CompiledPattern = remembering(MAX_KEPT_PATTERNS, compile);

/** The same function, but that what it told of so many texts is remembered. */
function remembering<Told extends {}>(most: number, tell: (text: string) => Told): (text: string) => Told {
  const known = new Map<string, Told>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= most) known.clear();
    const told = tell(text);
    known.set(text, told);
    return told;
  };
}

function compile(pattern: string): CompiledPattern {
  const fault = patternFault(pattern);
  if (fault !== undefined) return { kind: 'invalid', reason: fault };
  if (pattern.length > MAX_PATTERN_CHARS) return { kind: 'unsupported', reason: `${pattern.length} characters` };
  const states = estimatedStates(pattern);
  if (states > MAX_PATTERN_STATES) return { kind: 'unsupported', reason: 'too many repetitions' };
  // The library would find it, too, after taking the pattern apart.
  if (hasNoAutomaton(pattern)) return { kind: 'unsupported', reason: 'look-around or back-reference' };
  try {
    const automaton = RE2JS.compile(RE2JS.translateRegExp(spelledOut(pattern)));
    // Begun at the text's beginning alone, a match is in as many states at once as there are choices.
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

/** What `\\s` stands for in ECMAScript: more than in other dialects. */
const SPACES = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

/** A pattern without what the library reads otherwise than ECMAScript does. */
function spelledOut(pattern: string): string {
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
 * Says whether a backtracking engine may take exponential time on a pattern: what is repeated without end, or often, holds a repetition, at any
 * depth, or alternatives that begin alike.
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
      // Groups are not compared with each other.
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

/** A bar, a group's beginning, or its end or one thing with how often it comes. */
const PATTERN_PART = /\||\(|(?<=\()\?(?:[:=!]|<[=!]|<\w+>)|(\)|\\.|\[(?:[^\]\\]|\\.)*\]|.)([+*?]|\{\d+(?:,\d*)?\})?/gs;

/** Why a text is no ECMAScript pattern; `undefined` where it is one. */
export function patternFault(pattern: string): string | undefined {
  // Documents carry patterns that only the older syntax allows, such as `\_`; they are valid ECMAScript all the same.
  if (isUnicodePattern(pattern)) return undefined;
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : 'unknown syntax';
  }
}

/** Says whether a text is a pattern as ECMAScript has it with the flag `u`. */
export function isUnicodePattern(text: string): boolean {
  let areKnown = true;
  // In a class V8 takes a quarter of a millisecond for a property of characters each time it stands there; to the syntax it is what `\d` is.
  const plain = text.replace(ESCAPE, (token) => {
    if (!/^\\[pP]\{/.test(token)) return token;
    areKnown &&= isProperty(token);
    return '\\d';
  });
  return areKnown && isRegExp(plain);
}

const ESCAPE = /\\(?:[pP]\{[^{}]{0,100}\}|.)/gs;

/** Most escapes of which it is remembered whether they name a property: some 400 do. */
const MAX_KEPT_PROPERTIES = 2_000;

const isProperty = remembering(MAX_KEPT_PROPERTIES, isRegExp);

function isRegExp(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

/** What matching takes for each character, however few states there are. */
const LEAST_WORK = 5;

/** What a property of characters takes to compile, in states: it stands for hundreds of ranges. */
const STATES_OF_PROPERTY = 32;

/** About how many states the automaton of a pattern has, as far as compiling it is concerned. */
export function estimatedStates(pattern: string): number {
  const properties = pattern.match(/\\[pP]\{/g)?.length ?? 0;
  return estimated(pattern, 1) + properties * STATES_OF_PROPERTY;
}

/** About how many ways a match can go on at one character. */
function estimatedChoices(pattern: string): number {
  return estimated(pattern, 0);
}

/** The weight of a pattern whose single characters weigh so much, and its choices one each. */
function estimated(pattern: string, ofCharacter: number): number {
  // Counted repetitions multiply the states of the automaton, so a short pattern can stand for a huge one.
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
