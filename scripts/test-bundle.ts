import { readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Packages that read files of their own, or that few commands load. */
const apart = [
  '@bull-board/*',
  '@opentelemetry/*',
  'esbuild',
  'fastify',
  'isolated-vm',
  'js-redis-server',
  'json-schema-to-typescript',
  'pino',
  'typescript',
];

/** Lets each source go on naming its own place, where its scripts and child processes are. */
const places: Plugin = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
      loader: 'ts',
    }));
  },
};

/**
 * Bundles the command line from the current sources into a folder, and gives the path of its entry. A process of it
 * starts with a third of the CPU time, because it loads a few dozen files and not a thousand.
 */
export async function bundleCommandLine(root: string, folder: string): Promise<string> {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  await build({
    entryPoints: [join(root, 'src/main.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: apart,
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    plugins: [places],
    logLevel: 'error',
  });
  return join(folder, 'main.mjs');
}
