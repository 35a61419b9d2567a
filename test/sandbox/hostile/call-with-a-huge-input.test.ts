import { attack } from './attack.ts';

attack('call with a huge input', {
  source: `export const handle = (_: any, context: any) => context.call.store('x'.repeat(5_000_000));`,
  ends: ['threw'],
});
