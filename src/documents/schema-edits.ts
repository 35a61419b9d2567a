import type { LocatedSchema } from '../contract/agreement.ts';
import type { PatchOperation } from '../contract/finding.ts';
import { partPointer } from './schema-union.ts';

/** A patch of one JSON value in the text, identified by its start, and the schema that it was made for. */
export interface SchemaEdit {
  located: LocatedSchema;
  start: number;
  patch: PatchOperation[];
}

/**
 * Splits a patch of a selected schema by the JSON values in the text: the schema itself or the members of a union, and
 * the definitions that they take from elsewhere in the document.
 */
export function schemaEdits(located: LocatedSchema, patch: readonly PatchOperation[]): SchemaEdit[] {
  const { parts } = located;
  if (parts !== undefined)
    return parts.flatMap((part, index) => schemaEdits(part, below(patch, partPointer(index + 1))));
  return patch.map((operation) => {
    const { at, start, pointer } = (located.origins ?? []).find(({ at }) => isBelow(operation.path, at)) ?? {
      at: '',
      start: located.start,
      pointer: '',
    };
    return { located, start, patch: [{ ...operation, path: `${pointer}${operation.path.slice(at.length)}` }] };
  });
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

function below(patch: readonly PatchOperation[], root: string): PatchOperation[] {
  return patch
    .filter(({ path }) => isBelow(path, root))
    .map((operation) => ({ ...operation, path: operation.path.slice(root.length) }));
}
