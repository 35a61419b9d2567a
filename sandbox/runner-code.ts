import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';
import { stopEsbuild } from './bundle.ts';
import { build } from './bundler.ts';

let code: Promise<string> | undefined;

/**
 * The program of a cell as one CommonJS text, bundled once from the TypeScript or the compiled files. A cell gets it on
 * its standard input, so that it need not read any file of the project.
 */
export function runnerCode(): Promise<string> {
  code ??= bundleRunner();
  return code;
}

async function bundleRunner(): Promise<string> {
  const guestCode = JSON.stringify(await bundleGuest());
  return bundled('runner/main', { format: 'cjs', platform: 'node', define: { guestCode } });
}

/** The guest's side as one expression. Its value is the function that installs it. */
async function bundleGuest(): Promise<string> {
  const module = await bundled('guest/install-guest', { format: 'esm', platform: 'neutral' });
  const body = module.replace(/export\s*\{\s*installGuest\s*\};\s*$/, '');
  return `(() => { "use strict"; ${body} return installGuest; })()`;
}

async function bundled(entry: string, options: BuildOptions): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await bundledOnce(entry, options);
    } catch (error) {
      // The process of esbuild may be killed like any other. That must not keep a worker from starting.
      if (attempt === 3 || (error instanceof Error && 'errors' in error)) throw error;
      stopEsbuild();
    }
  }
}

async function bundledOnce(entry: string, options: BuildOptions): Promise<string> {
  const path = `./${entry}${extname(fileURLToPath(import.meta.url))}`;
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(path, import.meta.url))],
    bundle: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
    minifyWhitespace: true,
    target: 'node24',
    tsconfigRaw: '{}',
    write: false,
    ...options,
  });
  return outputFiles?.[0]?.text ?? '';
}
