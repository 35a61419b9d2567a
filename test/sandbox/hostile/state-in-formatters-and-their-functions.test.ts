import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in formatters and their functions', {
  source: `export const handle = () => {
  const seen: unknown[] = [];
  for (const Formatter of [Intl.NumberFormat, Intl.DateTimeFormat, Intl.Collator] as any[]) {
    const bound = () => new Formatter('de').format ?? new Formatter('de').compare;
    seen.push(bound().mark, bound() === bound(), Object.getOwnPropertyNames(new Formatter('de')).length);
    for (const place of [bound(), Formatter, Formatter.prototype, Formatter.supportedLocalesOf]) {
      seen.push(place.mark);
      try {
        place.mark = 1;
      } catch {}
    }
  }
  return seen.filter((one) => one !== undefined);
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '[false,0,false,0,false,0]');
  },
});
