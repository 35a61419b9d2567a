import { applyPatch as applyOperations, type Operation } from 'rfc6902';
import type { PatchOperation } from '../contract/finding.ts';
import type { Json } from '../kernel/json.ts';

/** A copy of a value with a JSON Patch (RFC 6902) applied; `undefined` where an operation does not fit. */
export function patched(value: Json, patch: readonly PatchOperation[]): Json | undefined {
  const holder = { value: structuredClone(value) };
  const operations = patch.map((operation) => ({ ...structuredClone(operation), path: `/value${operation.path}` }));
  const faults = applyOperations(holder, operations as Operation[]);
  return faults.every((fault) => fault === null) ? holder.value : undefined;
}
