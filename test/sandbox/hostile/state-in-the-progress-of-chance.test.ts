import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in the progress of chance', {
  source: `const first = [Math.random(), Date.now()];
const another: any = Math;
export const handle = (_: any, context: any) => {
  const told = JSON.stringify([first, Math.random(), another['ran' + 'dom'](), context.newId(), context.newId(), Date.now(), new Date().getTime(), context.now()]);
  for (let count = 0; count < 50; count += 1) {
    Math.random();
    context.newId();
  }
  let hash = 0;
  for (const unit of told) hash = (hash * 31 + unit.charCodeAt(0)) | 0;
  return hash;
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, reports[0]?.value);
  },
});
