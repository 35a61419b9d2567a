import { HANDLER_ABI } from '../contract/handler.ts';
import type { Cleared } from '../job/requirements.ts';
import { canonicalDigest, sha256Hex } from '../kernel/digest.ts';
import type { JsonObject } from '../kernel/json.ts';

/**
 * The look-up key of a handler. One handler can serve two jobs that share tenant, family, agreement, base protocols,
 * role, payload, task, tools, amendments and ABI. Cases and examples are not part of the key: a handler that is found
 * is verified against those of the job.
 */
export function handlerKey({ job, agreement, amendments }: Cleared): string {
  const bases = Object.entries(job.baseProtocols).map(([uri, { content }]) => [uri, sha256Hex(content)]);
  const tools = job.tools.map(({ name, description, inputSchema, outputSchema, annotations }) => ({
    name,
    description: description ?? null,
    inputSchema: inputSchema ?? null,
    outputSchema: outputSchema ?? null,
    readOnly: annotations?.readOnlyHint === true,
  }));
  const task: JsonObject | null =
    job.task === undefined
      ? null
      : {
          description: job.task.description,
          inputSchema: job.task.inputSchema ?? null,
          outputSchema: job.task.outputSchema ?? null,
        };
  return canonicalDigest({
    tenant: job.tenant,
    family: job.family,
    protocolHash: agreement.protocolHash,
    bases: bases.sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
    role: job.role,
    payload: agreement.payload,
    task,
    tools: tools.sort((one, other) => (one.name < other.name ? -1 : 1)),
    amendments: amendments as unknown as JsonObject[],
    abi: HANDLER_ABI,
  });
}
