import { attack } from './attack.ts';

attack('result huge in bytes', {
  source: `export const handle = () => '\\u6f22'.repeat(1_000_000);`,
  ends: ['timed-out', 'threw', 'out-of-memory'],
});
