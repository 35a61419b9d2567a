import { isObject, type Json, type JsonObject } from '../kernel/json.ts';

/**
 * The formats of service descriptions: OpenRPC 1.x, OpenAPI 3.0, OpenAPI 3.1 and newer, an exchange of JSON-RPC 2.0 as
 * an example, the `interface` with `endpoints` of Agent Description's examples, and the result of MCP's `tools/list`.
 */
export type DescriptionFormat = 'openrpc' | 'openapi-3.0' | 'openapi-3.1' | 'json-rpc' | 'endpoints' | 'mcp-tools';

/** The format of a value that is a service description; `undefined` if it is not one. */
export function descriptionFormatOf(given: Json): DescriptionFormat | undefined {
  const value = withoutEnvelope(given);
  if (Array.isArray(value)) return value.length > 0 && value.every(isExchange) ? 'json-rpc' : undefined;
  if (!isObject(value)) return undefined;
  if (typeof value.openrpc === 'string') return 'openrpc';
  if (typeof value.openapi === 'string' && /^3\.\d/.test(value.openapi))
    return value.openapi.startsWith('3.0') ? 'openapi-3.0' : 'openapi-3.1';
  if (isToolList(value)) return 'mcp-tools';
  if (isObject(value.interface) && Array.isArray(value.interface.endpoints)) return 'endpoints';
  return isExchange(value) ? 'json-rpc' : undefined;
}

/** Whether a value is a JSON-RPC response with a result, as `tools/list` and `rpc.discover` are answered. */
export function isEnvelope(value: Json): boolean {
  return isObject(value) && value.jsonrpc === '2.0' && isObject(value.result);
}

function withoutEnvelope(value: Json): Json {
  return isEnvelope(value) && isObject(value) ? (value.result ?? null) : value;
}

/** Members of a list of tools; other objects with tools, such as a job, are something else. */
const LIST_MEMBERS = /^(?:tools|nextCursor|name|title|description|\$schema|_.*|x-.*)$/;

function isToolList(value: JsonObject): boolean {
  const { tools } = value;
  if (!Array.isArray(tools) || tools.length === 0 || !tools.every(isTool)) return false;
  return Object.keys(value).every((name) => LIST_MEMBERS.test(name));
}

function isTool(tool: Json): boolean {
  return isObject(tool) && typeof tool.name === 'string' && isObject(tool.inputSchema);
}

function isExchange(value: Json): boolean {
  return isObject(value) && isObject(value.request) && value.request.jsonrpc === '2.0' && isObject(value.response);
}
