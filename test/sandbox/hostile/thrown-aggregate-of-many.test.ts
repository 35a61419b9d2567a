import { attack } from './attack.ts';

attack('thrown aggregate of many', {
  source: `export const handle = () => {
  const errors = Array.from({ length: 20_000 }, (_, index) => ({ get message() { for (;;); }, index }));
  throw new AggregateError(errors, 'many');
};`,
  ends: ['threw'],
});
