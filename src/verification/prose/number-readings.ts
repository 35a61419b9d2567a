const WORDS: Readonly<Record<string, number>> = Object.fromEntries([
  ...'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, value) => [word, value] as const),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, index) => [word, 20 + 10 * index] as const),
  ...Object.entries({ half: 0.5, quarter: 0.25, third: 3, dozen: 12, hundred: 100, thousand: 1000, million: 1e6 }),
  ...Object.entries({
    once: 1,
    twice: 2,
    double: 2,
    doubles: 2,
    doubled: 2,
    halved: 2,
    triple: 3,
    fortnight: 14,
    noon: 12,
  }),
  ...'零一二三四五六七八九十'.split('').map((word, value) => [word, value] as const),
  ...Object.entries({ 两: 2, 半: 0.5, 百: 100, 千: 1000, 万: 10_000 }),
  ...'january february march april may june july august september october november december'
    .split(' ')
    .map((word, index) => [word, index + 1] as const),
]);

const SCALES: Readonly<Record<string, number>> = {
  k: 1000,
  thousand: 1000,
  m: 1e6,
  million: 1e6,
  bn: 1e9,
  billion: 1e9,
  百: 100,
  千: 1000,
  万: 10_000,
  亿: 1e8,
  dozen: 12,
};

/** A number of a text, with where it stands. */
export interface ReadNumber {
  value: number;
  start: number;
  end: number;
}

const NUMBER =
  /(?<![\p{L}\p{N}_.])\d+(?:(?:[,'_\u00a0\u202f ]\d{3})+(?!\d))?(?:\.\d+)?(?:\s?(?:k|thousand|m|million|bn|billion|dozen)(?![\p{L}\p{N}])|[百千万亿])?/giu;

/** The numbers of a text as a reader takes them: `10,000`, `1.5 million`, `2.5 %` as 2.5. Numbers inside words, dates and times are left out. */
export function numbersIn(text: string): ReadNumber[] {
  return [...text.matchAll(NUMBER)].flatMap((match) => {
    const [whole] = match;
    const end = match.index + whole.length;
    const before = text.slice(Math.max(0, match.index - 2), match.index);
    if (/^[-:/]\d|^[\p{L}_](?![\p{L}_]*\b)/u.test(text.slice(end)) || /\d[-:/]$/.test(before)) return [];
    const [, digits, scale] = /^([\d,'_\u00a0\u202f .]*\d)\s?(\D+)?$/iu.exec(whole) ?? [];
    // "5 m" is a length, "5 million" is none.
    const factor = scale === undefined || (scale === 'm' && /\s/.test(whole)) ? 1 : (SCALES[scale.toLowerCase()] ?? 1);
    const value = Number(digits?.replace(/[,'_\u00a0\u202f ]/g, '')) * factor;
    return Number.isFinite(value) ? [{ value, start: match.index, end }] : [];
  });
}

/** Every number that a text can be read to hold: digits in any grouping, words, hours and minutes. */
export function allNumbersIn(text: string): Set<number> {
  const found = new Set(numbersIn(text).map(({ value }) => value));
  for (const [digits] of text.matchAll(/\d+(?:[.,]\d+)*/g)) {
    // Points and commas part thousands, decimals, or the items of a list.
    const isGrouped = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/.test(digits);
    if (isGrouped) found.add(Number(digits.replaceAll(/[.,](?=\d{3}(?:[.,]|$))/g, '').replace(',', '.')));
    if (/^\d+(?:[.,]\d+)?$/.test(digits)) found.add(Number(digits.replace(',', '.')));
    else if (!isGrouped) for (const part of digits.split(/[.,]/)) found.add(Number(part));
  }
  for (const [, hours, minutes] of text.matchAll(/(?<!\d)(\d{1,2}):(\d\d)(?!\d)/g)) {
    const total = Number(hours) * 60 + Number(minutes);
    for (const value of [total, total / 60, total * 60, Number(hours) * 100 + Number(minutes)]) found.add(value);
  }
  for (const [word] of text.toLowerCase().matchAll(/[a-z]+|\p{Script=Han}/gu)) {
    const value = WORDS[word];
    if (value !== undefined) found.add(value);
  }
  found.delete(Number.NaN);
  return found;
}

/** What a number is multiplied with where it is put in another unit. */
const UNITS = [10, 100, 1000, 1e6, 60, 3600, 60_000, 3.6e6, 1440, 24, 86_400, 8.64e7, 7, 30, 365, 365.25, 12, 52];

/** The numbers by which a handler may rightly stand for a number of the document: in another unit, as a share, one step beside it. */
export function readingsOf(value: number): number[] {
  const forms = [value, ...UNITS.flatMap((unit) => [value * unit, value / unit])];
  forms.push(...forms.flatMap((form) => [form + 1, form - 1, form + 0.01, form - 0.01]), value + 0.5, value - 0.5);
  if (value <= 100) forms.push(1 - value / 100, 1 + value / 100, 100 - value, 100 + value, 100 / value);
  if (value < 1) forms.push(1 - value, 1 + value, 100 - value * 100, 100 + value * 100);
  forms.push(1 / value);
  return forms;
}

/** Whether two numbers are one, but for their signs and the last digits, in which sums go wrong. */
export function isSameNumber(one: number, other: number): boolean {
  const [a, b] = [Math.abs(one), Math.abs(other)];
  // Rounding takes a hundred times longer than seeing that it is of no use.
  return a === b || (Math.abs(a - b) <= 1e-7 * b && rounded(a) === rounded(b));
}

function rounded(value: number): number {
  return Number(value.toPrecision(9));
}
