import type { PatchOperation } from '../contract/finding.ts';
import type { Json } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { splitPointer } from '../schemas/schema-walk.ts';
import { patched } from './apply-patch.ts';
import { type LocatedJson, nodeAt, parseJsonAt, readJson } from './located-json.ts';
import { readYaml } from './located-yaml.ts';

/** Most characters read for one edit, as the value is read once per operation: about 20 ms. */
const MAX_READ_CHARS = 400_000;

/** The same limit for YAML: about 100 ms. */
const MAX_READ_YAML_CHARS = 100_000;

/**
 * Writes a JSON Patch into the JSON value that starts at an offset of a text, and keeps every other character. `end` is
 * the value's new end. Returns `undefined` if an operation does not fit, or if the value is too large for so many
 * operations.
 */
export function editJsonText(
  text: string,
  start: number,
  patch: readonly PatchOperation[],
): { text: string; end: number } | undefined {
  // Cut out of its text, which may be long, because it is read again for each step.
  const after = text.slice(start);
  const reading = readJson(after, 0, true);
  const edited = reading.ok ? withPatch(after.slice(0, reading.node.end), patch, reading.node, jsonNode) : undefined;
  if (!reading.ok || edited === undefined || !equalJson(jsonOf(edited.text) ?? null, edited.wanted)) return undefined;
  const { end } = reading.node;
  return { text: text.slice(0, start) + edited.text + after.slice(end), end: start + edited.text.length };
}

/**
 * Writes a JSON Patch into a text that is one YAML document. New values are written on one line, as flow style.
 * Otherwise like `editJsonText`.
 */
export function editYamlText(text: string, patch: readonly PatchOperation[]): string | undefined {
  if (patch.length * text.length > MAX_READ_YAML_CHARS) return undefined;
  const node = yamlNode(text);
  const edited = node === undefined ? undefined : withPatch(text, patch, node, yamlNode);
  const result = edited === undefined ? undefined : yamlNode(edited.text);
  return edited !== undefined && result !== undefined && equalJson(result.value, edited.wanted)
    ? edited.text
    : undefined;
}

function withPatch(
  text: string,
  patch: readonly PatchOperation[],
  node: LocatedJson,
  read: (text: string) => LocatedJson | undefined,
): { text: string; wanted: Json } | undefined {
  if (patch.length * text.length > MAX_READ_CHARS) return undefined;
  const wanted = patched(node.value, patch);
  if (wanted === undefined) return undefined;
  let edited = text;
  let here: LocatedJson | undefined = node;
  for (const [index, step] of stepsOf(patch).entries()) {
    if (index > 0) here = read(edited);
    const next: string | undefined = here === undefined ? undefined : applyStep(edited, here, step);
    if (next === undefined) return undefined;
    edited = next;
  }
  return { text: edited, wanted };
}

function jsonNode(text: string): LocatedJson | undefined {
  const reading = readJson(text, 0, true);
  return reading.ok ? reading.node : undefined;
}

function yamlNode(text: string): LocatedJson | undefined {
  const [reading, ...more] = readYaml(text, 0, text.length);
  return reading?.ok === true && more.length === 0 ? reading.node : undefined;
}

function jsonOf(text: string): Json | undefined {
  const quick = parseJsonAt(text, 0, text.length);
  if (quick.ok) return quick.end === text.length ? quick.value : undefined;
  const reading = readJson(text, 0, true);
  return reading.ok && reading.node.end === text.length ? reading.node.value : undefined;
}

/** One operation, or several that append to the same list. */
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
    if (parent.members !== undefined) return appended(text, parent, [`${nameIn(parent, name)}: ${inlineJson(value)}`]);
    if (split.token === '-') return appended(text, parent, [value, ...more].map(inlineJson));
  }
  return undefined;
}

/** A member name, unquoted if YAML block style reads it as the same text. */
function nameIn({ isBlock }: LocatedJson, name: string): string {
  const isPlain =
    isBlock === true && /^[a-z_][\w-]*$/i.test(name) && !/^(?:true|false|null|y|yes|no?|on|off)$/i.test(name);
  return isPlain ? name : JSON.stringify(name);
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function partsOf(container: LocatedJson): { start: number; end: number }[] {
  if (container.members !== undefined)
    return container.members.map(({ keyStart, node }) => ({ start: keyStart, end: node.end }));
  return (container.items ?? []).map(({ start, end }) => ({ start, end }));
}

/** Appends parts after the last one, in its layout. */
function appended(text: string, container: LocatedJson, added: readonly string[]): string {
  const parts = partsOf(container);
  const last = parts.at(-1);
  if (last !== undefined && container.isBlock === true) return appendedLines(text, container, last, added);
  if (last === undefined) return splice(text, container.start + 1, container.end - 1, added.join(', '));
  const before = parts.at(-2)?.end ?? container.start;
  const gap = /\s*$/.exec(text.slice(before, last.start))?.[0] ?? '';
  const apart = parts.length === 1 && gap === '' ? ' ' : gap;
  return splice(text, last.end, last.end, added.map((part) => `,${apart}${part}`).join(''));
}

/** Appends parts on new lines below the last one, with its indentation. */
function appendedLines(
  text: string,
  { members }: LocatedJson,
  last: { start: number; end: number },
  added: readonly string[],
): string {
  const column = last.start - (text.lastIndexOf('\n', last.start - 1) + 1);
  const indent = members === undefined ? `${' '.repeat(Math.max(0, column - 2))}- ` : ' '.repeat(column);
  // A comment after the last value stays on its line.
  const end = last.end + (/^[ \t]*(?:#.*)?/.exec(text.slice(last.end))?.[0].length ?? 0);
  return splice(text, end, end, added.map((part) => `\n${indent}${part}`).join(''));
}

function removed(text: string, container: LocatedJson, target: LocatedJson): string | undefined {
  const parts = partsOf(container);
  const index = parts.findIndex(({ end }) => end === target.end);
  const [here, before, after] = [parts[index], parts[index - 1], parts[index + 1]];
  if (here === undefined) return undefined;
  if (parts.length === 1 && container.isBlock === true)
    return splice(
      text,
      text.slice(0, container.start).trimEnd().length,
      container.end,
      container.members === undefined ? ' []' : ' {}',
    );
  if (after !== undefined) return splice(text, here.start, after.start, '');
  return splice(text, before?.end ?? here.start, here.end, '');
}

/** JSON on one line, with a space after commas and colons. */
function inlineJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${inlineJson(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
