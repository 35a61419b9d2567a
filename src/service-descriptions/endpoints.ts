import { escapeToken, isObject, type Json } from '../kernel/json.ts';
import { quoteText } from '../kernel/quote.ts';
import type { DescribedMethod } from './described-method.ts';
import { objectOf, SchemaBuilder } from './schema-builder.ts';
import type { Placed, Source } from './source.ts';

/** Most parameters of one endpoint. */
const MAX_PARAMETERS = 64;

/**
 * Reads the endpoints of an `interface` in the form of the examples of Agent Description: a parameter is a schema that
 * also has `name` and `required`. An interface for natural language is an error.
 */
export function readEndpoints(source: Source, isWanted: (name: string) => boolean): DescribedMethod[] {
  const described = source.at(source.root, 'interface');
  const type = source.at(described, 'type');
  if (type?.node.value === 'NaturalLanguage')
    source.fault('error', type, 'an interface for natural language', 'one with a form that code can keep');
  const builder = new SchemaBuilder(source);
  return source.items(source.at(described, 'endpoints')).flatMap((endpoint) => {
    const name = source.text(endpoint, 'name');
    if (name === '') {
      source.fault('error', endpoint, 'an endpoint without a name', 'a name');
      return [];
    }
    return isWanted(name) ? [readEndpoint(source, builder, endpoint, name)] : [];
  });
}

function readEndpoint(source: Source, builder: SchemaBuilder, endpoint: Placed, name: string): DescribedMethod {
  const list = source.at(endpoint, 'parameters');
  const parameters = source.items(list);
  if (list !== undefined && parameters.length > MAX_PARAMETERS)
    source.fault('error', list, `${parameters.length} parameters`, `at most ${MAX_PARAMETERS}`);
  const members = parameters.slice(0, MAX_PARAMETERS).flatMap((schema) => {
    const called = source.text(schema, 'name');
    if (called === '') source.fault('error', schema, `a parameter of ${quoteText(name)} without a name`, 'a name');
    const required = source.at(schema, 'required')?.node.value === true;
    return called === '' ? [] : [{ name: called, required, schema, at: `/properties/${escapeToken(called)}` }];
  });
  const response = source.at(endpoint, 'response');
  const about = { heading: name, place: list ?? endpoint } as const;
  return {
    name,
    request: builder.schemaOf({ ...about, direction: 'request', parts: members }, (schemas) =>
      objectOf(members.map((member, index) => ({ ...member, schema: withoutName(schemas[index] ?? true) }))),
    ),
    replies:
      response === undefined
        ? []
        : [
            builder.schemaOf(
              { ...about, direction: 'response', place: response, parts: [{ at: '', schema: response }] },
              ([schema]) => schema ?? true,
            ),
          ],
    examples: [],
    start: endpoint.node.start,
    end: endpoint.node.end,
  };
}

/** A parameter as a schema: without its name, and without a `required` that concerns the parameter itself. */
function withoutName(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { name: _, required, ...rest } = schema;
  return typeof required === 'boolean' || required === undefined ? rest : { ...rest, required };
}
