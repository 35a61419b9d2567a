import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../src/kernel/json.ts';

const folders = ['../../../fixtures/families/uagents/vectors/', '../../../../shared/conformance/uagents/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .filter((folder) => existsSync(folder));

/** A vector: what it has depends on its file. */
// biome-ignore lint/suspicious/noExplicitAny: the files are data of others, each with a form of its own.
export type Vector = Record<string, any> & { name?: string };

/** The vectors of every file whose name begins so, in all folders there are. */
export function vectors(file: string): Vector[] {
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(file) && name.endsWith('.json'))
      .flatMap((name) => {
        const read = JSON.parse(readFileSync(`${folder}${name}`, 'utf8')) as JsonObject;
        return (read.vectors ?? read.cases) as unknown as Vector[];
      }),
  );
}

/** The manifest of a protocol among the vectors, as its peers publish it. */
export function manifestOf(name: string): string {
  const found = vectors('protocol-digests').find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`no manifest ${name}`);
  return JSON.stringify(found.manifest);
}
