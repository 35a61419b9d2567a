import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Path of isolated-vm's native addon for this Node and platform. Throws if there is none. */
export function addonPath(): string {
  const here = createRequire(import.meta.url);
  const manifest = here.resolve('isolated-vm/package.json');
  const gyp = createRequire(manifest)('node-gyp-build') as { resolve(folder: string): string };
  return gyp.resolve(join(dirname(manifest)));
}
