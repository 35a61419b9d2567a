import type { Json } from '../kernel/json.ts';
import { quoteText } from '../kernel/quote.ts';
import type { DescribedMethod } from './described-method.ts';
import { objectOf, SchemaBuilder } from './schema-builder.ts';
import type { Source } from './source.ts';

/**
 * Reads the wanted tools of an MCP `tools/list` result. The request is the arguments of a call. If the tool has an
 * `outputSchema`, the reply is the structured content, or a failed result; if not, the whole result of `tools/call`.
 */
export function readMcpTools(source: Source, isWanted: (name: string) => boolean): DescribedMethod[] {
  const cursor = source.at(source.root, 'nextCursor');
  if (typeof cursor?.node.value === 'string')
    source.fault('warning', cursor, 'only a part of the tools', 'all of them, without nextCursor');
  const builder = new SchemaBuilder(source);
  return source.items(source.at(source.root, 'tools')).flatMap((tool) => {
    const name = source.text(tool, 'name');
    if (name === '') {
      source.fault('error', tool, 'a tool without a name', 'a name');
      return [];
    }
    if (!isWanted(name)) return [];
    const [input, output] = [source.at(tool, 'inputSchema'), source.at(tool, 'outputSchema')];
    if (input === undefined) source.fault('error', tool, `no inputSchema of ${quoteText(name)}`, 'a JSON Schema');
    const request = {
      direction: 'request',
      heading: name,
      place: input ?? tool,
      parts: [{ at: '', schema: input }],
    } as const;
    const reply = { direction: 'response', heading: name, place: output ?? tool } as const;
    const result = (schema: Json) => builder.schemaOf({ ...reply, place: tool, parts: [] }, () => schema);
    return [
      {
        name,
        request: builder.schemaOf(request, ([schema]) => schema ?? true),
        replies:
          output === undefined
            ? [result(RESULT)]
            : [
                builder.schemaOf({ ...reply, parts: [{ at: '', schema: output }] }, ([schema]) => schema ?? true),
                result(FAILURE),
              ],
        examples: [],
        start: tool.node.start,
        end: tool.node.end,
      },
    ];
  });
}

const CONTENT: Json = {
  type: 'array',
  items: objectOf([{ name: 'type', schema: { type: 'string' }, required: true }]),
};

/** The result of `tools/call`. */
const RESULT: Json = objectOf([
  { name: 'content', schema: CONTENT, required: true },
  { name: 'isError', schema: { type: 'boolean' }, required: false },
]);

/** A result of `tools/call` that reports a failure of the tool, in words. */
const FAILURE: Json = objectOf([
  { name: 'content', schema: CONTENT, required: true },
  { name: 'isError', schema: { const: true }, required: true },
]);
