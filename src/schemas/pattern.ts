import { RE2JS } from 're2js';

/** Longest pattern that is compiled, in characters: longer ones are left to be evaluated elsewhere. */
export const MAX_PATTERN_CHARS = 2_000;

/** Most states of one pattern's automaton: compiling takes about 10 µs for each. */
export const MAX_PATTERN_STATES = 1_500;

/** Most work one match may take, in characters times an estimate of the pattern's states. */
const MAX_MATCH_WORK = 4_000_000;

/** A pattern that can be matched in linear time here, or must be left to the isolate, or is no pattern at all. */
export type CompiledPattern =
  | { kind: 'linear'; test(text: string): boolean | undefined }
  | { kind: 'unsupported'; reason: string }
  | { kind: 'invalid'; reason: string };

const compiled = new Map<string, CompiledPattern>();

/** Most patterns whose compiled form is kept for the next time they are asked for. */
const MAX_KEPT_PATTERNS = 200;

/** Compiles an ECMAScript pattern for matching without backtracking. `test` answers `undefined` where a match would take too long. */
export function compilePattern(pattern: string): CompiledPattern {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (compiled.size >= MAX_KEPT_PATTERNS) compiled.clear();
  const made = compile(pattern);
  compiled.set(pattern, made);
  return made;
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
    const automaton = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return {
      kind: 'linear',
      test: (text) => (text.length * states > MAX_MATCH_WORK ? undefined : automaton.matcher(text).find()),
    };
  } catch (error) {
    return { kind: 'unsupported', reason: error instanceof Error ? error.message.slice(0, 200) : 'unknown syntax' };
  }
}

function hasNoAutomaton(pattern: string): boolean {
  const tokens = pattern.match(/\\.|\[(?:[^\]\\]|\\.)*\]|\(\?<?[=!]/gs) ?? [];
  return tokens.some((token) => token.startsWith('(') || /^\\[1-9k]/.test(token));
}

/** Says whether a pattern nests repetitions so that a backtracking engine may take exponential time on it. */
export function mayBacktrackWithoutEnd(pattern: string): boolean {
  return /\((?:[^()\\]|\\.)*[+*}](?:[^()\\]|\\.)*\)(?:[+*]|\{\d+,\d*\})/.test(pattern.slice(0, MAX_PATTERN_CHARS));
}

/** Why a text is no ECMAScript pattern; `undefined` where it is one. */
export function patternFault(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
    return undefined;
  } catch {
    // Documents carry patterns that only the older syntax allows, such as `\_`; they are valid ECMAScript all the same.
  }
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : 'unknown syntax';
  }
}

/** About how many states the automaton of a pattern has. */
export function estimatedStates(pattern: string): number {
  // Counted repetitions multiply the states of the automaton, so a short pattern can stand for a huge one.
  const sums = [0];
  let last = 0;
  const add = (states: number): void => {
    sums.push((sums.pop() ?? 0) + states);
    last = states;
  };
  for (const [token, most] of pattern.matchAll(/\\.|\[(?:[^\]\\]|\\.)*\]|\{(?:\d+,)?(\d+)\}|\{\d+,\}|./gs)) {
    if (token === '(') sums.push(0);
    else if (token === ')') add(sums.length > 1 ? (sums.pop() ?? 0) : 1);
    else if (most !== undefined) add(last * Math.min(Number(most), 1e6));
    else if (token.startsWith('{') && token.length > 1) add(last * Math.min(Number.parseInt(token.slice(1), 10), 1e6));
    else add(1);
    if (last > 1e9) break;
  }
  return Math.max(1, ...sums);
}
