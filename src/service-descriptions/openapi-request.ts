import { escapeToken, type Json } from '../kernel/json.ts';
import { quoteText } from '../kernel/quote.ts';
import { bareBody, type Media, mediaOf, namedExamples } from './openapi-media.ts';
import { objectOf, type Part } from './schema-builder.ts';
import { kindOf, type Placed, type Source } from './source.ts';

/** Most parameters of one operation. */
const MAX_PARAMETERS = 64;

/** The request of an operation: its parameters by name, or its body, or both. */
export interface OperationRequest {
  place: Placed | undefined;
  parts: readonly RequestPart[];
  build(schemas: readonly Json[]): Json;
  /** The member that holds the body next to parameters; `null` if the request is the body itself. */
  bodyMember: string | null;
}

/** A parameter or the body. */
export interface RequestPart extends Part {
  /** Its name in the request. */
  name: string;
  required: boolean;
  examples: ReadonlyMap<string, Json>;
}

/** What stands for a parameter in a path. */
const TEMPLATE = /\{([^{}]+)\}/g;

/** By OpenAPI, definitions of these headers are ignored. */
const IGNORED_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/** Reads the request of an operation. */
export function readRequest(
  source: Source,
  { item, operation, path }: { item: Placed; operation: Placed; path: string },
): OperationRequest {
  const declared = readParameters(source, item, operation);
  for (const [, name = ''] of path.matchAll(TEMPLATE)) {
    if (!declared.some((parameter) => parameter.in === 'path' && parameter.name === name))
      source.fault('warning', operation, `no parameter for ${quoteText(`{${name}}`)} in the path`, 'one in "path"');
  }
  const parameters = named(declared);
  const given = source.at(operation, 'requestBody');
  const body = source.resolved(given);
  const media = mediaOf(source, body);
  if (media === undefined || body === undefined)
    return {
      place: source.at(operation, 'parameters'),
      parts: parameters,
      build: buildObject(parameters),
      bodyMember: null,
    };
  const taken = new Set(parameters.map(({ name }) => name));
  const name = taken.has('body') ? 'requestBody' : 'body';
  const isAlone = parameters.length === 0;
  const part: RequestPart = {
    at: isAlone ? '' : `/properties/${name}`,
    schema: media.schema,
    name,
    required: source.at(body, 'required')?.node.value === true,
    examples: namedExamples(source, media.place),
  };
  const parts = [...parameters, part];
  return isAlone
    ? { place: media.schema ?? media.place, parts, build: ([schema]) => bodySchema(media, schema), bodyMember: null }
    : { place: given, parts, build: buildObject(parts, media), bodyMember: name };
}

function buildObject(parts: readonly RequestPart[], media?: Media): OperationRequest['build'] {
  return (schemas) =>
    objectOf(
      parts.map(({ name, required }, index) => {
        const schema = schemas[index] ?? true;
        const isBody = media !== undefined && index === parts.length - 1;
        return { name, required, schema: isBody ? bodySchema(media, schema) : schema };
      }),
    );
}

function bodySchema(media: Media, schema: Json | undefined): Json {
  return media.schema === undefined ? bareBody(media) : (schema ?? true);
}

interface Parameter extends RequestPart {
  in: string;
}

/** The parameters of a path item and of an operation, which override the former. */
function readParameters(source: Source, item: Placed, operation: Placed): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const holder of [item, operation]) {
    const list = source.at(holder, 'parameters');
    const items = source.items(list);
    if (list !== undefined && (list.node.items === undefined || items.length > MAX_PARAMETERS))
      source.fault(
        'error',
        list,
        list.node.items === undefined ? kindOf(list.node.value) : `${items.length} parameters`,
        `a list of at most ${MAX_PARAMETERS} parameters`,
      );
    for (const given of items.slice(0, MAX_PARAMETERS)) {
      const parameter = readParameter(source, source.resolved(given));
      if (parameter !== undefined) found.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  return [...found.values()];
}

function readParameter(source: Source, given: Placed | undefined): Parameter | undefined {
  if (given === undefined) return undefined;
  const [name, where] = [source.text(given, 'name'), source.text(given, 'in')];
  if (name === '' || !/^(?:path|query|querystring|header|cookie)$/.test(where)) {
    source.fault('error', given, 'a parameter without a name or a place', 'members name and in');
    return undefined;
  }
  if (where === 'header' && IGNORED_HEADERS.has(name.toLowerCase())) return undefined;
  const media = mediaOf(source, given);
  return {
    name,
    in: where,
    at: '',
    schema: source.at(given, 'schema') ?? media?.schema,
    required: where === 'path' || source.at(given, 'required')?.node.value === true,
    examples: namedExamples(source, media?.place ?? given),
  };
}

/** Parameters with their places in the request. Of those with one name, all but the first are called `<in>.<name>`. */
function named(parameters: readonly Parameter[]): RequestPart[] {
  const taken = new Set<string>();
  return parameters.map(({ in: where, ...parameter }) => {
    const name = taken.has(parameter.name) ? `${where}.${parameter.name}` : parameter.name;
    taken.add(name);
    return { ...parameter, name, at: `/properties/${escapeToken(name)}` };
  });
}
