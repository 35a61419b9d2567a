import { canonicalDigest } from '../kernel/digest.ts';
import { isObject } from '../kernel/json.ts';
import { HANDLER_ABI, type HandlerRecord } from './handler.ts';

/**
 * Whether a value can be the name of a tool in a job. Other names could be taken for something else later, such as a
 * send.
 */
export function isToolName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z]\w{0,63}$/.test(name) && !(name in Object.prototype);
}

/**
 * What is wrong with a handler record: its ABI, bundle, tools or digest; `undefined` if nothing is. Runs nothing of it.
 */
export function recordFault(record: HandlerRecord): string | undefined {
  if (!isObject(record)) return 'no object, wanted the record of a handler';
  if (record.abi !== HANDLER_ABI) return `abi ${record.abi}, wanted ${HANDLER_ABI}`;
  if (typeof record.bundle !== 'string') return 'a bundle that is not text, wanted the code as text';
  if (!Array.isArray(record.tools) || !record.tools.every(isToolName))
    return 'tools that are not a list of names, wanted an array of names as in a job';
  if (!isObject(record.toolSchemas)) return 'no tool schemas, wanted them by the name of the tool';
  if (record.role !== 'provider' && record.role !== 'requester') return 'an unknown role, wanted provider or requester';
  const digest = handlerDigest(record);
  return digest === record.digest ? undefined : `content with digest ${digest}, wanted ${record.digest}`;
}

/** The digest of a handler: SHA-256 of the canonical JSON of `{abi, role, bundle, tools}`. */
export function handlerDigest({
  abi,
  role,
  bundle,
  tools,
}: Pick<HandlerRecord, 'abi' | 'role' | 'bundle' | 'tools'>): string {
  return canonicalDigest({ abi, role, bundle, tools });
}
