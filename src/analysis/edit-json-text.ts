import type { PatchOperation } from '../contract/finding.ts';
import type { Json } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { splitPointer } from '../schemas/schema-walk.ts';
import { patched } from './apply-patch.ts';
import { type LocatedJson, nodeAt, readJson } from './located-json.ts';

/** Most characters read for one edit, the value once for each operation: about 20 ms. */
const MAX_READ_CHARS = 400_000;

/**
 * A text with a JSON Patch written into the JSON value that starts at an offset, every other character kept; `undefined`
 * where an operation does not fit, or where the value is too large for so many of them. `end` is where the value ends afterwards.
 */
export function editJsonText(
  text: string,
  start: number,
  patch: readonly PatchOperation[],
): { text: string; end: number } | undefined {
  let edited = text;
  let reading = readJson(text, start, true);
  if (!reading.ok || patch.length * (reading.node.end - start) > MAX_READ_CHARS) return undefined;
  const wanted = patched(reading.node.value, patch);
  if (wanted === undefined) return undefined;
  for (const operation of patch) {
    const next = applyOperation(edited, reading.node, operation);
    if (next === undefined) return undefined;
    edited = next;
    reading = readJson(edited, start, true);
    if (!reading.ok) return undefined;
  }
  return equalJson(reading.node.value, wanted) ? { text: edited, end: reading.node.end } : undefined;
}

function applyOperation(text: string, root: LocatedJson, { op, path, value }: PatchOperation): string | undefined {
  const target = nodeAt(root, path);
  const split = splitPointer(path);
  const parent = split === undefined ? undefined : nodeAt(root, split.parent);
  if (op === 'replace' && target !== undefined && value !== undefined)
    return splice(text, target.start, target.end, inlineJson(value));
  if (op === 'remove' && target !== undefined && parent !== undefined) return removed(text, parent, target);
  if (op === 'add' && value !== undefined && parent !== undefined && split !== undefined) {
    if (parent.members !== undefined && target !== undefined)
      return splice(text, target.start, target.end, inlineJson(value));
    const name = split.token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (parent.members !== undefined) return appended(text, parent, `${JSON.stringify(name)}: ${inlineJson(value)}`);
    if (split.token === '-') return appended(text, parent, inlineJson(value));
  }
  return undefined;
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function partsOf(container: LocatedJson): { start: number; end: number }[] {
  if (container.members !== undefined)
    return container.members.map(({ keyStart, node }) => ({ start: keyStart, end: node.end }));
  return (container.items ?? []).map(({ start, end }) => ({ start, end }));
}

/** Adds a part after the last one, laid out as that one is. */
function appended(text: string, container: LocatedJson, part: string): string {
  const parts = partsOf(container);
  const last = parts.at(-1);
  if (last === undefined) return splice(text, container.start + 1, container.end - 1, part);
  const before = parts.at(-2)?.end ?? container.start;
  const gap = /\s*$/.exec(text.slice(before, last.start))?.[0] ?? '';
  return splice(text, last.end, last.end, `,${parts.length === 1 && gap === '' ? ' ' : gap}${part}`);
}

function removed(text: string, container: LocatedJson, target: LocatedJson): string | undefined {
  const parts = partsOf(container);
  const index = parts.findIndex(({ end }) => end === target.end);
  const [here, before, after] = [parts[index], parts[index - 1], parts[index + 1]];
  if (here === undefined) return undefined;
  if (after !== undefined) return splice(text, here.start, after.start, '');
  return splice(text, before?.end ?? here.start, here.end, '');
}

/** JSON on one line, with a space after commas and colons. */
export function inlineJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${inlineJson(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
