import { attack } from './attack.ts';

attack('bundler dynamic import by joined words', {
  source: `enum Place { Here = './' }
export const handle = async (request: any) => (await import(/* @vite-ignore */ Place.Here + request.name + '.json')).default;`,
  ends: ['refused'],
});
