import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('rejected between calls', {
  source: `export const handle = async (request: any, context: any) => {
  for (let turn = 0; turn < 5; turn += 1) {
    Promise.reject({ get message() { return context.call.store({ turn }); } });
    await context.call.look({ turn });
    await context.call.look({ at: turn, hand: true });
  }
  return request.index;
};`,
  ends: ['returned'],
  runs: 10,
  answers: { look: Object.fromEntries([0, 1, 2, 3, 4].map((turn) => [`{"at":${turn},"hand":true}`, { output: '1' }])) },
  check: (reports) => {
    for (const [index, { value }] of reports.entries()) assert.equal(value, String(index));
  },
});
