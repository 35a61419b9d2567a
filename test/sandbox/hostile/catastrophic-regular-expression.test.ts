import { attack } from './attack.ts';

attack('catastrophic regular expression', {
  source: `export const handle = () => /^(a+)+$/.test(\`\${'a'.repeat(40)}b\`);`,
  ends: ['timed-out'],
});
