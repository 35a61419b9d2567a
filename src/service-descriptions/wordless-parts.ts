import type { LocatedJson } from '../documents/located-json.ts';

/** Members whose texts are for people. */
const WORDS: ReadonlySet<string> = new Set(['summary', 'description']);

/** Members that hold schemas, or shared parts. */
const SCHEMAS: ReadonlySet<string> = new Set(['schema', 'schemas', 'inputSchema', 'outputSchema']);

/** The parts of a description without words for people: all but the summaries and descriptions outside its schemas. */
export function wordlessParts(text: string, root: LocatedJson, wholeEnd: number): { start: number; end: number }[] {
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
  for (const { start, end } of texts.sort((one, other) => one.start - other.start)) {
    const quote = /["']/.test(text[start] ?? '') ? 1 : 0;
    parts.push({ start: from, end: start + quote });
    from = Math.max(from, end - quote);
  }
  return [...parts, { start: from, end: wholeEnd }];
}
