import { attack } from './attack.ts';

attack('thrown error with endless cause', {
  source: `export const handle = () => {
  const error: any = new AggregateError([], 'x');
  error.cause = error;
  error.errors = new Proxy([], { get() { for (;;); } });
  throw error;
};`,
  ends: ['threw'],
});
