import { attack } from './attack.ts';

attack('escape by dynamic import', {
  source: `export const handle = async () => {
  const name = ['node', 'fs'].join(':');
  const fs = await import(name);
  return fs.readFileSync('SECRET_FILE', 'utf8');
};`,
  ends: ['threw'],
});
