import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('timers by every trick', {
  source: `export const handle = () => ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'requestAnimationFrame', 'requestIdleCallback', 'performance', 'Temporal', 'scheduler', 'AbortSignal', 'EventTarget', 'MessageChannel']
  .filter((name) => name in globalThis);`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '[]'),
});
