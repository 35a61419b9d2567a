import type { LocatedSchema } from '../contract/agreement.ts';
import { escapeToken, isObject, type Json } from '../kernel/json.ts';
import { claimOf, type Side } from './claims.ts';
import { completedSchema, enclosedSchema, type Library, libraryOf } from './completed-schema.ts';
import { type BrokenJson, findJsonBlocks, type JsonBlock } from './json-blocks.ts';
import { type KnownJson, type LocatedJson, readJson } from './located-json.ts';
import { looksLikeSchema } from './looks-like-schema.ts';
import { looseSchemas } from './loose-schemas.ts';
import { type Line, readLines } from './markdown-lines.ts';

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

/** Finds every JSON Schema in a document, fenced or bare, alone or inside a larger object. Linear in the text; never throws. */
export function findSchemas(text: string, baseUri?: string, known?: KnownJson): FoundSchemas {
  const { lines, fences } = readLines(text);
  const { blocks: json, broken: torn } = findJsonBlocks(text, fences, known);
  const broken = [...torn.filter((each) => mentionsSchema(text, each)), ...looseSchemas(text, fences, json)]
    .sort((one, other) => one.start - other.start)
    .filter(({ start }, index, all) => start >= (all[index - 1]?.end ?? 0));
  const blocks = outside(broken, json);
  const places = new Places(lines, blocks);
  const schemas: FoundSchema[] = [];
  const lenient: { start: number; end: number }[] = [];
  for (const block of blocks) {
    if (schemas.length >= MAX_SCHEMAS) break;
    const inside = schemasIn(text, block);
    if (block.lenient && inside.length > 0) lenient.push({ start: block.start, end: block.end });
    for (const { schema, start, end, member, pointer } of inside) {
      const heading = places.headingAbove(block.start);
      const introduction = places.introductionAbove(block.start);
      const isTaken = schemas.length < MAX_SCHEMAS;
      const enclosed = isTaken ? enclosedSchema(schema, block) : { schema, origins: [] };
      const origins = [...enclosed.origins, ...(pointer === '' ? [] : [{ at: '', start: block.start, pointer }])];
      schemas.push({
        schema: enclosed.schema,
        ...(origins.length === 0 ? {} : { origins }),
        start,
        end,
        heading,
        ...(baseUri === undefined ? {} : { baseUri }),
        claim: isTaken ? claimOf({ schema, member, introduction, heading }) : null,
      });
    }
  }
  const library = libraryOf(blocks);
  return {
    schemas: schemas.map((found, index) => (index < MAX_SCHEMAS ? completed(found, library) : found)),
    broken,
    lenient,
    prose: proseOf(text, blocks),
    text,
    blocks,
  };
}

/** The blocks that say something and stand in nothing broken, which is in the order of the text. */
function outside(broken: readonly BrokenJson[], blocks: readonly JsonBlock[]): JsonBlock[] {
  let next = 0;
  return blocks.filter(({ start, end }) => {
    while ((broken[next]?.end ?? start + 1) <= start) next += 1;
    return end - start > EMPTY_CHARS && (broken[next]?.start ?? start) >= start;
  });
}

/** As long as `{}` and `[]` are: a document may consist of them. */
const EMPTY_CHARS = 2;

function completed(found: FoundSchema, library: Library): FoundSchema {
  const { schema, origins } = completedSchema(found.schema, library);
  return origins.length === 0
    ? { ...found, schema }
    : { ...found, schema, origins: [...origins, ...(found.origins ?? [])] };
}

interface SchemaPart {
  schema: Json;
  start: number;
  end: number;
  /** The members that hold it in the block, and the pointer to it in there. */
  member: string;
  pointer: string;
}

function schemasIn(text: string, { start, end, value }: JsonBlock): SchemaPart[] {
  if (looksLikeSchema(value)) return [{ schema: value, start, end, member: '', pointer: '' }];
  if (!holdsSchema(value)) return [];
  const found: SchemaPart[] = [];
  const visit = (node: LocatedJson, member: string, pointer: string, depth: number): void => {
    const { value: schema, start, end, members = [], items = [] } = node;
    if (looksLikeSchema(schema)) found.push({ schema, start, end, member, pointer });
    else if (depth < MAX_WRAPPING) {
      for (const { name, node } of members)
        visit(node, `${member} ${name}`, `${pointer}/${escapeToken(name)}`, depth + 1);
      for (const [index, item] of items.entries()) visit(item, member, `${pointer}/${index}`, depth + 1);
    }
  };
  const reading = readJson(text, start, true);
  if (reading.ok) visit(reading.node, '', '', 0);
  return found;
}

/** Whether a value is a schema, or holds one in its members. */
export function holdsSchema(value: Json, depth = 0): boolean {
  if (looksLikeSchema(value)) return true;
  if (typeof value !== 'object' || value === null || depth >= MAX_WRAPPING) return false;
  return Object.values(value).some((item) => holdsSchema(item, depth + 1));
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
