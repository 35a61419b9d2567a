import { member } from '../../contract/job-fault.ts';
import type { LocatedJson } from '../../documents/located-json.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { writeAgreementText } from './agreement-text.ts';
import { type Artifact, type ArtifactMethod, readArtifact, textAt, textsAt } from './artifact.ts';
import { isDigest } from './digest.ts';
import { wordsOf } from './words.ts';

/** What the messages of a job agree on, before or after validation. */
export interface Agreed {
  /** The result, and its place in the job. A JSON-RPC response in its place is opened. */
  result?: Json;
  resultPointer: string;
  /** The text of the protocol artifact. */
  artifact?: string;
  /** The names of the methods that the job chooses. */
  methods?: readonly string[];
  supplied: JsonObject;
}

/** The part of a selection that a handler depends on, as the text of the agreement has it. */
export interface Selection {
  methods?: readonly string[];
  contentType?: string;
  securityProfile?: string;
  /** The digest by which the result names the artifact. */
  protocolArtifact?: string;
  /** The one method that a result without an artifact describes. */
  name?: string;
  requestSchema?: string;
  responseSchema?: string;
}

/** Finds the parts of an agreement in the members of a job. Never throws. */
export function agreedIn(agreement: Json | undefined, supplied: Json | undefined): Agreed {
  const given = member(agreement, 'result');
  const isResponse = isObject(given) && isObject(given.result) && given.status === undefined;
  const result = isResponse ? given.result : given;
  const methods = member(agreement, 'methods');
  const texts = isObject(supplied) ? supplied : {};
  const named = textOf(member(agreement, 'artifact')) ?? textAt(member(result, 'selected'), 'protocolArtifact');
  const artifact = named === undefined ? undefined : (textAt(texts, named) ?? textOf(member(agreement, 'artifact')));
  return {
    ...(result === undefined ? {} : { result }),
    resultPointer: isResponse ? '/agreement/result/result' : '/agreement/result',
    ...(artifact === undefined ? {} : { artifact }),
    ...(Array.isArray(methods) ? { methods: methods.filter((name) => typeof name === 'string') } : {}),
    supplied: texts,
  };
}

function textOf(artifact: Json | undefined): string | undefined {
  if (typeof artifact === 'string') return artifact;
  if (!isObject(artifact)) return undefined;
  try {
    return JSON.stringify(artifact, null, 2);
  } catch {
    // Nested too deep to be written: nobody has looked at the data yet.
    return undefined;
  }
}

/** The artifact of an agreement, if it has one that can be read. */
export function artifactIn({ artifact }: Agreed): Artifact | undefined {
  const reading = artifact === undefined ? undefined : readArtifact(artifact, { start: 0, end: artifact.length });
  return reading?.ok === true ? reading.artifact : undefined;
}

/** The methods of an agreement that a handler is for: those chosen by name, else all. */
export function chosenMethods(artifact: Artifact, { methods }: Pick<Selection, 'methods'>): ArtifactMethod[] {
  return artifact.methods.filter(({ name }) => methods?.includes(name) !== false);
}

/** The one method that a result without an artifact describes by the URIs of its schemas. */
export function methodOfResult({ name = '', requestSchema, responseSchema }: Selection): ArtifactMethod | undefined {
  if (requestSchema === undefined && responseSchema === undefined) return undefined;
  return {
    name,
    ...(requestSchema === undefined ? {} : { request: { uri: requestSchema } }),
    ...(responseSchema === undefined ? {} : { response: { uri: responseSchema } }),
    examples: [],
    start: 0,
    end: 0,
  };
}

/** The text of an agreement; `undefined` if the job has neither an artifact nor schemas. */
export function agreementTextOf(agreed: Agreed): string | undefined {
  const selection = selectionOf(agreed);
  const artifact = artifactIn(agreed);
  const only = agreed.artifact === undefined ? methodOfResult(selection) : undefined;
  if (agreed.artifact === undefined && only === undefined) return undefined;
  const methods = artifact === undefined ? (only ? [only] : []) : chosenMethods(artifact, selection);
  const isChosen = (name: string) => methods.some((one) => one.name === name);
  return writeAgreementText({
    ...(agreed.artifact === undefined ? {} : { artifact: agreed.artifact }),
    ...(Object.keys(selection).length === 0 ? {} : { selection: JSON.stringify(selection, null, 2) }),
    schemas: schemaTexts(methods, agreed.supplied, artifact?.root),
    words: wordsOf(artifact?.root.value ?? null, isChosen),
  });
}

function selectionOf({ result, artifact, methods }: Agreed): Selection {
  const selected = member(result, 'selected');
  const schemas = artifact === undefined ? member(result, 'schemas') : undefined;
  const named = textAt(selected, 'protocolArtifact');
  const members: [keyof Selection, Selection[keyof Selection]][] = [
    ['methods', methods],
    ['contentType', textAt(selected, 'contentType')],
    ['securityProfile', textAt(selected, 'securityProfile')],
    ['protocolArtifact', named !== undefined && isDigest(named) ? named : undefined],
    ['name', schemas === undefined ? undefined : (textAt(selected, 'capability') ?? textAt(selected, 'interface'))],
    ['requestSchema', textAt(schemas, 'requestSchema')],
    ['responseSchema', textAt(schemas, 'responseSchema')],
  ];
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The selection in the text of an agreement, which anybody may have written. */
export function selectionIn(value: Json | undefined): Selection {
  const names = ['contentType', 'securityProfile', 'protocolArtifact', 'name', 'requestSchema', 'responseSchema'];
  const texts = names.flatMap((name) => {
    const text = textAt(value, name);
    return text === undefined ? [] : [[name, text]];
  });
  const methods = Array.isArray(member(value, 'methods')) ? { methods: textsAt(value, 'methods') } : {};
  return { ...methods, ...Object.fromEntries(texts) };
}

/** A URI without its fragment. */
export function withoutFragment(uri: string): string {
  return uri.replace(/#.*$/s, '');
}

/** The texts of the schemas that methods need, and of those that these refer to, as far as they are supplied. */
function schemaTexts(
  methods: readonly ArtifactMethod[],
  supplied: JsonObject,
  root: LocatedJson | undefined,
): Map<string, string> {
  const found = new Map<string, string>();
  const pending = methods.flatMap(({ request, response }) =>
    [request, response].flatMap((source) => (source !== undefined && 'uri' in source ? [source.uri] : [])),
  );
  for (const reference of referencesIn(root?.value ?? null, '')) pending.push(reference);
  for (let uri = pending.pop(); uri !== undefined; uri = pending.pop()) {
    const key = [uri, withoutFragment(uri)].find((one) => Object.hasOwn(supplied, one));
    const text = key === undefined ? undefined : supplied[key];
    if (key === undefined || typeof text !== 'string' || found.has(key)) continue;
    found.set(key, text);
    for (const reference of referencesIn(parsed(text), key)) pending.push(reference);
  }
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
  } catch {
    return null;
  }
}

/** The URIs that a schema refers to, resolved against its own. */
function referencesIn(root: Json, base: string): string[] {
  const found: string[] = [];
  const pending = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const reference = textAt(next, '$ref');
    if (reference !== undefined && !reference.startsWith('#'))
      found.push(URL.canParse(reference, base) ? new URL(reference, base).href : reference);
    for (const value of Object.values(next)) pending.push(value);
  }
  return found;
}
