import type { Json } from '../../kernel/json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { SeededRandom } from './seeded-random.ts';
import { replacedAt, type Variation } from './variations.ts';

/** The usual checks of long numbers: by their names in documents, and whether a text is right by them. */
const CHECKS: readonly { named: RegExp; isRight(text: string): boolean }[] = [
  {
    named: /\bluhn\b|\bmod(?:ulo|ulus)?[ -]?10\b/i,
    isRight: (text) =>
      weighed(
        text,
        (index) => (index % 2 === 1 ? 2 : 1),
        (value) => (value > 9 ? value - 9 : value),
      ) %
        10 ===
      0,
  },
  {
    named: /\b(?:EAN|GTIN|UPC|ISBN-?13|EAN-?(?:8|13)|GTIN-?(?:8|12|13|14))\b/i,
    isRight: (text) =>
      [8, 12, 13, 14].includes(text.replace(/\D/g, '').length) &&
      weighed(text, (index) => (index % 2 === 1 ? 3 : 1)) % 10 === 0,
  },
  {
    named: /\bISBN(?:-?10)?\b/i,
    isRight: (text) => text.replace(/\D/g, '').length === 10 && weighed(text, (index) => index + 1) % 11 === 0,
  },
  {
    // ISO 7064, MOD 11-2: its check character stands for ten where it is an X.
    named: /\bORCID\b|\bMOD ?11[-,]2\b|(?:居民|公民)?身份证|GB ?11643/i,
    isRight: (text) => {
      const compact = text.replace(/[ -]/g, '').toUpperCase();
      return /^(?:\d{15}|\d{17})[\dX]$/.test(compact) && mod11Of2(compact) === 1;
    },
  },
  {
    named: /\bIBAN\b/i,
    isRight: (text) => {
      const moved = text.replace(/[^0-9A-Za-z]/g, '').toUpperCase();
      return /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/.test(moved) && mod97(moved.slice(4) + moved.slice(0, 4)) === 1;
    },
  },
];

/** Says of each usual check whether a text is right by it. */
export function checksums(text: string): boolean[] {
  return CHECKS.map(({ isRight }) => isRight(text));
}

function weighed(text: string, weight: (index: number) => number, fold = (value: number): number => value): number {
  return [...text.replace(/\D/g, '')]
    .reverse()
    .reduce((total, digit, index) => total + fold(Number(digit) * weight(index)), 0);
}

function mod11Of2(text: string): number {
  return [...text].reduce((rest, char) => (rest * 2 + (char === 'X' ? 10 : Number(char))) % 11, 0);
}

function mod97(text: string): number {
  let rest = 0;
  for (const char of text) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

/** Fresh values of one case, and how many are tried for each. */
const [maxFresh, maxTries] = [3, 1_000];

/** The variations of a case whose long numbers have other digits and are right by the check that the document names for them. */
export function keepingTheirChecks({ subject }: CheckFacts, seenCase: SeenCase): Variation[] {
  const { input } = seenCase.one;
  const base = caseScenario(subject, seenCase.one);
  const named = CHECKS.filter((check) => check.named.test(subject.agreement.text));
  return leavesOf(input).flatMap(({ pointer, name, value }): Variation[] => {
    const right = typeof value === 'string' ? named.filter(({ isRight }) => isRight(value)) : [];
    if (typeof value !== 'string' || right.length === 0) return [];
    const random = new SeededRandom(`checked ${value}`);
    const found = new Set<string>();
    // What it begins with may say of what kind it is.
    const head = Math.ceil(value.replace(/\D/g, '').length / 2);
    for (let tries = 0; tries < maxTries && found.size < maxFresh; tries += 1) {
      let nth = 0;
      const fresh: string = value.replace(/\d/g, (digit) => {
        nth += 1;
        return nth <= head ? digit : String(random.integer(0, 9));
      });
      if (fresh !== value && right.every(({ isRight }) => isRight(fresh))) found.add(fresh);
    }
    return [...found].flatMap((fresh): Variation[] => {
      const changed: Json = replacedAt(input, pointer, fresh);
      return subject.surface.requestIssues(changed).length > 0
        ? []
        : [{ seenCase, pointer, name, input: changed, scenario: { ...base, input: changed } }];
    });
  });
}
