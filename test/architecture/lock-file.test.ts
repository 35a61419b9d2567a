import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }> = lock.packages;

test('the lock file names no registry host, so that it installs from any', () => {
  const hosts = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined && /^\w+:/.test(resolved));
  assert.deepEqual(hosts, []);
});

test('every package in the lock file has a digest', () => {
  const unproven = Object.entries(packages).filter(
    ([path, { integrity, link }]) => path.includes('node_modules/') && !link && integrity === undefined,
  );
  assert.deepEqual(unproven, []);
});

test('dependencies are pinned to one version', () => {
  for (const file of ['package.json', 'scripts/node/package.json']) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, file), 'utf8'));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      assert.match(String(version), /^\d+\.\d+\.\d+$/, `${file}: ${name}`);
    }
  }
});
