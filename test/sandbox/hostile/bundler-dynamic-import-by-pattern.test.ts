import { attack } from './attack.ts';

attack('bundler dynamic import by pattern', {
  source: `export const handle = async (request: any) => (await import(\`./\${request.name}.json\`)).default;`,
  ends: ['refused'],
});
