/**
 * Builds the published package into dist/: JavaScript and declarations by tsc, and every other file that is read at run
 * time. Entry files of child processes are written as `new URL('./entry.ts', import.meta.url)`. tsc does not change
 * such strings, so this script points them at the built files.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const compiled = spawnSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'],
  {
    cwd: root,
    // stdout belongs to `npm pack --json`, which runs this script first.
    stdio: ['ignore', 2, 2],
  },
);
if (compiled.status !== 0) {
  console.error(`Cannot build: tsc ended with exit code ${compiled.status}, wanted 0`);
  process.exit(1);
}

for (const file of globSync('{src,sandbox,queues}/**/*.{lua,json,js,mjs,cjs}', { cwd: root })) {
  copyFileSync(join(root, file), join(dist, file));
}

const entry = /(new URL\(\s*['"]|import\.meta\.resolve\(\s*['"])(\.{1,2}\/[^'"]+)\.ts(['"])/g;
for (const file of globSync('**/*.js', { cwd: dist })) {
  const path = join(dist, file);
  const source = readFileSync(path, 'utf8');
  const pointed = source.replace(entry, (whole, before: string, target: string, after: string) =>
    existsSync(join(dirname(path), `${target}.js`)) ? `${before}${target}.js${after}` : whole,
  );
  if (pointed !== source) writeFileSync(path, pointed);
}
