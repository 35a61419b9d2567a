import { type DescriptionFormat, descriptionFormatOf, isEnvelope } from '../documents/description-format.ts';
import { type LocatedJson, readJson } from '../documents/located-json.ts';
import { readYaml } from '../documents/located-yaml.ts';
import { hasFewTokens } from '../documents/yaml-blocks.ts';
import { quoteText } from '../kernel/quote.ts';
import { type DescribedMethod, interactionsOf } from './described-method.ts';
import { readEndpoints } from './endpoints.ts';
import { readJsonRpc } from './json-rpc.ts';
import { readMcpTools } from './mcp-tools.ts';
import { readOpenApi } from './openapi.ts';
import { readOpenRpc } from './openrpc.ts';
import type { DescriptionChoice, DescriptionFault, ServiceDescription } from './service-description.ts';
import { type DescriptionPlace, Source } from './source.ts';

/** Most methods of one agreement: their schemas are compared with each other, and are joined to one schema. */
export const MAX_METHODS = 64;

/** Longest text of a description, in UTF-16 units; as long as the largest job. */
const MAX_CHARS = 1_000_000;

/**
 * Reads a service description, JSON or YAML, from its text, or from a range of a longer one. Never throws: what cannot
 * be read is among the faults. Time linear in the text; fetches nothing.
 */
export function readServiceDescription(
  text: string,
  choice: DescriptionChoice = {},
  range = { start: 0, end: text.length },
): ServiceDescription {
  const read = descriptionRoot(text, range);
  if (!('root' in read)) return unreadable(read.found, read.at);
  return readDescriptionAt({ root: read.root, start: read.root.start, pointer: '', baseUri: choice.baseUri }, choice);
}

/** Reads a service description that is a value in a larger text, such as the `definition` of an interface. */
export function readDescriptionAt(place: DescriptionPlace, choice: DescriptionChoice = {}): ServiceDescription {
  const described = methodsAt(place, choice);
  if (described === undefined) return unreadable('no service description', place.root.start);
  const { format, title, methods, faults } = described;
  return { format, title, ...interactionsOf(methods), faults };
}

/** What a description says of its methods, before they are made interactions. */
export interface DescribedMethods {
  format: DescriptionFormat;
  title: string;
  methods: readonly DescribedMethod[];
  faults: readonly DescriptionFault[];
}

/** The methods of a service description; `undefined` if the value is not one. Never throws. */
export function methodsAt(
  given: DescriptionPlace,
  { methods: wanted }: DescriptionChoice = {},
): DescribedMethods | undefined {
  const place = withoutEnvelope(given);
  const format = descriptionFormatOf(given.root.value);
  if (format === undefined) return undefined;
  const source = new Source(place);
  const names = wanted && new Set(wanted);
  let asked = 0;
  // Methods beyond the limit are counted, but not read.
  const found = READERS[format](source, (name) => {
    const isWanted = names === undefined || names.has(name);
    asked += isWanted ? 1 : 0;
    return isWanted && asked <= MAX_METHODS;
  });
  if (asked > MAX_METHODS)
    source.fault('error', source.root, `${asked} methods`, `at most ${MAX_METHODS}, or a choice of them`);
  const methods = distinct(found, source);
  for (const name of asked > MAX_METHODS ? [] : (names ?? []))
    if (!found.some((method) => method.name === name)) source.unknownMethod(name);
  if (found.length === 0 && wanted === undefined) source.fault('error', source.root, 'no method', 'at least one');
  const title = source.text(source.at(source.root, 'info'), 'title');
  return { format, title, methods, faults: source.faults };
}

const READERS = {
  openrpc: readOpenRpc,
  'openapi-3.0': readOpenApi,
  'openapi-3.1': readOpenApi,
  'json-rpc': readJsonRpc,
  endpoints: readEndpoints,
  'mcp-tools': readMcpTools,
} as const;

/** The result in a JSON-RPC response, such as that of `tools/list` or `rpc.discover`; any other value as it is. */
function withoutEnvelope(place: DescriptionPlace): DescriptionPlace {
  const { root, pointer } = place;
  if (!isEnvelope(root.value)) return place;
  const result = root.members?.findLast(({ name }) => name === 'result')?.node;
  return result === undefined ? place : { ...place, root: result, pointer: `${pointer}/result` };
}

/** The methods, of each name only the first one. Every other one is a fault. */
function distinct(methods: readonly DescribedMethod[], source: Source): DescribedMethod[] {
  const byName = new Map<string, DescribedMethod>();
  for (const method of methods) {
    if (!byName.has(method.name)) byName.set(method.name, method);
    else source.fault('error', source.root, `two methods ${quoteText(method.name)}`, 'names that differ');
  }
  return [...byName.values()];
}

/** The single JSON or YAML value in a range of a text, or what was found instead, and where. */
export function descriptionRoot(
  text: string,
  { start: from, end }: { start: number; end: number },
): { root: LocatedJson } | { found: string; at: number } {
  if (end - from > MAX_CHARS) return { found: `${end - from} characters, more than ${MAX_CHARS}`, at: from };
  const own = text.slice(from, end);
  const start = own.search(/[^\s\ufeff]/);
  if (start >= 0 && /[{[]/.test(own[start] ?? '')) {
    const json = readJson(text, from + start, true);
    if (!json.ok)
      return { found: json.beyond === 'depth' ? 'JSON that nests too deep' : 'JSON that breaks off', at: json.at };
    // The reader may have read on beyond the range.
    const { end: after } = json.node;
    if (after > end) return { found: 'JSON that breaks off', at: end };
    return text.slice(after, end).trim() === '' ? { root: json.node } : { found: 'text after the JSON', at: after };
  }
  if (!hasFewTokens(own)) return { found: 'YAML with too many lines', at: from };
  const [document, ...more] = readYaml(text, from, end);
  if (document === undefined) return { found: 'nothing', at: from };
  if (!document.ok || more.length > 0)
    return { found: 'YAML that cannot be read', at: document.ok ? from : document.at };
  return { root: document.node };
}

function unreadable(found: string, at: number): ServiceDescription {
  const message = `Cannot read service description: found ${found}, wanted OpenRPC, OpenAPI 3, an MCP list of tools or examples of JSON-RPC, in JSON or YAML`;
  const about = { code: 'DOCUMENT_DESCRIPTION_UNREADABLE', severity: 'error', in: 'document' } as const;
  const finding = { ...about, message, actual: found };
  return { format: null, title: '', interactions: [], cases: [], faults: [{ finding, text: 'document', at }] };
}
