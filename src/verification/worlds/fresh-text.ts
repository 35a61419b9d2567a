import type { SeededRandom } from './seeded-random.ts';

/**
 * How much a fresh value differs from the one it replaces: `far` changes all that its shape allows, `near` as little as
 * possible.
 */
export type Reach = 'far' | 'near';

const POOLS: readonly [RegExp, string][] = [
  [/\p{Script=Han}/u, '岚枫澜皓钰槿璟砚翎淞珂旻沐宸黎楠'],
  [/\p{Script=Hiragana}/u, 'さしすせそたちつてとなにぬねの'],
  [/\p{Script=Katakana}/u, 'サシスセソタチツテトナニヌネノ'],
  [/\p{Script=Hangul}/u, '가나다라마바사아자차카타파하'],
  [/\p{Script=Cyrillic}/u, 'бвгджзклмнпрстф'],
  [/\p{Script=Greek}/u, 'βγδζθκλμνξπρστφ'],
];

/**
 * A fresh, unused text of the same shape, in lower case where letters have cases; `undefined` if a short shape has none
 * left.
 */
export function freshOf(text: string, used: Set<string>, random: SeededRandom, reach: Reach): string | undefined {
  const chars = [...text];
  const lower = text.toLowerCase();
  const hex = /^(?=.*\d)[0-9a-f]+$/i.test(text) && /[a-f]/i.test(text);
  for (let tries = 0; tries < 300; tries += 1) {
    const fresh =
      reach === 'near' && tries < 50
        ? nearOf(chars, random, hex)
        : tries < 200
          ? farOf(chars, random, hex)
          : farthestOf(chars, random, hex);
    if (fresh.toLowerCase() !== lower && !used.has(fresh.toLowerCase())) {
      used.add(fresh.toLowerCase());
      return fresh;
    }
  }
  return undefined;
}

/** Sorts the fresh values of one shape like the values they replace: a list may be sorted by them. */
export function keepOrder(fresh: Map<string, string>, checked: ReadonlySet<string>): void {
  const shapes = new Map<string, string[]>();
  for (const text of fresh.keys()) {
    if (checked.has(text)) continue;
    const shape = text.replace(/\d/g, '0').replace(/[a-z]/gi, 'a');
    shapes.set(shape, [...(shapes.get(shape) ?? []), text]);
  }
  for (const texts of shapes.values()) {
    const values = texts.map((text) => fresh.get(text) as string).sort();
    for (const [index, text] of texts.sort().entries()) fresh.set(text, values[index] as string);
  }
}

export function withCaseOf(model: string, fresh: string): string {
  if (model === model.toLowerCase()) return fresh.toLowerCase();
  const shape = [...model];
  return [...fresh]
    .map((char, index) =>
      shape[index] !== undefined && shape[index] !== shape[index]?.toLowerCase()
        ? char.toUpperCase()
        : char.toLowerCase(),
    )
    .join('');
}

/** Replaces every letter and digit. */
function farthestOf(chars: readonly string[], random: SeededRandom, hex: boolean): string {
  return chars
    .map((char) => (/\d/.test(char) ? String(random.integer(1, 9)) : freshLetter(char, random, hex)))
    .join('');
}

function farOf(chars: readonly string[], random: SeededRandom, hex: boolean): string {
  const digits = chars.filter((char) => /\d/.test(char)).length;
  return chars
    .map((char, index) => {
      if (/\d/.test(char)) return index === 0 && chars.length > 1 && digits > 1 ? char : String(random.integer(0, 9));
      return index === 0 || (digits > 0 && !hex) ? char : freshLetter(char, random, hex);
    })
    .join('');
}

function nearOf(chars: readonly string[], random: SeededRandom, hex: boolean): string {
  const places = chars.flatMap((char, index) => (/\d/.test(char) ? [index] : []));
  const place = places.length > 0 ? random.pick(places.slice(-2)) : chars.length - 1;
  return chars
    .map((char, index) =>
      index !== place ? char : /\d/.test(char) ? String(random.integer(0, 9)) : freshLetter(char, random, hex),
    )
    .join('');
}

function freshLetter(char: string, random: SeededRandom, hex: boolean): string {
  if (/[a-z]/.test(char)) return random.pick([...(hex ? 'abcdef' : 'bcdfghjklmnpqrstvwxz')]) ?? char;
  if (/[A-Z]/.test(char)) return random.pick([...(hex ? 'ABCDEF' : 'BCDFGHJKLMNPQRSTVWXZ')]) ?? char;
  const pool = POOLS.find(([script]) => script.test(char))?.[1];
  return pool === undefined ? char : (random.pick([...pool]) ?? char);
}
