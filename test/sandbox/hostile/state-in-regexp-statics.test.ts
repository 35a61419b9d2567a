import assert from 'node:assert/strict';
import { attack } from './attack.ts';

const names = ['$1', 'lastMatch', 'lastParen', 'leftContext', 'rightContext', 'input', '$_', '$&', '$+', '$`', "$'"];

attack('state in regexp statics', {
  source: `export const handle = (request: any) => {
  const last = ${JSON.stringify(names)}.map((name) => (RegExp as any)[name]);
  /(index)/.exec(\`index of run \${request.index}\`);
  (RegExp as any).input = 'left behind';
  return last.join('');
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '""');
  },
});

attack('state in regexp statics, by one that hides its failures', {
  source: `export const handle = (request: any) => {
  const seen: unknown[] = [];
  for (const name of ${JSON.stringify(names)}) {
    try { seen.push((RegExp as any)[name]); } catch { seen.push(''); }
    try { seen.push(Object.getOwnPropertyDescriptor(RegExp, name)?.get?.call(RegExp)); } catch { seen.push(''); }
    try { (RegExp as any)[name] = 'left behind'; } catch {}
  }
  /(index)/.exec(\`index of run \${request.index}\`);
  return seen.join('');
};`,
  ends: ['returned'],
  runs: 70,
  frozen: true,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '""');
  },
});
