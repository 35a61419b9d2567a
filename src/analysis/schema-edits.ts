import type { LocatedSchema } from '../contract/agreement.ts';
import type { PatchOperation } from '../contract/finding.ts';
import { partPointer } from './schema-union.ts';

/** A patch with the text of the schema that it belongs to. */
export interface SchemaEdit {
  located: LocatedSchema;
  patch: PatchOperation[];
}

/** A patch of a chosen schema, shared out to the schemas that stand in the text: the schema itself, or the parts of a union. */
export function schemaEdits(located: LocatedSchema, patch: readonly PatchOperation[]): SchemaEdit[] {
  const { parts } = located;
  if (parts === undefined) return [{ located, patch: [...patch] }];
  return parts.flatMap((part, index) => {
    const root = partPointer(index + 1);
    const inside = patch
      .filter(({ path }) => path === root || path.startsWith(`${root}/`))
      .map((operation) => ({ ...operation, path: operation.path.slice(root.length) }));
    return inside.length === 0 ? [] : [{ located: part, patch: inside }];
  });
}
