import { type LocatedSchema, MAX_CASES, type Texts } from '../../contract/agreement.ts';
import type { Finding } from '../../contract/finding.ts';
import { completedSchema, enclosedSchema, type Library, libraryOf } from '../../documents/completed-schema.ts';
import type { FoundSchema } from '../../documents/find-schemas.ts';
import type { BrokenJson, JsonBlock } from '../../documents/json-blocks.ts';
import { type LocatedJson, nodeAt } from '../../documents/located-json.ts';
import { escapeToken, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { quoteText } from '../../kernel/quote.ts';
import { usedSchema } from '../../schemas/used-schema.ts';
import { type DescribedMethod, interactionsOf } from '../../service-descriptions/described-method.ts';
import { type FamilyReading, type PlacedFinding, type ReadingTask, tooManyCases, withoutProse } from '../family.ts';
import { chosenMethods, methodOfResult, type Selection, selectionIn, withoutFragment } from './agreed.ts';
import { type AgreementText, readAgreementText, type TextPart } from './agreement-text.ts';
import {
  type Artifact,
  type ArtifactFault,
  type ArtifactMethod,
  readArtifact,
  readPart,
  type SchemaSource,
  textAt,
} from './artifact.ts';
import { digestFindings, selectionFindings } from './check-selection.ts';

/** Reads the text of an agreement: each method is an interaction. */
export function readAgreement({ document, cases }: Texts, { payload }: ReadingTask): FamilyReading {
  const parts: AgreementText = readAgreementText(document) ?? { schemas: new Map(), words: '' };
  const selected = parts.selection && readPart(document, parts.selection);
  const selection = selectionIn(selected?.ok === true ? selected.node.value : undefined);
  const reading = parts.artifact && readArtifact(document, parts.artifact);
  const artifact = reading?.ok === true ? reading.artifact : undefined;
  const sources = new SchemaSources(document, parts, artifact);
  const methods = methodsIn(parts, artifact, selection).map((method) => sources.described(method));
  const { interactions, cases: examples } = interactionsOf(methods);
  const given = Array.isArray(cases) ? cases : undefined;
  const read =
    given?.map(({ request, response, expected = '' }, index) => {
      return { testCase: index + 1, request, response, expected, negative: false };
    }) ?? examples;
  const artifactText = parts.artifact && document.slice(parts.artifact.start, parts.artifact.end);
  return {
    ...withoutProse,
    interactions: interactions.length > 0 ? interactions : [{ name: '', request: null, replies: [] }],
    payload: payload ?? payloadOf(artifact, selection),
    cases: read.slice(0, MAX_CASES),
    faults: [
      ...artifactFaults(parts, reading),
      ...(artifact === undefined || artifactText === undefined
        ? []
        : [...digestFindings(artifact, artifactText, selection), ...selectionFindings(artifact, selection)]),
      ...sources.missing,
      ...tooManyCases(read.length),
    ],
    schemas: sources.found,
    broken: sources.broken,
    document: { text: document, blocks: sources.blocks },
    data: [parts.artifact, parts.selection, ...parts.schemas.values()].filter((part) => part !== undefined),
    prose: parts.words,
    wholeProse: parts.words,
  };
}

function methodsIn(
  { artifact: part }: AgreementText,
  artifact: Artifact | undefined,
  selection: Selection,
): ArtifactMethod[] {
  if (artifact !== undefined) return chosenMethods(artifact, selection);
  const only = part === undefined ? methodOfResult(selection) : undefined;
  return only === undefined ? [] : [only];
}

/** JSON, unless the content type of the payloads is a text that is not JSON. */
function payloadOf(artifact: Artifact | undefined, { contentType }: Selection): 'json' | 'text' {
  const listed = artifact === undefined ? undefined : nodeAt(artifact.root, '/content_types/0')?.value;
  const type = contentType ?? (typeof listed === 'string' ? listed : '');
  return /^(?:text\/|application\/(?:xml|yaml))|\+(?:xml|yaml)\b/i.test(type) && !/json/i.test(type) ? 'text' : 'json';
}

/** The schemas of an agreement, in the artifact or supplied by URI. */
class SchemaSources {
  readonly found: FoundSchema[] = [];
  readonly broken: BrokenJson[] = [];
  readonly blocks: JsonBlock[] = [];
  readonly missing: PlacedFinding[] = [];
  readonly #root: LocatedJson | undefined;
  readonly #supplied = new Map<string, LocatedJson>();
  readonly #unreadable = new Set<string>();
  readonly #library: Library;
  readonly #known = new Map<string | LocatedJson, FoundSchema>();

  constructor(text: string, { selection, schemas }: AgreementText, artifact: Artifact | undefined) {
    this.#root = artifact?.root;
    if (artifact !== undefined) this.blocks.push(blockOf(artifact.root));
    for (const [uri, part] of [...(selection === undefined ? [] : [['', selection] as const]), ...schemas]) {
      const reading = readPart(text, part);
      if (reading.ok) {
        this.blocks.push(blockOf(reading.node));
        if (uri !== '') this.#supplied.set(uri, reading.node);
      } else if (uri !== '') this.#addBroken(uri, part, reading);
    }
    this.#library = withNames(libraryOf([...this.#supplied.values()]), this.#supplied);
  }

  #addBroken(uri: string, { start, end }: TextPart, { at, beyond }: { at: number; beyond?: 'depth' | 'number' }): void {
    this.#unreadable.add(uri);
    this.broken.push({ start, end, at, ...(beyond === undefined ? {} : { beyond }) });
  }

  described(method: ArtifactMethod): DescribedMethod {
    const { name, request, response, errors, examples, start, end } = method;
    const [asked, answered] = [
      this.#schemaOf(request, method, 'request'),
      this.#schemaOf(response, method, 'response'),
    ];
    const failed = errors === undefined ? undefined : errorReply(errors);
    return {
      name,
      request: asked ?? null,
      replies: answered === undefined ? [] : [answered, ...(failed === undefined ? [] : [failed])],
      examples,
      start,
      end,
    };
  }

  #schemaOf(source: SchemaSource | undefined, method: ArtifactMethod, side: Side): FoundSchema | undefined {
    if (source === undefined) return undefined;
    const key = 'uri' in source ? source.uri : source.inline;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const placed = 'uri' in source ? this.#suppliedAt(source.uri) : this.#inline(source.inline, source.pointer);
    if (placed === undefined) {
      if ('uri' in source && !this.#unreadable.has(withoutFragment(source.uri)))
        this.missing.push(missingSchema(source.uri, method, side));
      return undefined;
    }
    const heading = `${method.name} ${side}`;
    const schema = foundSchema(placed, heading, this.#library);
    this.#known.set(key, schema);
    this.found.push(schema);
    return schema;
  }

  /** The schema that a URI names, in the text that is supplied for it, with its fragment or without. */
  #suppliedAt(uri: string): PlacedSchema | undefined {
    const whole = this.#supplied.get(uri);
    if (whole !== undefined) return { root: whole, node: whole, pointer: '' };
    const pointer = decoded(uri.slice(withoutFragment(uri).length + 1));
    const root = this.#supplied.get(withoutFragment(uri));
    if (root === undefined) return undefined;
    if (!/^(?:\/|$)/.test(pointer)) return anchored(root, pointer);
    const node = nodeAt(root, pointer);
    return node === undefined ? undefined : { root, node, pointer };
  }

  #inline(node: LocatedJson, pointer: string): PlacedSchema {
    return this.#root === undefined ? { root: node, node, pointer: '' } : { root: this.#root, node, pointer };
  }
}

/** A schema in a JSON value of the text. */
interface PlacedSchema {
  root: LocatedJson;
  node: LocatedJson;
  /** Its pointer there. */
  pointer: string;
}

/** The schema that has an anchor, in the words of JSON Schema since 2019 or before. */
function anchored(root: LocatedJson, anchor: string): PlacedSchema | undefined {
  const pending = [{ node: root, pointer: '' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, pointer } = next;
    if (textAt(node.value, '$anchor') === anchor || textAt(node.value, '$id') === `#${anchor}`)
      return { root, node, pointer };
    for (const { name, node: member } of node.members ?? [])
      pending.push({ node: member, pointer: `${pointer}/${escapeToken(name)}` });
    for (const [index, item] of (node.items ?? []).entries())
      pending.push({ node: item, pointer: `${pointer}/${index}` });
  }
  return undefined;
}

type Side = 'request' | 'response';

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function blockOf({ start, end, value }: LocatedJson): JsonBlock {
  return { start, end, value, lenient: false };
}

/** A library in which each schema can be referred to by its URI, and by the end of it. */
function withNames(library: Library, supplied: ReadonlyMap<string, LocatedJson>): Library {
  const named = new Map(library.named);
  for (const [uri, { value, start }] of supplied) {
    if (!isObject(value)) continue;
    const path = URL.canParse(uri) ? new URL(uri).pathname : uri;
    for (const name of [uri, `schema:${path}`, path, path.slice(path.lastIndexOf('/') + 1)])
      if (!named.has(name)) named.set(name, { value, start, pointer: '' });
  }
  return { ...library, named };
}

function foundSchema({ root, node, pointer }: PlacedSchema, heading: string, library: Library): FoundSchema {
  const { start, end, value } = node;
  const enclosed = enclosedSchema(value, root);
  const whole = completedSchema(enclosed.schema, library);
  const own = pointer === '' ? [] : [{ at: '', start: root.start, pointer }];
  const origins = [...whole.origins, ...enclosed.origins, ...own];
  const found = { schema: usedSchema(whole.schema), start, end, heading, claim: null };
  return origins.length === 0 ? found : { ...found, origins };
}

/** The reply with which a method reports its declared errors. */
function errorReply({ value, start, end }: LocatedJson): LocatedSchema | undefined {
  const codes = (Array.isArray(value) ? value : []).flatMap((error): Json[] =>
    isObject(error) && Number.isInteger(error.code) ? [error.code ?? null] : [],
  );
  if (codes.length === 0) return undefined;
  const error: JsonObject = {
    type: 'object',
    properties: { code: { enum: codes }, message: { type: 'string' }, data: {} },
    required: ['code', 'message'],
    additionalProperties: false,
  };
  const schema = { type: 'object', properties: { error }, required: ['error'], additionalProperties: false };
  return { schema, start, end, heading: 'error' };
}

function artifactFaults(
  parts: AgreementText,
  reading: { ok: true } | { ok: false; fault: ArtifactFault } | undefined,
): PlacedFinding[] {
  if (reading?.ok === false) {
    const { pointer, found, wanted, at } = reading.fault;
    const place = pointer === '' ? '' : ` at ${pointer}`;
    return [invalid(`Cannot read protocol artifact${place}: found ${found}, wanted ${wanted}`, at, pointer)];
  }
  if (parts.artifact !== undefined || parts.selection !== undefined) return [];
  return [invalid('Cannot read agreement: found neither an artifact nor a selection, wanted one of them', 0)];
}

function invalid(message: string, at: number, pointer?: string): PlacedFinding {
  const finding: Finding = { code: 'DOCUMENT_ARTIFACT_INVALID', severity: 'error', in: 'document', message };
  return { finding: { ...finding, ...(pointer === undefined ? {} : { pointer }) }, text: 'document', at };
}

function missingSchema(uri: string, { name, start }: ArtifactMethod, side: Side): PlacedFinding {
  const of = name === '' ? '' : ` of ${quoteText(name)}`;
  const message = `Cannot find the ${side} schema${of}: nothing is supplied for ${quoteText(uri)}, wanted its text`;
  const finding: Finding = { code: 'DOCUMENT_SCHEMA_MISSING', severity: 'error', in: `${side}Schema`, message };
  return { finding, text: 'document', at: start };
}
