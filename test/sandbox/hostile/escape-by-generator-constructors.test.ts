import { attack } from './attack.ts';

attack('escape by generator constructors', {
  source: `export const handle = () => {
  const kinds: any[] = [function* () {}, async function* () {}];
  for (const kind of kinds) {
    try {
      kind.constructor('yield process')().next();
      return 'made code from a string';
    } catch {}
  }
  throw new Error('none did');
};`,
  ends: ['threw'],
});
