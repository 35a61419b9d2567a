import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`./runner/main${extname(fileURLToPath(import.meta.url))}`, import.meta.url))],
    bundle: true,
    charset: 'utf8',
    format: 'cjs',
    legalComments: 'none',
    logLevel: 'silent',
    minifyWhitespace: true,
    platform: 'node',
    target: 'node24',
    tsconfigRaw: '{}',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
