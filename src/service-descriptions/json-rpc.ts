import type { Json } from '../kernel/json.ts';
import type { DescribedMethod } from './described-method.ts';
import type { Placed, Source } from './source.ts';

/**
 * Reads exchanges of JSON-RPC 2.0 that show how methods are called: `{ request, response }`, or a list of them. Each
 * is an example of its method; there are no schemas.
 */
export function readJsonRpc(source: Source, isWanted: (name: string) => boolean): DescribedMethod[] {
  const exchanges = source.root.node.items === undefined ? [source.root] : source.items(source.root);
  const methods = new Map<string, DescribedMethod & { examples: DescribedMethod['examples'][number][] }>();
  for (const exchange of exchanges) {
    const request = source.at(exchange, 'request');
    const name = source.text(request, 'method');
    if (name === '') source.fault('error', exchange, 'a request without a method', 'a request of JSON-RPC 2.0');
    if (name === '' || (!methods.has(name) && !isWanted(name))) continue;
    const { start, end } = exchange.node;
    const method = methods.get(name) ?? { name, request: null, replies: [], examples: [], start, end };
    methods.set(name, method);
    const response = replyIn(source, source.at(exchange, 'response'));
    if (response !== undefined)
      method.examples.push({ request: source.at(request, 'params')?.node.value ?? {}, response, expected: '' });
  }
  return [...methods.values()];
}

/** The reply in a response: its result, or `{ error }`; `undefined` if it has neither. */
function replyIn(source: Source, response: Placed | undefined): Json | undefined {
  const error = source.at(response, 'error')?.node.value;
  return error === undefined || error === null ? source.at(response, 'result')?.node.value : { error };
}
