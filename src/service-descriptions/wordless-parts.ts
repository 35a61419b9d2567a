import type { LocatedJson } from '../documents/located-json.ts';

/** Members whose texts are for people. */
const WORDS: ReadonlySet<string> = new Set(['summary', 'description']);

/** Members that hold schemas, or shared parts. */
const SCHEMAS: ReadonlySet<string> = new Set(['schema', 'schemas', 'inputSchema', 'outputSchema']);

/** The parts of a description that have no words for people: all but its summaries and descriptions outside schemas. */
export function wordlessParts(root: LocatedJson, end: number): { start: number; end: number }[] {
  const texts: LocatedJson[] = [];
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    for (const { name, node: member } of node.members ?? []) {
      if (typeof member.value === 'string' && WORDS.has(name)) texts.push(member);
      else if (!SCHEMAS.has(name)) pending.push(member);
    }
    pending.push(...(node.items ?? []));
  }
  const parts: { start: number; end: number }[] = [];
  let from = root.start;
  for (const text of texts.sort((one, other) => one.start - other.start)) {
    parts.push({ start: from, end: text.start });
    from = Math.max(from, text.end);
  }
  return [...parts, { start: from, end }];
}
