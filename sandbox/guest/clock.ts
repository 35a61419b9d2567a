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

// Runs of several clocks share a realm; nothing of a run goes on but in a step that has its clock. In a step it stands still, in live use too: a run
// that is made again sees the times that it saw, and none can measure anything by it.
let nowMs = 0;

/** Says what time it is in the step that begins. */
export function setClock(timeMs: number): void {
  nowMs = timeMs;
}

/** What time it is for the run at work, in milliseconds since 1970. */
export function now(): number {
  return nowMs;
}

/** Puts every built-in that tells the time under this clock. */
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
