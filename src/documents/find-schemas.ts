import type { LocatedSchema, Origin } from '../contract/agreement.ts';
import { escapeToken, isObject, type Json } from '../kernel/json.ts';
import { usedSchema } from '../schemas/used-schema.ts';
import { announcesSchema, claimOf, type Side, sideNamedIn } from './claims.ts';
import { completedSchema, enclosedSchema, type Library, libraryOf } from './completed-schema.ts';
import { type BrokenJson, findJsonBlocks, type JsonBlock } from './json-blocks.ts';
import { type KnownJson, type LocatedJson, readJson } from './located-json.ts';
import { readYaml } from './located-yaml.ts';
import { isAnnouncedSchema, looksLikeSchema } from './looks-like-schema.ts';
import { looseSchemas } from './loose-schemas.ts';
import { type Fence, type Line, readLines } from './markdown-lines.ts';
import { findYamlBlocks } from './yaml-blocks.ts';

/** A schema found in a document, with what its surroundings say. */
export interface FoundSchema extends LocatedSchema {
  claim: Side | null;
}

/** What a document holds besides prose. */
export interface FoundSchemas {
  schemas: FoundSchema[];
  /** Schemas that break off being JSON. */
  broken: BrokenJson[];
  /** Schemas that are JSON but for comments and trailing commas. */
  lenient: { start: number; end: number }[];
  /** The document without the JSON in it. */
  prose: string;
  /** What was read, and the JSON in it. */
  text: string;
  blocks: readonly JsonBlock[];
}

/**
 * Most schemas of one document that may be request or response, and that are completed with what they refer to; others in the same object are only
 * told from prose.
 */
const MAX_SCHEMAS = 64;

/** How deep schemas may lie inside an object that holds several, in members: as deep as those of an operation's responses in OpenAPI. */
const MAX_WRAPPING = 8;

/** Finds every JSON Schema in a document, in JSON or YAML, fenced or bare, alone or inside a larger object. Linear in the text; never throws. */
export function findSchemas(text: string, baseUri?: string, known?: KnownJson): FoundSchemas {
  const { lines, fences } = readLines(text);
  const { json, yaml, torn } = valuesIn(text, lines, fences, known);
  const values = [...json, ...yaml].sort((one, other) => one.start - other.start);
  const broken = [...torn, ...looseSchemas(text, fences, values)]
    .sort((one, other) => one.start - other.start)
    .filter(({ start }, index, all) => start >= (all[index - 1]?.end ?? 0));
  const blocks = outside(broken, withLoneBooleans(text, values));
  const places = new Places(lines, blocks);
  const library = libraryOf(blocks);
  const schemas: FoundSchema[] = [];
  const lenient: { start: number; end: number }[] = [];
  const shelves = new Map<JsonBlock, Placed[]>();
  const add = (placed: Placed): void => {
    const found = foundSchema(placed, schemas.length < MAX_SCHEMAS ? library : undefined);
    schemas.push(baseUri === undefined ? found : { ...found, baseUri });
  };
  for (const block of blocks) {
    if (schemas.length >= MAX_SCHEMAS) break;
    const around = { heading: places.headingAbove(block.start), introduction: places.introductionAbove(block.start) };
    const parts = isAnnounced(block.value, around) ? [wholeOf(block)] : schemasIn(text, block);
    if (block.lenient && parts.length > 0) lenient.push({ start: block.start, end: block.end });
    const [kept = [], own = []] = [true, false].map((is) => parts.filter(({ pointer }) => is === KEPT.test(pointer)));
    for (const part of own) add({ block, part, around });
    if (kept.length > 0)
      shelves.set(
        block,
        kept.map((part) => ({ block, part, around })),
      );
  }
  // What others take of an object's definitions describes no message by itself, where that side is described.
  const takenFrom = new Set(
    schemas.flatMap(({ origins = [] }) => origins.filter(({ at }) => at !== '').map(({ start }) => start)),
  );
  const described = new Set(schemas.map(({ claim }) => claim));
  for (const [block, kept] of shelves)
    for (const placed of kept) {
      const claim = takenFrom.has(block.start) ? claimIn(placed) : undefined;
      if (claim === undefined || (claim !== null && !described.has(claim))) add(placed);
    }
  return {
    schemas: schemas.sort((one, other) => one.start - other.start),
    broken,
    lenient,
    prose: proseOf(text, blocks),
    text,
    blocks,
  };
}

/** The blocks that stand in nothing broken; both are in the order of the text. */
function outside(broken: readonly BrokenJson[], blocks: readonly JsonBlock[]): JsonBlock[] {
  let next = 0;
  return blocks.filter(({ start }) => {
    while ((broken[next]?.end ?? start + 1) <= start) next += 1;
    return (broken[next]?.start ?? start) >= start;
  });
}

/** The values of a text, each in the language that it is written in, and what would be schemas if they could be read. */
function valuesIn(
  text: string,
  lines: readonly Line[],
  fences: readonly Fence[],
  known?: KnownJson,
): { json: JsonBlock[]; yaml: JsonBlock[]; torn: BrokenJson[] } {
  const json = findJsonBlocks(text, fences, known);
  const found = findYamlBlocks(text, lines, fences);
  // What else is written in YAML is for those who read the words of the document.
  const yaml = {
    ...found,
    blocks: found.blocks.filter(
      ({ value }) => looksLikeSchema(value) || holdsSchema(value) || isAnnouncedSchema(value, true),
    ),
  };
  const isInYaml = within([...yaml.blocks, ...yaml.broken]);
  return {
    json: json.blocks.filter(({ start }) => !isInYaml(start)),
    yaml: yaml.blocks,
    torn: [...json.broken.filter((each) => !isInYaml(each.start) && mentionsSchema(text, each)), ...yaml.broken],
  };
}

/** Tells whether an offset lies in some parts of a text; they come in order, and so do the offsets of each list. */
function within(parts: readonly { start: number; end: number }[]): (offset: number) => boolean {
  const sorted = parts.toSorted((one, other) => one.start - other.start);
  const starts = sorted.map(({ start }) => start);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return offset < (sorted[low - 1]?.end ?? 0);
  };
}

/** Where objects keep schemas for others. */
const KEPT = /^\/(?:\$defs|definitions|components\/schemas)\//;

/** A schema where it was found. */
interface Placed {
  block: JsonBlock;
  part: SchemaPart;
  around: Around;
}

function claimIn({ part: { schema, member }, around }: Placed): Side | null {
  return claimOf({ schema, member, ...around });
}

/** A schema with what its surroundings say, and completed from a library where one is given. */
function foundSchema(placed: Placed, library?: Library): FoundSchema {
  const { block, part, around } = placed;
  const { schema, start, end, pointer } = part;
  const { heading } = around;
  const places = pointer === '' ? [] : [{ at: '', start: block.start, pointer }];
  if (library === undefined) return withOrigins({ schema, start, end, heading, claim: null }, places);
  const enclosed = enclosedSchema(schema, block);
  const whole = completedSchema(enclosed.schema, library);
  return withOrigins({ schema: usedSchema(whole.schema), start, end, heading, claim: claimIn(placed) }, [
    ...whole.origins,
    ...enclosed.origins,
    ...places,
  ]);
}

function withOrigins(found: FoundSchema, origins: Origin[]): FoundSchema {
  return origins.length === 0 ? found : { ...found, origins };
}

/** The heading and the line above a block. */
interface Around {
  heading: string;
  introduction: string;
}

/** Whether a value stands where a schema of one side is announced, and can be one. */
function isAnnounced(value: Json, { introduction, heading }: Around): boolean {
  const [nearest] = [introduction, heading].filter((text) => sideNamedIn(text) !== null);
  return nearest !== undefined && isAnnouncedSchema(value, announcesSchema(nearest));
}

/** The values of a text, and the lines that are `true` or `false` and nothing else: each is a schema, too. */
function withLoneBooleans(text: string, blocks: readonly JsonBlock[]): JsonBlock[] {
  const all = [...blocks];
  let next = 0;
  for (const { 0: line, 1: word = '', index } of text.matchAll(/^[ \t]*(true|false)[ \t]*\r?$/gm)) {
    while ((blocks[next]?.end ?? text.length) <= index) next += 1;
    if ((blocks[next]?.start ?? text.length) < index) continue;
    const start = index + line.indexOf(word);
    all.push({ start, end: start + word.length, value: word === 'true', lenient: false });
  }
  return all.length === blocks.length ? all : all.sort((one, other) => one.start - other.start);
}

interface SchemaPart {
  schema: Json;
  start: number;
  end: number;
  /** The members that hold it in the block, and the pointer to it in there. */
  member: string;
  pointer: string;
}

function wholeOf({ start, end, value }: JsonBlock): SchemaPart {
  return { schema: value, start, end, member: '', pointer: '' };
}

function schemasIn(text: string, block: JsonBlock): SchemaPart[] {
  const { start, value } = block;
  if (looksLikeSchema(value)) return [wholeOf(block)];
  if (!holdsSchema(value)) return [];
  const found: SchemaPart[] = [];
  const visit = (node: LocatedJson, member: string, pointer: string, depth: number): void => {
    const { value: schema, start, end, members = [], items = [] } = node;
    if (isSchemaOf(member, schema)) found.push({ schema, start, end, member, pointer });
    else if (depth < MAX_WRAPPING) {
      for (const { name, node } of members)
        visit(node, `${member} ${name}`, `${pointer}/${escapeToken(name)}`, depth + 1);
      for (const [index, item] of items.entries()) visit(item, member, `${pointer}/${index}`, depth + 1);
    }
  };
  const reading = block.isYaml === true ? readYaml(text, start, block.end)[0] : readJson(text, start, true);
  if (reading?.ok === true) visit(reading.node, '', '', 0);
  return found;
}

/** Whether a value is a schema, or holds one in its members. */
export function holdsSchema(value: Json, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth >= MAX_WRAPPING) return false;
  return Object.entries(value).some(([name, item]) => isSchemaOf(name, item) || holdsSchema(item, depth + 1));
}

/** Whether a member of an object is a schema, by what it is or what it is called. */
function isSchemaOf(member: string, value: Json): boolean {
  return looksLikeSchema(value) || (/schema$/i.test(member) && isAnnouncedSchema(value, false));
}

function mentionsSchema(text: string, { start, end }: BrokenJson): boolean {
  const head = text.slice(start, Math.min(end, start + 20_000));
  return /"\$schema"\s*:|"properties"\s*:\s*\{|"type"\s*:\s*"(?:object|array)"/.test(head);
}

function proseOf(text: string, blocks: readonly JsonBlock[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, value } of blocks) {
    if (!hasMembers(value)) continue;
    parts.push(text.slice(from, start));
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join(' ');
}

function hasMembers(value: Json): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

const HEADING =
  /^[ \t]*(?:>[ \t]*)*(?:#{1,6}[ \t]*(.*?)[ \t#]*|(?:\*\*|__)([^*]{1,200})(?:\*\*|__)[ \t]*[:：]?[ \t]*)$/;

/** Headings and lines by place; questions come in document order. */
class Places {
  readonly #lines: readonly Line[];
  readonly #covered: readonly JsonBlock[];
  #next = 0;
  #nextCovered = 0;
  #heading = '';
  #introduction = '';

  constructor(lines: readonly Line[], covered: readonly JsonBlock[]) {
    this.#lines = lines;
    this.#covered = covered;
  }

  headingAbove(offset: number): string {
    this.#advance(offset);
    return this.#heading;
  }

  introductionAbove(offset: number): string {
    this.#advance(offset);
    return this.#introduction;
  }

  #advance(offset: number): void {
    for (
      let line = this.#lines[this.#next];
      line !== undefined && line.start <= offset;
      line = this.#lines[this.#next]
    ) {
      this.#next += 1;
      const block = this.#skipTo(line.start);
      if (block !== undefined && block.start < line.start) {
        this.#introduction = '';
        continue;
      }
      // What stands before a value on its own line introduces it, too.
      const text = line.text.slice(0, Math.max(0, offset - line.start)).slice(0, 1_000);
      if (line.fenced || text.trim() === '') continue;
      const heading = HEADING.exec(text);
      if (heading === null) this.#introduction = text.trim();
      else {
        this.#heading = (heading[1] ?? heading[2] ?? '').trim();
        this.#introduction = '';
      }
    }
  }

  #skipTo(start: number): JsonBlock | undefined {
    for (
      let node = this.#covered[this.#nextCovered];
      node !== undefined && node.end <= start;
      node = this.#covered[this.#nextCovered]
    ) {
      this.#nextCovered += 1;
      this.#introduction = '';
    }
    return this.#covered[this.#nextCovered];
  }
}
