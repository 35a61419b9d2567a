import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('clock by formatters', {
  source: `export const handle = () => {
  const format = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' });
  return [format.format(), format.format(undefined), format.formatToParts().map((part) => part.value).join(''), new Date().toLocaleString('en')];
};`,
  ends: ['returned'],
  check: ([report]) => assert.doesNotMatch(report?.value ?? '', /202[4-9]|203/),
});
