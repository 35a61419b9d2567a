import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('result whose then comes and goes', {
  source: `export const handle = () => {
  let reads = 0;
  return {
    get then() {
      reads += 1;
      return reads === 1 ? undefined : (settle: any) => decide({ forged: reads });
    },
    get reads() {
      return reads;
    },
  };
};`,
  ends: ['returned'],
  runs: 3,
  check: (reports) => {
    for (const { value } of reports) assert.match(value ?? '', /^\{"(reads|forged)":\d+\}$/);
  },
});
