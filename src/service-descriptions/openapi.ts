import type { LocatedSchema } from '../contract/agreement.ts';
import type { Json } from '../kernel/json.ts';
import { quoteText } from '../kernel/quote.ts';
import type { DescribedMethod } from './described-method.ts';
import { examplesOf } from './openapi-examples.ts';
import { readReplies } from './openapi-replies.ts';
import { readRequest } from './openapi-request.ts';
import { SchemaBuilder } from './schema-builder.ts';
import { kindOf, type Placed, type Source } from './source.ts';

/** The members of a path item that are operations. */
const HTTP_METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const;

/**
 * Reads the wanted operations of an OpenAPI document (3.0, 3.1 or newer). The name of an operation is its
 * `operationId`, else its HTTP method and path, as in `GET /rooms`. Webhooks and callbacks are left out.
 */
export function readOpenApi(source: Source, isWanted: (name: string) => boolean): DescribedMethod[] {
  const builder = new SchemaBuilder(source, true);
  const paths = source.at(source.root, 'paths');
  if (paths !== undefined && paths.node.members === undefined)
    source.fault('error', paths, kindOf(paths.node.value), 'an object of paths');
  return source.members(paths).flatMap(({ name: path, member }) => {
    const item = source.resolved(member);
    if (item === undefined || path.startsWith('x-')) return [];
    return HTTP_METHODS.flatMap((method) => {
      const operation = source.at(item, method);
      if (operation === undefined) return [];
      if (operation.node.members === undefined) {
        source.fault('error', operation, kindOf(operation.node.value), 'an operation');
        return [];
      }
      const name = source.text(operation, 'operationId') || `${method.toUpperCase()} ${path}`;
      return isWanted(name) ? [readOperation(source, builder, { item, operation, path, name })] : [];
    });
  });
}

function readOperation(
  source: Source,
  builder: SchemaBuilder,
  { item, operation, path, name }: { item: Placed; operation: Placed; path: string; name: string },
): DescribedMethod {
  const request = readRequest(source, { item, operation, path });
  const replies = readReplies(source, operation);
  const parts = request.parts.map(({ at, schema }) => ({ at, schema }));
  const place = request.place ?? operation;
  const asked: LocatedSchema = builder.schemaOf(
    { direction: 'request', heading: name, place, parts },
    (schemas): Json => request.build(schemas),
  );
  const answered = replies.map(({ place: where, data, at, build }) =>
    builder.schemaOf(
      { direction: 'response', heading: name, place: where, parts: data === null ? [] : [{ at, schema: data }] },
      ([schema]) => build(schema),
    ),
  );
  if (answered.length === 0)
    source.fault('warning', operation, `no response of ${quoteText(name)}`, 'one that says what answers the request');
  const { start, end } = operation.node;
  return { name, request: asked, replies: answered, examples: examplesOf(request, replies), start, end };
}
