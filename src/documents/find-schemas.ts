import type { LocatedSchema, Origin } from '../contract/agreement.ts';
import { escapeToken, isObject, type Json } from '../kernel/json.ts';
import { allSubschemas, MAX_SUBSCHEMAS } from '../schemas/schema-walk.ts';
import { usedSchema } from '../schemas/used-schema.ts';
import { announcesSchema, claimOf, type Side, sideNamedIn } from './claims.ts';
import { completedSchema, enclosedSchema, type Library, libraryOf } from './completed-schema.ts';
import { descriptionFormatOf } from './description-format.ts';
import { type BrokenJson, findJsonBlocks, type JsonBlock } from './json-blocks.ts';
import { type KnownJson, type LocatedJson, readJson } from './located-json.ts';
import { readYaml } from './located-yaml.ts';
import { isAnnouncedSchema, looksLikeSchema } from './looks-like-schema.ts';
import { looseSchemas } from './loose-schemas.ts';
import { type Fence, type Line, readLines } from './markdown-lines.ts';
import { findYamlBlocks } from './yaml-blocks.ts';

/** A schema found in a document, with the side that its surroundings name. */
export interface FoundSchema extends LocatedSchema {
  claim: Side | null;
}

/** The schemas and other JSON of a document, separated from its prose. */
export interface FoundSchemas {
  schemas: FoundSchema[];
  /** Schemas that start as JSON and then break off. */
  broken: BrokenJson[];
  /** Schemas that are JSON except for comments and trailing commas. */
  lenient: { start: number; end: number }[];
  /** The document's text without its JSON. */
  prose: string;
  /** The text that was read, and the JSON blocks in it. */
  text: string;
  blocks: readonly JsonBlock[];
}

/**
 * Most schemas of one document that may be request or response and whose references are resolved. Further schemas in
 * the same object are only separated from the prose.
 */
const MAX_SCHEMAS = 64;

/** Most subschemas of the schemas whose references are resolved: what so many schemas of usable size have. */
const MAX_RESOLVED = MAX_SCHEMAS * MAX_SUBSCHEMAS;

/** Deepest nesting of schemas in the members of an object: enough for the responses of an OpenAPI operation. */
const MAX_WRAPPING = 8;

/**
 * Finds every JSON Schema in a document, in JSON or YAML, fenced or bare, alone or inside a larger object. Linear in
 * the text; never throws.
 */
export function findSchemas(text: string, baseUri?: string, known?: KnownJson): FoundSchemas {
  const { lines, fences } = readLines(text);
  const { json, yaml, broken: unreadable } = valuesIn(text, lines, fences, known);
  const values = [...json, ...yaml].sort((one, other) => one.start - other.start);
  const broken = [...unreadable, ...looseSchemas(text, fences, values)]
    .sort((one, other) => one.start - other.start)
    .filter(({ start }, index, all) => start >= (all[index - 1]?.end ?? 0));
  const blocks = outside(broken, withLoneBooleans(text, values));
  const places = new Places(lines, blocks);
  const library = libraryOf(blocks);
  const schemas: FoundSchema[] = [];
  const lenient: { start: number; end: number }[] = [];
  const definitions = new Map<JsonBlock, Placed[]>();
  let left = MAX_RESOLVED;
  const add = (placed: Placed): void => {
    const isResolved = schemas.length < MAX_SCHEMAS && left > 0;
    const found = foundSchema(placed, isResolved ? library : undefined);
    if (isResolved) left -= allSubschemas(found.schema, MAX_RESOLVED).length;
    schemas.push(baseUri === undefined ? found : { ...found, baseUri });
  };
  for (const block of blocks) {
    if (schemas.length >= MAX_SCHEMAS) break;
    const around = { heading: places.headingAbove(block.start), introduction: places.introductionAbove(block.start) };
    const parts = isAnnounced(block.value, around) ? [wholeOf(block)] : schemasIn(text, block);
    if (block.lenient && parts.length > 0) lenient.push({ start: block.start, end: block.end });
    const { definition: shared = [], message: own = [] } = Object.groupBy(parts, ({ pointer }) =>
      DEFINITIONS.test(pointer) ? 'definition' : 'message',
    );
    for (const part of own) add({ block, part, around });
    if (shared.length > 0)
      definitions.set(
        block,
        shared.map((part) => ({ block, part, around })),
      );
  }
  // Definitions that other schemas reference are not messages themselves, unless nothing else describes their side.
  const takenFrom = new Set(
    schemas.flatMap(({ origins = [] }) => origins.filter(({ at }) => at !== '').map(({ start }) => start)),
  );
  const described = new Set(schemas.map(({ claim }) => claim));
  for (const [block, shared] of definitions)
    for (const placed of shared) {
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

/** The blocks outside broken parts; both lists are in text order. */
function outside(broken: readonly BrokenJson[], blocks: readonly JsonBlock[]): JsonBlock[] {
  let next = 0;
  return blocks.filter(({ start }) => {
    while ((broken[next]?.end ?? start + 1) <= start) next += 1;
    return (broken[next]?.start ?? start) >= start;
  });
}

/** The JSON and YAML values of a text, and the broken parts that would be schemas. */
function valuesIn(
  text: string,
  lines: readonly Line[],
  fences: readonly Fence[],
  known?: KnownJson,
): { json: JsonBlock[]; yaml: JsonBlock[]; broken: BrokenJson[] } {
  const json = findJsonBlocks(text, fences, known);
  const found = findYamlBlocks(text, lines, fences);
  // Other YAML stays in the prose.
  const yaml = {
    ...found,
    blocks: found.blocks.filter(
      ({ value }) =>
        looksLikeSchema(value) ||
        holdsSchema(value) ||
        isAnnouncedSchema(value, true) ||
        descriptionFormatOf(value) !== undefined,
    ),
  };
  const isInYaml = within([...yaml.blocks, ...yaml.broken]);
  return {
    json: json.blocks.filter(({ start }) => !isInYaml(start)),
    yaml: yaml.blocks,
    broken: [...json.broken.filter((each) => !isInYaml(each.start) && mentionsSchema(text, each)), ...yaml.broken],
  };
}

/** Returns a test whether an offset is inside one of the parts. */
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

/** Containers for definitions that other schemas reference. */
const DEFINITIONS = /^\/(?:\$defs|definitions|components\/schemas)\//;

/** A schema with the block and text around it. */
interface Placed {
  block: JsonBlock;
  part: SchemaPart;
  around: Around;
}

function claimIn({ part: { schema, member }, around }: Placed): Side | null {
  return claimOf({ schema, member, ...around });
}

/** A schema with its side, and with its references resolved if a library is given. */
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

/** Whether the text above a value announces a schema of one side, and the value can be one. */
function isAnnounced(value: Json, { introduction, heading }: Around): boolean {
  const [nearest] = [introduction, heading].filter((text) => sideNamedIn(text) !== null);
  return nearest !== undefined && isAnnouncedSchema(value, announcesSchema(nearest));
}

/** Adds the lines that are only `true` or `false`: each can be a schema. */
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
  /** The members that hold it in the block, and its pointer there. */
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

/** Whether a value is a schema or has one in its members. */
export function holdsSchema(value: Json, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth >= MAX_WRAPPING) return false;
  return Object.entries(value).some(([name, item]) => isSchemaOf(name, item) || holdsSchema(item, depth + 1));
}

/** Whether a member is a schema, by its value or its name. */
function isSchemaOf(member: string, value: Json): boolean {
  return looksLikeSchema(value) || (/schema$/i.test(member) && isAnnouncedSchema(value, false));
}

function mentionsSchema(text: string, { start, end }: BrokenJson): boolean {
  const head = text.slice(start, Math.min(end, start + 20_000));
  return /"(?:\$schema|openrpc|openapi|inputSchema)"\s*:|"properties"\s*:\s*\{|"type"\s*:\s*"(?:object|array)"/.test(
    head,
  );
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

/** Finds the heading and line above an offset. Calls must come in document order. */
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
      // Text before a value on the same line introduces it too.
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
