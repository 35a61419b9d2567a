import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('calls that exchange too much at once', {
  source: `export async function handle(request: any, context: any) {
  const calls = [];
  for (let index = 0; index < 40; index += 1) calls.push(context.call.look({ index, text: 'x'.repeat(1_000_000) }));
  await Promise.all(calls);
  return 1;
}`,
  ends: ['threw'],
  check([report]) {
    assert.match(report?.message ?? '', /exchanged more than/);
    const length = report?.calls.reduce((sum, { input }) => sum + input.length, 0) ?? 0;
    assert.ok(length <= 4_194_304, `${length} characters`);
  },
});
