import assert from 'node:assert/strict';
import { bundleHandler } from '../../sandbox/index.ts';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { Role } from '../../src/contract/job.ts';
import { handlerDigest } from '../../src/hosting/load-handler.ts';

const word = {
  type: 'object',
  properties: { word: { type: 'string' } },
  required: ['word'],
  additionalProperties: false,
};

/** A record of a handler whose request, response and tool data are all `{word: string}`. */
export async function wordHandler(
  source: string,
  role: Role = 'provider',
  more: { timeoutMs?: number } = {},
): Promise<HandlerRecord> {
  const bundled = await bundleHandler(source, role === 'provider' ? 'handle' : 'perform');
  assert.ok(bundled.ok);
  const content = { abi: 1, role, bundle: bundled.bundle, tools: ['echo'] };
  return {
    amendments: [],
    source,
    types: '',
    payload: 'json',
    requestSchema: word,
    responseSchema: word,
    taskInputSchema: word,
    taskOutputSchema: word,
    toolSchemas: { echo: { inputSchema: word, outputSchema: word, readOnly: true }, other: { readOnly: true } },
    timeoutMs: more.timeoutMs ?? null,
    provenance: {} as HandlerRecord['provenance'],
    proof: { cases: [], tools: [], loose: [] },
    ...content,
    digest: handlerDigest(content),
  };
}
