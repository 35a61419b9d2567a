import { escapeToken, isObject, type Json } from '../../kernel/json.ts';

/** An array inside a value, with its place and the name of its member; no name at the root. */
export interface List {
  pointer: string;
  name: string;
  items: Json[];
}

/** The arrays of a value that are not inside another array. */
export function listsOf(value: Json, pointer = '', name = ''): List[] {
  if (Array.isArray(value)) return [{ pointer, name, items: value }];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => listsOf(item, `${pointer}/${escapeToken(key)}`, key));
}
