/** Common check-digit schemes of long numbers: whether a text of the right length passes. */
const CHECKS: readonly ((digits: string, text: string) => boolean)[] = [
  // Luhn, of payment cards and subscriber numbers.
  (digits) =>
    digits.length >= 13 &&
    digits.length <= 19 &&
    weighed(
      digits,
      (index) => (index % 2 === 1 ? 2 : 1),
      (value) => (value > 9 ? value - 9 : value),
    ) %
      10 ===
      0,
  // EAN, GTIN, UPC and ISBN-13.
  (digits) =>
    [8, 12, 13, 14].includes(digits.length) && weighed(digits, (index) => (index % 2 === 1 ? 3 : 1)) % 10 === 0,
  // ISBN-10.
  (digits) => digits.length === 10 && weighed(digits, (index) => index + 1) % 11 === 0,
  // ISO 7064, MOD 11-2: the check character X stands for ten.
  (_, text) => /^(?:\d{15}|\d{17})[\dX]$/.test(text) && mod11Of2(text) === 1,
  // IBAN.
  (_, text) => /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/.test(text) && mod97(text.slice(4) + text.slice(0, 4)) === 1,
];

/** For each common check-digit scheme, whether a text passes it, ignoring separators. */
export function checksums(text: string): boolean[] {
  const digits = text.replace(/\D/g, '');
  const compact = text.replace(/[^0-9A-Za-z]/g, '').toUpperCase();
  return CHECKS.map((isRight) => isRight(digits, compact));
}

function weighed(digits: string, weight: (index: number) => number, fold = (value: number): number => value): number {
  return [...digits].reverse().reduce((total, digit, index) => total + fold(Number(digit) * weight(index)), 0);
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
