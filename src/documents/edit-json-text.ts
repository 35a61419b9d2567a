import type { PatchOperation } from '../contract/finding.ts';
import type { Json } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { splitPointer } from '../schemas/schema-walk.ts';
import { patched } from './apply-patch.ts';
import { type LocatedJson, nodeAt, parseJsonAt, readJson } from './located-json.ts';

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
  // Taken out of its text, which may be much longer, the value is read for every step.
  const after = text.slice(start);
  let reading = readJson(after, 0, true);
  if (!reading.ok || patch.length * reading.node.end > MAX_READ_CHARS) return undefined;
  const { end } = reading.node;
  const wanted = patched(reading.node.value, patch);
  if (wanted === undefined) return undefined;
  let edited = after.slice(0, end);
  for (const [index, step] of stepsOf(patch).entries()) {
    if (index > 0) reading = readJson(edited, 0, true);
    const next = reading.ok ? applyStep(edited, reading.node, step) : undefined;
    if (next === undefined) return undefined;
    edited = next;
  }
  const result = jsonOf(edited);
  if (result === undefined || !equalJson(result, wanted)) return undefined;
  return { text: text.slice(0, start) + edited + after.slice(end), end: start + edited.length };
}

function jsonOf(text: string): Json | undefined {
  const quick = parseJsonAt(text, 0, text.length);
  if (quick.ok) return quick.end === text.length ? quick.value : undefined;
  const reading = readJson(text, 0, true);
  return reading.ok && reading.node.end === text.length ? reading.node.value : undefined;
}

/** An operation, or one that appends several values to the same list. */
type Step = PatchOperation & { more?: Json[] };

function stepsOf(patch: readonly PatchOperation[]): Step[] {
  const steps: Step[] = [];
  for (const operation of patch) {
    const last = steps.at(-1);
    const { op, path, value } = operation;
    const appends = op === 'add' && path.endsWith('/-') && value !== undefined;
    if (appends && last?.op === 'add' && last.path === path) last.more = [...(last.more ?? []), value];
    else steps.push({ ...operation });
  }
  return steps;
}

function applyStep(text: string, root: LocatedJson, { op, path, value, more = [] }: Step): string | undefined {
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
    if (parent.members !== undefined) return appended(text, parent, [`${JSON.stringify(name)}: ${inlineJson(value)}`]);
    if (split.token === '-') return appended(text, parent, [value, ...more].map(inlineJson));
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

/** Adds parts after the last one, laid out as that one is. */
function appended(text: string, container: LocatedJson, added: readonly string[]): string {
  const parts = partsOf(container);
  const last = parts.at(-1);
  if (last === undefined) return splice(text, container.start + 1, container.end - 1, added.join(', '));
  const before = parts.at(-2)?.end ?? container.start;
  const gap = /\s*$/.exec(text.slice(before, last.start))?.[0] ?? '';
  const apart = parts.length === 1 && gap === '' ? ' ' : gap;
  return splice(text, last.end, last.end, added.map((part) => `,${apart}${part}`).join(''));
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
