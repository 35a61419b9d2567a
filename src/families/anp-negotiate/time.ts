const TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):\d{2}:(\d{2})(?:\.\d+)?(?:Z|[+-](\d{2}):(\d{2}))$/;

/** The moment that an RFC 3339 time names, in milliseconds since 1970; `undefined` for any other text. */
export function timeOf(given: string): number | undefined {
  // RFC 3339 allows small letters, too.
  const text = given.toUpperCase();
  const [, year, month, day, hour, second, ...offset] = TIME.exec(text) ?? [];
  const [hours = 0, minutes = 0] = offset.map((part) => Number(part ?? 0));
  const isLeapSecond = second === '60';
  // `Date` knows no leap second.
  const at = Date.parse(isLeapSecond ? text.replace(':60', ':59') : text);
  // It reads February 30 as March 2, and 24:00 as the next day.
  const isDay = new Date(Date.UTC(2000, Number(month) - 1, Number(day))).getUTCMonth() === Number(month) - 1;
  const isLeapDay = month === '02' && day === '29';
  const isInYear = !isLeapDay || isLeap(Number(year));
  const isClock = Number(hour) < 24 && hours < 24 && minutes < 60;
  if (!isDay || !isInYear || !isClock || !Number.isFinite(at)) return undefined;
  if (!isLeapSecond) return at;
  const isLastMinute = new Date(at).toISOString().includes('T23:59:');
  return isLastMinute ? at + 1000 : undefined;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
