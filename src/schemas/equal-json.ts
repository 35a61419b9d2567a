import { canonicalJson } from '../kernel/digest.ts';
import { isObject, type Json } from '../kernel/json.ts';

/**
 * Whether two values are equal as JSON: member order does not matter, numbers are compared by value. Linear in the
 * smaller value, at any nesting depth.
 */
export function equalJson(a: Json, b: Json): boolean {
  // Pairs to compare, left and right in turn. Scalars, which are the most frequent, are never pushed.
  const pending: Json[] = [];
  const differ = (left: Json, right: Json): boolean => {
    if (left === right) return false;
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return true;
    pending.push(left, right);
    return false;
  };
  if (differ(a, b)) return false;
  while (pending.length > 0) {
    const right = pending.pop() as Json;
    const left = pending.pop() as Json;
    if (Array.isArray(left)) {
      if (!Array.isArray(right) || left.length !== right.length) return false;
      for (let index = 0; index < left.length; index += 1)
        if (differ(left[index] as Json, right[index] as Json)) return false;
    } else {
      if (!isObject(left) || !isObject(right)) return false;
      const names = Object.keys(left);
      if (names.length !== Object.keys(right).length) return false;
      for (const name of names)
        if (!Object.hasOwn(right, name) || differ(left[name] as Json, right[name] as Json)) return false;
    }
  }
  return true;
}

/** Whether two text payloads are equal in normal form. */
export function equalText(a: string, b: string): boolean {
  return a === b || comparableText(a) === comparableText(b);
}

/**
 * A text payload in normal form: a JSON object or list as canonical JSON, else LF line ends without one final newline.
 */
export function comparableText(text: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  return structureIn(text) ?? (lines.endsWith('\n') ? lines.slice(0, -1) : lines);
}

/** The canonical JSON of an object or list in a text; `undefined` if the text is something else. */
function structureIn(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return canonicalJson(JSON.parse(text) as Json);
  } catch {
    // It is not JSON, or it is nested too deeply or has a number too large for canonical JSON.
    return undefined;
  }
}

/** Whether a value equals another one, or contains it at any depth. */
export function containsJson(whole: Json, part: Json): boolean {
  if (equalJson(whole, part)) return true;
  return typeof whole === 'object' && whole !== null && Object.values(whole).some((item) => containsJson(item, part));
}
