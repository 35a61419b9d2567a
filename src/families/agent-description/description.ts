import type { Finding } from '../../contract/finding.ts';
import { type LocatedJson, nodeAt, readJson, scanJson } from '../../documents/located-json.ts';
import { readYaml } from '../../documents/located-yaml.ts';
import { hasFewTokens } from '../../documents/yaml-blocks.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { quoteText } from '../../kernel/quote.ts';
import type { PlacedFinding } from '../family.ts';

/** An interface that a description offers. */
export interface OfferedInterface {
  /** Its number in the list, from 0. */
  index: number;
  /** Its name, else its id, else its address; empty if it has none of them. */
  name: string;
  /** Its id, by which a result of `anp.negotiate` selects it; empty if it has none. */
  id: string;
  /** Its type without the prefix of a vocabulary, such as `StructuredInterface`. */
  type: string;
  /** Its protocol as the description names it. */
  protocol: string;
  /** The address of its document. */
  url?: string;
  /** Its document, if the description contains it: JSON, or a text. */
  inline?: Json;
  /** Whether a person must agree to each call. */
  humanAuthorization: boolean;
  /** Whether its messages are sentences, so that no schema describes them. */
  isNaturalLanguage: boolean;
}

/** A description that was read. `value` also has the members that are not listed here. */
export interface Description {
  /** All of it, as parsed. */
  value: JsonObject;
  name: string;
  /** Empty if it has none. */
  did: string;
  /** Its own address; empty if it has none. */
  url: string;
  interfaces: readonly OfferedInterface[];
}

/** A description with the findings about it, or the finding that the text is not a description. */
export interface DescriptionReading {
  description?: Description;
  /** Its JSON with places; absent if the text is not a description. */
  root?: LocatedJson;
  /** Whether it has comments or trailing commas, which other readers refuse. */
  lenient?: boolean;
  faults: PlacedFinding[];
}

/** Most interfaces of one description that are read. */
const MAX_INTERFACES = 64;

/** Longest description that is read, in UTF-16 units: that of the largest job. */
const MAX_LENGTH = 1_048_576;

/**
 * Reads a description in either form of the Agent Description Protocol: the earlier JSON-LD, or the plain JSON of
 * version 1.1. Comments are skipped, and the same in YAML is taken. Without a range, the whole text is read.
 * Never throws; linear in the text.
 */
export function readDescription(text: string, start = 0, end = text.length): DescriptionReading {
  if (end - start > MAX_LENGTH) return invalid(`${end - start} characters`);
  const read = readJson(text, text[start] === '\uFEFF' ? start + 1 : start, true);
  const isJson = read.ok && read.node.end <= end && /^\s*$/.test(text.slice(read.node.end, end));
  const root = isJson ? read.node : yamlRoot(text, start, end);
  if (root === undefined) return invalid('a text that is neither');
  if (!isObject(root.value)) return invalid('another value');
  const { value } = root;
  const list = partOf(root, 'interfaces');
  const interfaces = (list?.node.items ?? [])
    .slice(0, MAX_INTERFACES)
    .map(({ value: one }, index) => offered(one, index));
  const description: Description = {
    value,
    name: textIn(value, 'name'),
    did: textIn(value, 'did') || didIn(textIn(value, 'identifier')),
    url: textIn(value, 'url') || textIn(value, '@id'),
    interfaces,
  };
  return {
    description,
    root,
    lenient: isJson && !scanJson(text, root.start).ok,
    faults: [...memberFaults(root), ...listFaults(list)],
  };
}

/** A description in YAML: any sentence with a colon is YAML, too. */
function yamlRoot(text: string, start: number, end: number): LocatedJson | undefined {
  if (!hasFewTokens(text.slice(start, end))) return undefined;
  const [read, ...more] = readYaml(text, start, end);
  if (read?.ok !== true || more.length > 0 || !isObject(read.node.value)) return undefined;
  const { value } = read.node;
  return ['protocolType', '@context'].some((name) => Object.hasOwn(value, name)) ? read.node : undefined;
}

/** The document that a description contains for an interface, with its place. */
export function inlineDocument(root: LocatedJson, index: number): { pointer: string; node: LocatedJson } | undefined {
  const list = partOf(root, 'interfaces');
  const one = list?.node.items?.[index];
  for (const name of INLINE) {
    const part = one && partOf(one, name);
    if (list !== undefined && part !== undefined)
      return { pointer: `${list.pointer}/${index}${part.pointer}`, node: part.node };
  }
  return undefined;
}

/** The members in which an interface holds its document. */
const INLINE = ['definition', 'content'];

function offered(given: Json, index: number): OfferedInterface {
  const one = isObject(given) ? given : {};
  const type = typeIn(one);
  const url = textIn(one, 'url');
  const id = textIn(one, 'id') || textIn(one, '@id');
  const inline = INLINE.map((name) => own(one, name)).find((found) => found !== undefined);
  return {
    index,
    name: textIn(one, 'name') || id || url,
    id,
    type,
    protocol: textIn(one, 'protocol'),
    ...(url === '' ? {} : { url }),
    ...(inline === undefined ? {} : { inline }),
    humanAuthorization: own(one, 'humanAuthorization') === true,
    isNaturalLanguage: /natural[\s_-]*language/i.test(type),
  };
}

/** The type of an object in either form, without the prefix of its vocabulary; the first of several. */
function typeIn(value: JsonObject): string {
  const given = own(value, 'type') ?? own(value, '@type');
  const [first] = Array.isArray(given) ? given : [given];
  return typeof first === 'string' ? first.replace(/^[\w-]*:(?!\/\/)/, '') : '';
}

/** A member by its name, or by that name with the prefix of the vocabulary. */
function own(value: JsonObject, name: string): Json | undefined {
  const found = [name, `ad:${name}`].find((one) => Object.hasOwn(value, one));
  return found === undefined ? undefined : value[found];
}

function textIn(value: JsonObject, name: string): string {
  const found = own(value, name);
  return typeof found === 'string' ? found : '';
}

/** The SDK's product-style descriptions have the DID as `identifier`. */
function didIn(identifier: string): string {
  return identifier.startsWith('did:') ? identifier : '';
}

function partOf(root: LocatedJson, name: string): { pointer: string; node: LocatedJson } | undefined {
  for (const one of [name, `ad:${name}`]) {
    const node = nodeAt(root, `/${one}`);
    if (node !== undefined) return { pointer: `/${one}`, node };
  }
  return undefined;
}

/** What each required member must be; `isPlain`: only the plain form requires it. */
const REQUIRED: readonly { name: string; wanted: string; isPlain?: boolean; allows: (value: Json) => boolean }[] = [
  { name: 'protocolType', wanted: '"ANP"', isPlain: true, allows: (value) => value === 'ANP' },
  { name: 'protocolVersion', wanted: 'a text', isPlain: true, allows: isText },
  { name: 'type', wanted: 'a text', allows: (value) => isText(value) || (Array.isArray(value) && value.some(isText)) },
  { name: 'name', wanted: 'a text', allows: isText },
  { name: 'securityDefinitions', wanted: 'an object with definitions', allows: isObject },
  {
    name: 'security',
    wanted: 'a name, a list of names, or definitions',
    allows: (value) => isText(value) || isObject(value) || (Array.isArray(value) && value.every(isText)),
  },
];

function isText(value: Json): boolean {
  return typeof value === 'string' && value !== '';
}

function memberFaults(root: LocatedJson): PlacedFinding[] {
  const value = root.value as JsonObject;
  const isJsonLd = Object.hasOwn(value, '@context');
  const security = own(value, 'security');
  return [
    ...REQUIRED.flatMap(({ name, wanted, isPlain, allows }) => {
      // The first two members are newer than JSON-LD, and an object as security has the definitions itself.
      if ((isPlain === true && isJsonLd) || (name === 'securityDefinitions' && isObject(security))) return [];
      const part = partOf(root, name) ?? (name === 'type' ? partOf(root, '@type') : undefined);
      if (part !== undefined && allows(part.node.value)) return [];
      const found = part === undefined ? 'nothing' : 'another value';
      const message = `Cannot take member ${name} of the description: found ${found}, wanted ${wanted}`;
      return [
        placed(
          { code: 'DOCUMENT_MEMBER_MISSING', pointer: part?.pointer ?? `/${name}`, message },
          part?.node.start ?? root.start,
        ),
      ];
    }),
    ...undefinedSecurity(root),
  ];
}

/** Names under `security` that `securityDefinitions` does not define. */
function undefinedSecurity(root: LocatedJson): PlacedFinding[] {
  const [security, definitions] = [partOf(root, 'security'), partOf(root, 'securityDefinitions')];
  if (security === undefined || definitions === undefined || !isObject(definitions.node.value)) return [];
  const defined = definitions.node.value;
  const names = [security.node.value].flat().filter((name) => typeof name === 'string' && name !== '') as string[];
  return names
    .filter((name) => !Object.hasOwn(defined, name))
    .slice(0, MAX_INTERFACES)
    .map((name) => {
      const message = `Cannot take security of the description: found ${quoteText(name)}, wanted a name that securityDefinitions defines`;
      return placed({ code: 'DOCUMENT_MEMBER_MISSING', pointer: security.pointer, message }, security.node.start);
    });
}

function listFaults(list: { pointer: string; node: LocatedJson } | undefined): PlacedFinding[] {
  const length = list?.node.items?.length;
  if (list === undefined || (length !== undefined && length <= MAX_INTERFACES)) return [];
  const found = length === undefined ? 'no list' : `${length} of them`;
  const message = `Cannot read interfaces of the description: found ${found}, wanted a list of at most ${MAX_INTERFACES}`;
  return [placed({ code: 'DOCUMENT_AGENT_DESCRIPTION_INVALID', pointer: list.pointer, message }, list.node.start)];
}

function invalid(found: string): DescriptionReading {
  const message = `Cannot read description: found ${found}, wanted an object in JSON or YAML of at most ${MAX_LENGTH} characters`;
  return { faults: [placed({ code: 'DOCUMENT_AGENT_DESCRIPTION_INVALID', message }, 0)] };
}

/** A finding about the description, with its place there. */
export function placed(finding: Omit<Finding, 'severity' | 'in'>, at: number): PlacedFinding {
  return { finding: { severity: 'error', in: 'document', ...finding }, text: 'document', at };
}
