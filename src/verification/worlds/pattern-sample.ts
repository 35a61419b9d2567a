import type { SeededRandom } from './seeded-random.ts';

const WORD = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_';

/**
 * A text, of bounded length, that probably matches an ECMAScript pattern. Supports groups, classes, alternatives,
 * quantifiers and anchors; ignores the rest, such as look-around and back references: the caller must validate.
 */
export function samplePattern(pattern: string, random: SeededRandom): string {
  const reader = { pattern: pattern.slice(0, 2_000), at: 0, left: 400 };
  return alternatives(reader, random, 0).slice(0, 400);
}

interface Reader {
  pattern: string;
  at: number;
  /** Repetitions left: nested quantifiers must not multiply. */
  left: number;
}

function alternatives(reader: Reader, random: SeededRandom, depth: number): string {
  const found = [sequence(reader, random, depth)];
  while (reader.pattern[reader.at] === '|') {
    reader.at += 1;
    found.push(sequence(reader, random, depth));
  }
  return random.pick(found) ?? '';
}

function sequence(reader: Reader, random: SeededRandom, depth: number): string {
  let text = '';
  while (reader.at < reader.pattern.length && reader.pattern[reader.at] !== '|' && reader.pattern[reader.at] !== ')') {
    const start = reader.at;
    let piece = atom(reader, random, depth);
    const end = reader.at;
    const times = quantifier(reader, random);
    if (times === 0) piece = '';
    for (let nth = 1; nth < times && reader.left > 0; nth += 1) {
      reader.left -= 1;
      const after = reader.at;
      reader.at = start;
      piece += atom(reader, random, depth);
      reader.at = after;
    }
    if (reader.at === start) reader.at = end + 1;
    text += piece;
  }
  return text;
}

function quantifier(reader: Reader, random: SeededRandom): number {
  const match = /^(?:([*+?])|\{(\d{1,4})(,)?(\d{0,4})\})\??/.exec(reader.pattern.slice(reader.at, reader.at + 14));
  if (!match) return 1;
  reader.at += match[0].length;
  if (match[1] === '*') return random.integer(0, 4);
  if (match[1] === '+') return random.integer(1, 5);
  if (match[1] === '?') return random.integer(0, 1);
  const least = Number(match[2]);
  const most = match[3] === undefined ? least : match[4] === '' ? least + 4 : Number(match[4]);
  return random.integer(least, Math.max(least, Math.min(most, least + 12)));
}

function atom(reader: Reader, random: SeededRandom, depth: number): string {
  const char = reader.pattern[reader.at++] ?? '';
  if (char === '^' || char === '$') return '';
  if (char === '.') return random.pick([...'abcxyz019']) ?? 'a';
  if (char === '\\') return escaped(reader, random);
  if (char === '[') return classMember(reader, random);
  if (char !== '(') return char;
  const look = /^\?(?:[=!]|<[=!])/.exec(reader.pattern.slice(reader.at, reader.at + 4));
  const head = /^\?(?::|[=!]|<[=!]|<[^>]*>)/.exec(reader.pattern.slice(reader.at, reader.at + 60));
  reader.at += head?.[0].length ?? 0;
  const inner = depth > 20 ? '' : alternatives(reader, random, depth + 1);
  if (reader.pattern[reader.at] === ')') reader.at += 1;
  return look ? '' : inner;
}

function escaped(reader: Reader, random: SeededRandom): string {
  const char = reader.pattern[reader.at++] ?? '';
  if (char === 'd') return String(random.integer(0, 9));
  if (char === 'w') return random.pick([...WORD]) ?? 'a';
  if (char === 's') return ' ';
  if (char === 'D' || char === 'S') return random.pick([...'abcxyz']) ?? 'a';
  if (char === 'W') return '-';
  if (char === 'b' || char === 'B') return '';
  if (char === 'n') return '\n';
  if (char === 't') return '\t';
  if (char === 'p') {
    const name = /^\{([^}]*)\}/.exec(reader.pattern.slice(reader.at, reader.at + 40));
    reader.at += name?.[0].length ?? 0;
    return name?.[1]?.startsWith('N') ? '7' : name?.[1] === 'Lu' ? 'K' : 'k';
  }
  const code = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/.exec(char + reader.pattern.slice(reader.at, reader.at + 4));
  if (code) {
    reader.at += code[0].length - 1;
    return String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? '61', 16));
  }
  return char;
}

function classMember(reader: Reader, random: SeededRandom): string {
  const negated = reader.pattern[reader.at] === '^';
  if (negated) reader.at += 1;
  const members: string[] = [];
  let first = true;
  while (reader.at < reader.pattern.length && (first || reader.pattern[reader.at] !== ']')) {
    first = false;
    const from = member(reader, random);
    if (
      reader.pattern[reader.at] === '-' &&
      reader.pattern[reader.at + 1] !== ']' &&
      reader.at + 1 < reader.pattern.length
    ) {
      reader.at += 1;
      const to = member(reader, random);
      const [low, high] = [from.codePointAt(0) ?? 97, to.codePointAt(0) ?? 97];
      for (let point = low; point <= Math.min(high, low + 300); point += 1) members.push(String.fromCodePoint(point));
    } else if (from !== '') members.push(from);
  }
  reader.at += 1;
  if (!negated) return random.pick(members) ?? '';
  return random.pick([...'abcdefgh0123456789XYZ-_ '].filter((char) => !members.includes(char))) ?? '~';
}

function member(reader: Reader, random: SeededRandom): string {
  const char = reader.pattern[reader.at++] ?? '';
  return char === '\\' ? escaped(reader, random) : char;
}
