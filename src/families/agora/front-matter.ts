import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { readPythonYaml } from './python-yaml.ts';

/** The metadata of a protocol. */
export interface Metadata {
  name: Json;
  description: Json;
  multiround: Json;
}

/** The metadata that was read, or the reason why it cannot be read. */
export type MetadataRead = { ok: true; metadata: Metadata } | { ok: false; fault: string };

/**
 * The metadata of a document as the Python library reads it, or the reason for its error: the text between the first
 * two `---`, even inside a line.
 */
export function libraryMetadata(document: string): MetadataRead {
  // The library searches the lower-case text, which U+0130 makes longer, and cuts the original one.
  const lowered = document.toLowerCase();
  const first = lowered.indexOf('---');
  const second = first < 0 ? -1 : lowered.indexOf('---', first + 3);
  if (second < 0) return { ok: false, fault: 'no two marks "---" in the document' };
  return metadataIn(document.slice(first + 3, second).trim());
}

/**
 * The front matter of a document in a common layout: between two lines `---` at its start, above the first one,
 * or between the first two; `undefined` if there is none.
 */
export function frontMatterOf(document: string): MetadataRead | undefined {
  // A document that is a text in the code of a peer often begins with a blank line.
  const opening = /^\uFEFF?(?:[ \t]*\r?\n)*---[ \t]*\r?\n/.exec(document)?.[0];
  if (opening !== undefined) {
    const text = document.slice(opening.length);
    const end = CLOSING_LINE.exec(text)?.index;
    return end === undefined ? { ok: false, fault: 'no line "---" that ends it' } : metadataIn(text.slice(0, end));
  }
  const [first, second] = document.matchAll(RULE);
  if (first === undefined) return undefined;
  const above = document.slice(0, first.index).replace(/^\uFEFF/, '');
  const between = second && document.slice(first.index + first[0].length, second.index);
  for (const part of [above, between ?? '']) {
    const read = mappingIn(part);
    // The text at a horizontal rule is usually not front matter.
    if (typeof read === 'object' && NAMES.some((name) => Object.hasOwn(read, name)))
      return { ok: true, metadata: metadataOf(read) };
  }
  return undefined;
}

const RULE = /^---[ \t]*\r?$/gm;
const CLOSING_LINE = /^---+[ \t]*\r?$/m;

const NAMES = ['name', 'description', 'multiround'];

/** Whether a protocol has several rounds: `multiround` of its front matter, with the truth values of Python. */
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

/** The mapping in a text, or the reason why there is none. */
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
