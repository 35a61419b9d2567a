import type { LocatedSchema } from '../contract/agreement.ts';
import { escapeToken, type Json } from '../kernel/json.ts';
import { quoteText } from '../kernel/quote.ts';
import type { DescribedMethod, MethodExample } from './described-method.ts';
import { errorReply, NOTHING, objectOf, SchemaBuilder } from './schema-builder.ts';
import { kindOf, type Placed, type Source } from './source.ts';

/** Most parameters, errors and examples of one method. */
const MAX_PARTS = 64;

/** A parameter of a method (Content Descriptor Object). */
interface Parameter {
  name: string;
  schema: Placed | undefined;
  required: boolean;
}

/** Reads the wanted methods of an OpenRPC document (version 1). */
export function readOpenRpc(source: Source, isWanted: (name: string) => boolean): DescribedMethod[] {
  const builder = new SchemaBuilder(source);
  return source.items(source.at(source.root, 'methods')).flatMap((given) => {
    const method = source.resolved(given);
    if (method === undefined) return [];
    const name = source.text(method, 'name');
    if (name === '') {
      source.fault('error', method, 'a method without a name', 'a name');
      return [];
    }
    return isWanted(name) ? [readMethod(source, builder, method, name)] : [];
  });
}

function readMethod(source: Source, builder: SchemaBuilder, method: Placed, name: string): DescribedMethod {
  const parameters = partsOf(source, method, 'params').flatMap((one) => readParameter(source, one));
  const isByPosition = source.text(method, 'paramStructure') === 'by-position';
  const place = source.at(method, 'params') ?? method;
  const result = source.at(method, 'result');
  return {
    name,
    request: requestOf(builder, name, place, parameters, isByPosition),
    replies: [
      replyOf(source, builder, name, method, result),
      ...partsOf(source, method, 'errors').flatMap((one) => readError(source, builder, name, one)),
    ],
    examples: partsOf(source, method, 'examples').flatMap((one) =>
      readExample(source, one, parameters, { isByPosition, isNotification: result === undefined }),
    ),
    start: method.node.start,
    end: method.node.end,
  };
}

/** The items of a list, with their references followed. */
function partsOf(source: Source, method: Placed, name: string): Placed[] {
  const list = source.at(method, name);
  const items = source.items(list);
  if (list !== undefined && list.node.items === undefined)
    source.fault('error', list, kindOf(list.node.value), 'a list');
  if (list !== undefined && items.length > MAX_PARTS)
    source.fault('error', list, `${items.length} of them`, `at most ${MAX_PARTS}`);
  return items.slice(0, MAX_PARTS).flatMap((one) => source.resolved(one) ?? []);
}

function readParameter(source: Source, given: Placed): Parameter[] {
  const name = source.text(given, 'name');
  if (name === '') {
    source.fault('error', given, 'a parameter without a name', 'a name');
    return [];
  }
  const schema = source.at(given, 'schema');
  if (schema === undefined)
    source.fault('warning', given, `no schema of parameter ${quoteText(name)}`, 'a JSON Schema');
  return [{ name, schema, required: source.at(given, 'required')?.node.value === true }];
}

function requestOf(
  builder: SchemaBuilder,
  heading: string,
  place: Placed,
  parameters: readonly Parameter[],
  isByPosition: boolean,
): LocatedSchema {
  const parts = parameters.map(({ name, schema }, index) => ({
    at: isByPosition ? `/prefixItems/${index}` : `/properties/${escapeToken(name)}`,
    schema,
  }));
  return builder.schemaOf({ direction: 'request', heading, place, parts }, (schemas) =>
    isByPosition
      ? {
          type: 'array',
          ...(schemas.length === 0 ? {} : { prefixItems: [...schemas] }),
          minItems: parameters.findLastIndex(({ required }) => required) + 1,
          maxItems: parameters.length,
        }
      : objectOf(parameters.map((one, index) => ({ ...one, schema: schemas[index] ?? true }))),
  );
}

function replyOf(
  source: Source,
  builder: SchemaBuilder,
  heading: string,
  method: Placed,
  result: Placed | undefined,
): LocatedSchema {
  // A method without a result is a notification, which gets no reply.
  if (result === undefined)
    return builder.schemaOf({ direction: 'response', heading, place: method, parts: [] }, () => NOTHING);
  const resolved = source.resolved(result);
  const descriptor = resolved ?? result;
  const schema = source.at(resolved, 'schema');
  if (resolved !== undefined && schema === undefined)
    source.fault('warning', descriptor, 'no schema of the result', 'a JSON Schema');
  return builder.schemaOf(
    { direction: 'response', heading, place: schema ?? descriptor, parts: [{ at: '', schema }] },
    ([whole]) => whole ?? true,
  );
}

function readError(source: Source, builder: SchemaBuilder, heading: string, given: Placed): LocatedSchema[] {
  const code = source.at(given, 'code')?.node.value;
  if (!Number.isInteger(code)) {
    source.fault('error', given, `${kindOf(code)} as the code of an error`, 'a whole number');
    return [];
  }
  const data = source.at(given, 'data')?.node.value;
  const parts = { direction: 'response', heading, place: given, parts: [] } as const;
  return [
    builder.schemaOf(parts, () =>
      errorReply(
        { const: code as Json },
        source.text(given, 'message'),
        data === undefined ? true : { examples: [data] },
        false,
      ),
    ),
  ];
}

function readExample(
  source: Source,
  given: Placed,
  parameters: readonly Parameter[],
  { isByPosition, isNotification }: { isByPosition: boolean; isNotification: boolean },
): MethodExample[] {
  const values = source.items(source.at(given, 'params')).flatMap((one) => {
    const value = exampleValue(source, one);
    return value === undefined ? [] : [{ ...value, place: one }];
  });
  const result = source.at(given, 'result');
  const response = result === undefined ? undefined : exampleValue(source, result)?.value;
  if (response === undefined && !isNotification) return [];
  const surplus = values[parameters.length];
  if (surplus !== undefined) {
    source.fault('warning', surplus.place, 'an example of no parameter', `at most ${parameters.length} values`);
    return [];
  }
  const [name, summary] = [
    source.text(given, 'name'),
    source.text(given, 'summary') || source.text(given, 'description'),
  ];
  const request = isByPosition ? values.map(({ value }) => value) : byName(values, parameters);
  return [{ request, response: response ?? null, expected: summary || name }];
}

/** The value of an example; `undefined` if it has none in the description itself. */
function exampleValue(source: Source, given: Placed): { name: string; value: Json } | undefined {
  const example = source.resolved(given);
  const value = source.at(example, 'value')?.node.value;
  return value === undefined ? undefined : { name: source.text(example, 'name'), value };
}

/** Examples may have any names, so they are matched by name only if all are names of parameters, and else by order. */
function byName(values: readonly { name: string; value: Json }[], parameters: readonly Parameter[]): Json {
  const names = new Set(parameters.map(({ name }) => name));
  const areNamed =
    new Set(values.map(({ name }) => name)).size === values.length && values.every(({ name }) => names.has(name));
  return Object.fromEntries(
    values.map(({ name, value }, index): [string, Json] => [
      areNamed ? name : (parameters[index]?.name ?? name),
      value,
    ]),
  );
}
