import { attack } from './attack.ts';

attack('thrown getter that throws itself', {
  source: `export const handle = () => {
  const error = { get message(): string { throw error; }, get name(): string { throw error; }, get stack(): string { throw error; } };
  throw error;
};`,
  ends: ['threw'],
});
