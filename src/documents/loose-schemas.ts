import type { BrokenJson, JsonBlock } from './json-blocks.ts';
import { scanJson } from './located-json.ts';
import type { Fence } from './markdown-lines.ts';

const QUOTE = `["'\`‘’“”„«»「」]?`;
const COLON = String.raw`${QUOTE}\s{0,3}[:：]\s{0,20}`;

/** Braces, paragraph breaks, and the members that identify a schema, in any quotation marks. */
const MARK = new RegExp(
  String.raw`[{}]|\n(?=[ \t]*\r?\n|#{1,6}[ \t])|(?<![\w$.-])${QUOTE}(?:(\$schema(?=${COLON})|properties(?=${COLON}\{)|items(?=${COLON}[{[])|required(?=${COLON}\[)|type(?=${COLON}(?:\[\s?)?${QUOTE}(?:object|array)(?!\w))))`,
  'u',
);

const ALONE = /^\s*\{/;

/** Most such schemas per document, the same number as for schemas in JSON, and most marks examined. */
const [MAX_LOOSE, MAX_MARKS] = [64, 10_000];

/**
 * Finds the outermost objects that would be a JSON Schema if they were valid JSON: their names and texts have other
 * quotation marks or none. JSON inside such an object is not a schema of its own. Linear in the text; never throws.
 */
export function looseSchemas(text: string, fences: readonly Fence[], blocks: readonly JsonBlock[]): BrokenJson[] {
  const found: { start: number; end: number }[] = [];
  const open: { start: number; members: Set<string> }[] = [];
  const close = (end: number) => {
    const { start, members } = open.pop() ?? { start: end, members: new Set<string>() };
    if (!identifySchema(members)) return;
    while ((found.at(-1)?.start ?? -1) > start) found.pop();
    found.push({ start, end });
  };
  const borders = fences.flatMap(({ contentStart, contentEnd }) => [contentStart, contentEnd]);
  // Objects in code are not messages. An object alone in a fence is meant as JSON, even if the fence names another
  // language.
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
    // Inside a fence, an empty line does not end an object.
    else if (!isFenced) while (open.length > 0) close(index);
  }
  while (open.length > 0) close(borders[border] ?? text.length);
  return found.slice(0, MAX_LOOSE).flatMap(({ start, end }) => {
    const extent = scanJson(text, start);
    return extent.ok ? [] : [{ start, end: Math.max(end, extent.at), at: extent.at }];
  });
}

function identifySchema(members: ReadonlySet<string>): boolean {
  if (members.has('$schema')) return true;
  return members.has('properties')
    ? members.has('type') || members.has('required')
    : members.has('type') && members.has('items');
}
