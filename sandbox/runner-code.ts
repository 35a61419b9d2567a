import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';
import { stopEsbuild } from './bundle.ts';
import { build } from './bundler.ts';

let code: Promise<string> | undefined;

/**
 * The program of a cell as one CommonJS text. It is handed over on the command line, so that a cell need not be able to read anything of
 * the project; whether it stands here as TypeScript or compiled makes no difference.
 */
export function runnerCode(): Promise<string> {
  code ??= bundleRunner();
  return code;
}

async function bundleRunner(): Promise<string> {
  const guestCode = JSON.stringify(await bundleGuest());
  return bundled('runner/main', { format: 'cjs', platform: 'node', define: { guestCode } });
}

/** The guest's side as one expression, which gives the function that installs it. */
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
      // esbuild is a process that may be killed like any other; a worker must not fail to start for it.
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
