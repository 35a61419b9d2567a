import { attack } from './attack.ts';

attack('bundler require by pattern', {
  source: `declare const require: any;
export const handle = (request: any) => require(\`./\${request.name}.json\`);`,
  ends: ['refused'],
});
