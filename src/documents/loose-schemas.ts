import type { BrokenJson, JsonBlock } from './json-blocks.ts';
import { scanJson } from './located-json.ts';
import type { Fence } from './markdown-lines.ts';

const QUOTE = `["'\`‘’“”„«»「」]?`;
const COLON = String.raw`${QUOTE}\s{0,3}[:：]\s{0,20}`;

/** Brackets, what parts paragraphs, and the members that tell a schema, however they are quoted. */
const MARK = new RegExp(
  String.raw`[{}]|\n(?=[ \t]*\r?\n|#{1,6}[ \t])|(?<![\w$.-])${QUOTE}(?:(\$schema(?=${COLON})|properties(?=${COLON}\{)|items(?=${COLON}[{[])|required(?=${COLON}\[)|type(?=${COLON}(?:\[\s?)?${QUOTE}(?:object|array)(?!\w))))`,
  'u',
);

const ALONE = /^\s*\{/;

/** Most such schemas of one document, as many as are read of those that are JSON, and most marks that are looked at. */
const [MAX_LOOSE, MAX_MARKS] = [64, 10_000];

/**
 * The outermost objects that would be a JSON Schema if they were JSON: names and texts stand between other quotation marks, or none. What of such an
 * object can be read as JSON is no schema of its own. Linear in the text; never throws.
 */
export function looseSchemas(text: string, fences: readonly Fence[], blocks: readonly JsonBlock[]): BrokenJson[] {
  const found: { start: number; end: number }[] = [];
  const open: { start: number; members: Set<string> }[] = [];
  const close = (end: number) => {
    const { start, members } = open.pop() ?? { start: end, members: new Set<string>() };
    if (!areOfSchema(members)) return;
    while ((found.at(-1)?.start ?? -1) > start) found.pop();
    found.push({ start, end });
  };
  const borders = fences.flatMap(({ contentStart, contentEnd }) => [contentStart, contentEnd]);
  // Code has objects that are no messages; one that stands alone in a fence is meant as JSON, whatever that is called.
  const isCode = fences.map(
    ({ language, contentStart }) =>
      !/^(?:json.*|te?xt)?$/.test(language) && !ALONE.test(text.slice(contentStart, contentStart + 200)),
  );
  let [border, block] = [0, 0];
  const marks = new RegExp(MARK, 'gu');
  for (let [hit, left] = [marks.exec(text), MAX_MARKS]; hit !== null && left > 0; hit = marks.exec(text), left -= 1) {
    const { 0: mark, 1: member, index } = hit;
    for (let at = borders[border]; at !== undefined && at <= index; at = borders[border]) {
      while (open.length > 0) close(at);
      border += 1;
    }
    while ((blocks[block]?.end ?? text.length) <= index) block += 1;
    const json = blocks[block];
    const isFenced = border % 2 === 1;
    if (json !== undefined && json.start <= index) marks.lastIndex = json.end;
    else if (isFenced && isCode[(border - 1) / 2]) marks.lastIndex = borders[border] ?? text.length;
    else if (member !== undefined) open.at(-1)?.members.add(member);
    else if (mark === '{') open.push({ start: index, members: new Set() });
    else if (mark === '}') close(index + 1);
    // Between fences an empty line parts nothing.
    else if (!isFenced) while (open.length > 0) close(index);
  }
  while (open.length > 0) close(borders[border] ?? text.length);
  return found.slice(0, MAX_LOOSE).flatMap(({ start, end }) => {
    const extent = scanJson(text, start);
    return extent.ok ? [] : [{ start, end: Math.max(end, extent.at), at: extent.at }];
  });
}

function areOfSchema(members: ReadonlySet<string>): boolean {
  if (members.has('$schema')) return true;
  return members.has('properties')
    ? members.has('type') || members.has('required')
    : members.has('type') && members.has('items');
}
