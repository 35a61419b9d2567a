import { isObject, type Json } from '../kernel/json.ts';

/**
 * Says whether two values are the same JSON value: the order of members does not matter, numbers are compared by value.
 * Takes time linear in the smaller value, and any nesting.
 */
export function equalJson(a: Json, b: Json): boolean {
  const pairs: [Json, Json][] = [[a, b]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [left, right] = pair;
    if (left === right) continue;
    if (Array.isArray(left)) {
      if (!Array.isArray(right) || left.length !== right.length) return false;
      for (const [index, item] of left.entries()) pairs.push([item, right[index] as Json]);
    } else if (isObject(left)) {
      if (!isObject(right)) return false;
      const names = Object.keys(left);
      if (names.length !== Object.keys(right).length) return false;
      for (const name of names) {
        if (!Object.hasOwn(right, name)) return false;
        pairs.push([left[name] as Json, right[name] as Json]);
      }
    } else return false;
  }
  return true;
}

/** Says whether two text payloads are equal: CRLF counts as LF, and one final newline does not count. */
export function equalText(a: string, b: string): boolean {
  return comparableText(a) === comparableText(b);
}

function comparableText(text: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  return lines.endsWith('\n') ? lines.slice(0, -1) : lines;
}
