import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in prototypes that hold values', {
  source: `// Prototypes that are values of their kind have more than properties: a length, an index, a time.
export const handle = () => {
  const seen: unknown[] = [];
  const tries: [() => unknown, () => unknown][] = [
    [() => Array.prototype.length, () => Array.prototype.push.call(Array.prototype, 1)],
    [() => (Date.prototype as any).getTime.call(Date.prototype), () => (Date.prototype as any).setTime.call(Date.prototype, 1)],
    [() => Map.prototype.get.call(Map.prototype as any, 1), () => Map.prototype.set.call(Map.prototype as any, 1, 1)],
    [() => (RegExp.prototype as any).lastIndex, () => ((RegExp.prototype as any).lastIndex = 1)],
    [() => (RegExp.prototype as any).source, () => (RegExp.prototype as any).compile('x')],
    [() => (String.prototype as any).length, () => ((String.prototype as any)[0] = 'x')],
    [() => Function.prototype.length, () => Object.defineProperty(Function.prototype, 'length', { value: 1 })],
    [() => (Error as any).stackTraceLimit, () => ((Error as any).stackTraceLimit = 1)],
    [() => (Error.prototype as any).stack, () => (Error as any).captureStackTrace(Error.prototype)],
    [() => (Error as any).prepareStackTrace, () => ((Error as any).prepareStackTrace = () => 'mark')],
  ];
  for (const [look, leave] of tries) {
    for (const attempt of [look, leave]) {
      try {
        const found = attempt();
        if (attempt === look) seen.push(found);
      } catch {
        if (attempt === look) seen.push('refused');
      }
    }
  }
  return seen;
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '[0,"refused","refused",null,"(?:)",0,0,10,null,null]');
  },
});
