import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { readPythonYaml } from './python-yaml.ts';

/** What front matter says of a protocol. */
export interface Metadata {
  name: Json;
  description: Json;
  multiround: Json;
}

/** What a reader found in a document; `fault` says what keeps it from being read. */
export type MetadataRead = { ok: true; metadata: Metadata } | { ok: false; fault: string };

/**
 * The metadata of a document as the Python library reads it, or what it stumbles over: whatever stands between the first
 * two `---`, on lines of their own or not.
 */
export function libraryMetadata(document: string): MetadataRead {
  // The library looks in the text in lower case, which a dotted capital I makes longer, and cuts the text itself.
  const lowered = document.toLowerCase();
  const first = lowered.indexOf('---');
  const second = first < 0 ? -1 : lowered.indexOf('---', first + 3);
  if (second < 0) return { ok: false, fault: 'no two marks "---" in the document' };
  return metadataIn(document.slice(first + 3, second).trim());
}

/**
 * The front matter of a document, in either layout that is in use: between two lines `---`, or above a single one;
 * `undefined` where it has none.
 */
export function frontMatterOf(document: string): MetadataRead | undefined {
  const opening = /^\uFEFF?---[ \t]*\r?\n/.exec(document)?.[0];
  const text = document.slice(opening?.length ?? 0);
  const end = CLOSING_LINE.exec(text)?.index;
  if (opening !== undefined)
    return end === undefined ? { ok: false, fault: 'no line "---" that ends it' } : metadataIn(text.slice(0, end));
  // What stands above a rule in the middle of a text is front matter only where it reads as such.
  const above = end === undefined ? undefined : mappingIn(text.slice(0, end).replace(/^\uFEFF/, ''));
  return typeof above === 'object' && NAMES.some((name) => Object.hasOwn(above, name))
    ? { ok: true, metadata: metadataOf(above) }
    : undefined;
}

const CLOSING_LINE = /^---[ \t]*\r?$/m;

const NAMES = ['name', 'description', 'multiround'];

/** Whether a protocol goes on over several rounds: what its front matter says, by what is true to Python. */
export function isMultiround(document: string): boolean {
  const read = frontMatterOf(document);
  const value = read?.ok === true ? read.metadata.multiround : false;
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

function metadataIn(text: string): MetadataRead {
  const read = mappingIn(text);
  return typeof read === 'string' ? { ok: false, fault: read } : { ok: true, metadata: metadataOf(read) };
}

/** The mapping that a text holds, or what keeps it from being read. */
function mappingIn(text: string): JsonObject | string {
  const read = readPythonYaml(text);
  if (!read.ok) return read.why;
  return isObject(read.value) ? read.value : 'no mapping of names to values';
}

function metadataOf(found: JsonObject): Metadata {
  const member = (name: string, fallback: Json): Json =>
    Object.hasOwn(found, name) ? (found[name] ?? null) : fallback;
  return {
    name: member('name', 'Unnamed protocol'),
    description: member('description', 'No description provided'),
    multiround: member('multiround', false),
  };
}
