import {
  apply,
  construct,
  dateText,
  defineProperty,
  getOwnPropertyDescriptor,
  hide,
  lend,
  NativeDate,
  scope,
} from './primordials.ts';

// Runs with different clocks share a realm, but a run goes on only in a step with its own clock. Within a step
// the clock stands still, in live use too: a run that is repeated sees the same times, and no run can measure
// anything with it.
let nowMs = 0;

/** Sets the time of the step that begins, in milliseconds since 1970. */
export function setClock(timeMs: number): void {
  nowMs = timeMs;
}

/** The time of the current step, in milliseconds since 1970. */
export function now(): number {
  return nowMs;
}

/** Makes every built-in that tells the time use this clock. */
export function replaceClock(): void {
  const GuestDate = function (...parts: unknown[]): unknown {
    if (!new.target) return dateText(new NativeDate(now()));
    return construct(NativeDate, parts.length === 0 ? [now()] : parts, new.target);
  };
  defineProperty(GuestDate, 'length', { __proto__: null, value: 7 } as PropertyDescriptor);
  lend(GuestDate, 'Date', NativeDate.prototype);
  hide(GuestDate, 'now', () => now());
  hide(GuestDate, 'parse', NativeDate.parse);
  hide(GuestDate, 'UTC', NativeDate.UTC);
  hide(NativeDate.prototype, 'constructor', GuestDate);
  hide(scope, 'Date', GuestDate);

  const dateFormat = Intl.DateTimeFormat.prototype;
  const formatGetter = getOwnPropertyDescriptor(dateFormat, 'format')?.get as (
    this: unknown,
  ) => (date: unknown) => string;
  defineProperty(dateFormat, 'format', {
    __proto__: null,
    enumerable: false,
    configurable: true,
    get(this: unknown) {
      const format = apply(formatGetter, this, []) as (date: unknown) => string;
      return (date: unknown) => format(date === undefined ? now() : date);
    },
  } as PropertyDescriptor);
  const { formatToParts } = dateFormat;
  hide(dateFormat, 'formatToParts', function (this: unknown, date: unknown) {
    return apply(formatToParts, this, [date === undefined ? now() : date]);
  });
}
