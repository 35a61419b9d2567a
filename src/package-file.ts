import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

let root: string | undefined;

/**
 * The path of a file that ships with the package, given from the package's root. Works for sources and compiled code.
 */
export function packageFile(name: string): string {
  root ??= findRoot(import.meta.dirname);
  return join(root, name);
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('Cannot find package root: no package.json above the sources, wanted one');
  return findRoot(parent);
}
