import type { PatchOperation } from '../contract/finding.ts';
import { isObject, type Json, pointerTokens } from '../kernel/json.ts';

/**
 * A copy of a value with a JSON Patch (RFC 6902) applied; `undefined` if an operation does not fit. Supports `add`,
 * `remove` and `replace`, which amendments use. Own code, because the usual patch library skips tokens such as
 * `constructor` and then changes another place.
 */
export function patched(value: Json, patch: readonly PatchOperation[]): Json | undefined {
  let result: Json | undefined = value;
  for (const operation of patch) {
    if (result === undefined) return undefined;
    result = changed(result, pointerTokens(operation.path), operation);
  }
  return result;
}

function changed(here: Json, tokens: readonly string[], operation: PatchOperation): Json | undefined {
  const [token, ...rest] = tokens;
  if (token === undefined) return operation.op === 'remove' ? undefined : operation.value;
  if (Array.isArray(here)) return changedArray(here, token, rest, operation);
  if (!isObject(here)) return undefined;
  const exists = Object.hasOwn(here, token);
  if (rest.length === 0 && operation.op === 'remove') {
    return exists ? Object.fromEntries(Object.entries(here).filter(([name]) => name !== token)) : undefined;
  }
  if (!exists && (rest.length > 0 || operation.op !== 'add')) return undefined;
  const member = exists ? changed(here[token] as Json, rest, operation) : operation.value;
  if (member === undefined) return undefined;
  const entries = Object.entries(here).map(([name, old]): [string, Json] => [name, name === token ? member : old]);
  return Object.fromEntries(exists ? entries : [...entries, [token, member]]);
}

function changedArray(
  here: Json[],
  token: string,
  rest: readonly string[],
  operation: PatchOperation,
): Json | undefined {
  const { op, value } = operation;
  const index = token === '-' ? here.length : /^(?:0|[1-9]\d{0,8})$/.test(token) ? Number(token) : -1;
  if (rest.length === 0 && op === 'add')
    return index < 0 || index > here.length || value === undefined ? undefined : here.toSpliced(index, 0, value);
  if (index < 0 || index >= here.length) return undefined;
  if (rest.length === 0 && op === 'remove') return here.toSpliced(index, 1);
  const item = changed(here[index] as Json, rest, operation);
  return item === undefined ? undefined : here.with(index, item);
}
