import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('poisoned to JSON of plain values', {
  source: `export const handle = (_: any, context: any) => {
  for (const one of [String, Number, Boolean] as any[]) one.prototype.toJSON = () => { for (;;); };
  context.log('text', 1, true);
  return ['text', 1, true];
};`,
  ends: ['returned'],
  check: ([report]) => {
    // A plain value in a result is written by the language's own rule, which does not ask a text for `toJSON`.
    assert.equal(report?.value, '["text",1,true]');
    assert.deepEqual(report?.logs, ['text 1 true']);
  },
});
