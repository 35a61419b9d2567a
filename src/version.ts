import { readFileSync } from 'node:fs';
import { packageFile } from './package-file.ts';

let version: string | undefined;

/** The version of this package. */
export function protosmithVersion(): string {
  version ??= (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version;
  return version;
}
