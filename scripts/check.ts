/**
 * Checks the sources without running them, in seconds: types, lint and formatting, unused code, the import
 * table and the table of error codes. Prints a line for each check, and the output of those that failed. Exit
 * code 1 if one failed.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const checks = {
  types: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.'],
  'lint and formatting': ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  'unused code': ['node_modules/knip/bin/knip.js'],
  'imports and error codes': ['scripts/test.ts', 'test/architecture'],
};

let failed = 0;
await Promise.all(
  Object.entries(checks).map(async ([name, args]) => {
    const startMs = performance.now();
    const { code, output } = await run(args);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    if (code === 0) return console.log(`✔ ${name} (${seconds} s)`);
    failed += 1;
    console.log(`✖ ${name} (${seconds} s)\n${output}`);
  }),
);
console.log(`${Object.keys(checks).length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function run(args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}
