import assert from 'node:assert/strict';
import { attack } from './attack.ts';

// A symbol of the isolate's registry can be the key of a weak map nowhere, one of the run's own can; and it is the same wherever the run asks.
attack('state in the registry of symbols', {
  source: `export const handle = () => {
  const one = Symbol.for('left behind');
  const isOwn = (() => { try { new WeakSet([one as any]); return true; } catch { return false; } })();
  return [isOwn, one === Symbol.for('left behind'), one === Symbol.for('another'), one.description, Symbol.keyFor(one), Symbol.keyFor(Symbol.iterator) ?? 'none'];
};`,
  ends: ['returned'],
  runs: 10,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '[true,true,false,"left behind","left behind","none"]');
  },
});
