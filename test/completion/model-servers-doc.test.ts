import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { passesNever } from '../../src/completion/completion-error.ts';
import { ADAPTATIONS } from '../../src/completion/dialect.ts';
import { answerFaults, type Fault, reportedFaults } from '../../src/completion/faults.ts';
import { PASSING } from '../../src/completion/retry-policy.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/model-servers.md'), 'utf8');

/** A fault as a row of the table tells it. */
function rowOf({ name, code, adapts }: Fault): string {
  const again = passesNever(code) ? 'no, the job ends' : PASSING.has(code) ? 'after a pause' : 'no, a new question';
  const adapted = adapts === undefined ? '–' : ADAPTATIONS[adapts];
  return `| ${name} | \`${code}\` | ${code.split('_')[0]?.toLowerCase()} | ${again} | ${adapted} |`;
}

test('the table of docs/model-servers.md is the one of the code', () => {
  const rows = text.split('\n').filter((line) => /^\| [^|]+ \| `[A-Z_]+` \|/.test(line));
  assert.deepEqual(rows, [...reportedFaults, ...Object.values(answerFaults)].map(rowOf));
});

test('every fault has a name of its own, and what is not asked again unchanged is never one that passes', () => {
  const faults: Fault[] = [...reportedFaults, ...Object.values(answerFaults)];
  assert.equal(new Set(faults.map(({ name }) => name)).size, faults.length);
  for (const { code, adapts } of faults) {
    if (adapts !== undefined) assert.ok(passesNever(code), code);
    assert.ok(!(passesNever(code) && PASSING.has(code)), code);
  }
});
