import { excerptAt, type LocatedJson, MAX_JSON_DEPTH, nodeAt, readJson } from '../../documents/located-json.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { MethodExample } from '../../service-descriptions/described-method.ts';
import type { TextPart } from './agreement-text.ts';

/** A protocol artifact, with its places in a text. */
export interface Artifact {
  root: LocatedJson;
  methods: readonly ArtifactMethod[];
}

/** A method of an artifact. */
export interface ArtifactMethod {
  name: string;
  request?: SchemaSource;
  response?: SchemaSource;
  /** Its declared errors, as OpenRPC writes them. */
  errors?: LocatedJson;
  examples: readonly MethodExample[];
  start: number;
  end: number;
}

/** Where a schema comes from: a URI, or the artifact itself. */
export type SchemaSource = { uri: string } | { inline: LocatedJson; pointer: string };

/** Why a text cannot be used as an artifact. */
export interface ArtifactFault {
  pointer: string;
  found: string;
  wanted: string;
  at: number;
}

/** Most methods of one artifact: their schemas make up one. */
export const MAX_METHODS = 64;

/** Reads the artifact in a part of a text. Never throws; in time linear in the part. */
export function readArtifact(
  text: string,
  part: TextPart,
): { ok: true; artifact: Artifact } | { ok: false; fault: ArtifactFault } {
  const fault = (pointer: string, found: string, wanted: string, at = part.start) => {
    return { ok: false, fault: { pointer, found, wanted, at } } as const;
  };
  const reading = readPart(text, part);
  if (!reading.ok) return fault('', reading.found, 'a JSON object', reading.at);
  const { node: root } = reading;
  if (!isObject(root.value)) return fault('', 'no object', 'a JSON object');
  const listed = nodeAt(root, '/methods')?.items;
  if (listed === undefined || listed.length === 0) return fault('/methods', 'no methods', 'a list of at least one');
  if (listed.length > MAX_METHODS) return fault('/methods', `${listed.length} methods`, `at most ${MAX_METHODS}`);
  const methods: ArtifactMethod[] = [];
  const names = new Set<string>();
  for (const [index, node] of listed.entries()) {
    const name = textAt(node.value, 'name');
    if (name === undefined || name === '') return fault(`/methods/${index}/name`, 'no name', 'one', node.start);
    if (names.has(name)) return fault(`/methods/${index}/name`, 'the name of an earlier method', 'another', node.start);
    names.add(name);
    methods.push(methodIn(name, node, `/methods/${index}`));
  }
  return { ok: true, artifact: { root, methods: withExamples(methods, root.value) } };
}

/** Reads the JSON in a part of a text, after a byte order mark or not; `at` is where it breaks off. */
export function readPart(
  text: string,
  { start, end }: TextPart,
): { ok: true; node: LocatedJson } | { ok: false; at: number; beyond?: 'depth' | 'number'; found: string } {
  const reading = readJson(text, text[start] === '\uFEFF' ? start + 1 : start);
  if (!reading.ok) {
    const { at, beyond } = reading;
    const found =
      beyond === 'depth' ? `more than ${MAX_JSON_DEPTH} levels` : `JSON that ends at ${excerptAt(text, at)}`;
    return { ok: false, at, found, ...(beyond === undefined ? {} : { beyond }) };
  }
  const { node } = reading;
  const rest = text.slice(node.end, end).search(/\S/);
  if (rest < 0) return { ok: true, node };
  return { ok: false, at: node.end + rest, found: `JSON that ends at ${excerptAt(text, node.end + rest)}` };
}

/** A text member of an object. */
export function textAt(value: Json | undefined, name: string): string | undefined {
  const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof found === 'string' ? found : undefined;
}

/** The texts in a list member of an object. */
export function textsAt(value: Json | undefined, name: string): string[] {
  const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : [];
}

function methodIn(name: string, node: LocatedJson, pointer: string): ArtifactMethod {
  const [request, response] = ['request', 'response'].map((side) => sourceIn(node, pointer, side));
  const errors = nodeAt(node, '/errors');
  return {
    name,
    ...(request === undefined ? {} : { request }),
    ...(response === undefined ? {} : { response }),
    ...(errors?.items === undefined ? {} : { errors }),
    examples: examplesIn(node.value),
    start: node.start,
    end: node.end,
  };
}

/** The draft has URIs of schemas; a schema in place of its URI, or without `_uri`, is one that is given inline. */
function sourceIn(method: LocatedJson, pointer: string, side: string): SchemaSource | undefined {
  for (const name of [`/${side}_schema_uri`, `/${side}_schema`]) {
    const node = nodeAt(method, name);
    if (typeof node?.value === 'string') return { uri: node.value };
    if (node !== undefined && (isObject(node.value) || typeof node.value === 'boolean'))
      return { inline: node, pointer: `${pointer}${name}` };
  }
  return undefined;
}

/** Examples of the artifact as a whole belong to the method that they name, or to the only one. */
function withExamples(methods: readonly ArtifactMethod[], root: JsonObject): ArtifactMethod[] {
  const only = methods.length === 1 ? methods[0]?.name : undefined;
  const byName = Map.groupBy(entriesIn(root), (entry) => textAt(entry, 'method') ?? only);
  return methods.map((method) => ({
    ...method,
    examples: [...method.examples, ...(byName.get(method.name) ?? []).flatMap(exampleIn)],
  }));
}

function examplesIn(value: Json): MethodExample[] {
  return entriesIn(value).flatMap(exampleIn);
}

function entriesIn(value: Json): Json[] {
  if (!isObject(value)) return [];
  return ['test_cases', 'examples'].flatMap((name) => {
    const listed = Object.hasOwn(value, name) ? value[name] : undefined;
    return Array.isArray(listed) ? listed : [];
  });
}

function exampleIn(entry: Json): MethodExample[] {
  if (!isObject(entry) || !Object.hasOwn(entry, 'request') || !Object.hasOwn(entry, 'response')) return [];
  const { request = null, response = null } = entry;
  return [{ request, response, expected: textAt(entry, 'expected') ?? textAt(entry, 'description') ?? '' }];
}
