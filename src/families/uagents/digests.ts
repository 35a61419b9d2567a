import { type LocatedJson, nodeAt, readJson } from '../../documents/located-json.ts';
import { sha256Hex } from '../../kernel/digest.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { byCodePoint, pythonJson, pythonObject } from './python-json.ts';

/**
 * The digest of a model, from its JSON Schema: `model:` and 64 hex digits, as the peers compute it. Give the schema
 * as text if it has floats: a parsed `1.0` is `1`. `undefined` if the text is not JSON.
 */
export function schemaDigest(schema: string | JsonObject): string | undefined {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
  const node = locatedJsonOf(text);
  return node && schemaDigestOf(node, text);
}

/** The digest of a model whose schema was read from a text. */
export function schemaDigestOf(schema: LocatedJson, text: string): string {
  return `model:${sha256Hex(pythonJson(schema, text))}`;
}

/**
 * The digest of a protocol, from its manifest: `proto:` and 64 hex digits, as the peers compute it; metadata
 * are no part of it. Give the manifest as text if a schema in it has floats. `undefined` if the text is not a
 * manifest.
 */
export function protocolDigest(manifest: string | JsonObject): string | undefined {
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  const node = locatedJsonOf(text);
  return node && protocolDigestOf(node, text);
}

/** The digest of a protocol whose manifest was read from a text; `undefined` if that is not a manifest. */
export function protocolDigestOf(manifest: LocatedJson, text: string): string | undefined {
  const version = nodeAt(manifest, '/version');
  const models = sortedBy('digest', nodeAt(manifest, '/models'));
  const interactions = sortedBy('request', nodeAt(manifest, '/interactions'));
  if (version === undefined || models === undefined || interactions === undefined) return undefined;
  const list = (nodes: readonly LocatedJson[]) => `[${nodes.map((node) => pythonJson(node, text)).join(', ')}]`;
  const canonical = pythonObject([
    ['version', pythonJson(version, text)],
    ['metadata', '{}'],
    ['models', list(models)],
    ['interactions', list(interactions)],
  ]);
  return `proto:${sha256Hex(canonical)}`;
}

/** Objects sorted by a text member that each has; `undefined` if one lacks it. */
function sortedBy(name: string, list: LocatedJson | undefined): LocatedJson[] | undefined {
  const keyed = list?.items?.map((node) => ({ node, key: textAt(node.value, name) }));
  if (keyed === undefined || keyed.some(({ key }) => key === undefined)) return undefined;
  return keyed.sort((one, other) => byCodePoint(one.key ?? '', other.key ?? '')).map(({ node }) => node);
}

/** A member that is a text. */
export function textAt(value: Json | undefined, name: string): string | undefined {
  const member = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}

/**
 * The JSON value of a text, with the place of every value in it; `undefined` if it is not JSON, or nests
 * deeper than is read.
 */
export function locatedJsonOf(text: string): LocatedJson | undefined {
  const read = readJson(text, 0);
  return read.ok && /^[ \t\r\n]*$/.test(text.slice(read.node.end)) ? read.node : undefined;
}
