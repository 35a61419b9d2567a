import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('escape by names of node', {
  source: `export const handle = () => {
  const names = ['process', 'require', 'module', 'exports', 'Buffer', 'global', '__dirname', '__filename', 'fetch', 'XMLHttpRequest',
    'WebSocket', 'EventSource', 'navigator', 'performance', 'queueMicrotask', 'structuredClone', 'MessageChannel', 'Worker', 'importScripts',
    'Deno', 'Bun', 'ivm', 'internalBinding', 'primordials', 'gc', '$0', 'd8', 'load', 'print', 'readline', 'quit'];
  return names.filter((name) => name in globalThis);
};`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '[]'),
});
