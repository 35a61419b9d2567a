import { attack } from './attack.ts';

attack('memory by formatters', {
  source: `export const handle = () => {
  const all: any[] = [];
  for (;;) all.push(new Intl.NumberFormat('de', { style: 'currency', currency: 'EUR' }), new Intl.DateTimeFormat('zh'));
};`,
  ends: ['killed', 'out-of-memory', 'timed-out'],
});
