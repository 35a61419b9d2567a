import { createHash } from 'node:crypto';
import { bundleHandler, type Sandbox } from '../../../sandbox/index.ts';
import { exportNameOf, type HandlerRecord } from '../../contract/handler.ts';
import type { Tool } from '../../contract/job.ts';
import {
  defaultToolTimeoutMs,
  type Embedder,
  type HandlerResult,
  hostHandler,
  isToolName,
} from '../../hosting/load-handler.ts';
import { Surface } from '../../hosting/surface.ts';
import { ToolScript } from '../../hosting/tool-script.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { defaultTrialNowMs } from '../../verification/subject.ts';
import { UnreadableInput } from '../shell/read-input.ts';

/**
 * Runs one request through a TypeScript module whose tools answer from their examples. The result depends on these
 * alone. Throws `UnreadableInput` for invalid tools, and `PLATFORM_SANDBOX_…`.
 */
export async function runSource(
  source: string,
  input: Json,
  tools: readonly Tool[],
  sandbox: Sandbox,
): Promise<HandlerResult> {
  const provider = await bundleHandler(source, 'handle');
  const isRequester = !provider.ok && provider.faults[0]?.missingExport === true;
  const requester = isRequester ? await bundleHandler(source, 'perform') : undefined;
  const bundled = requester?.ok ? requester : provider;
  if (!bundled.ok) {
    const [fault] = bundled.faults;
    const where = fault?.line === undefined ? '' : `line ${fault.line}: `;
    return refusal(`${where}${fault?.message ?? 'the module cannot be bundled'}`);
  }
  const role = bundled === requester ? 'requester' : 'provider';
  const { surface, embedder } = toolsOf(role, tools);
  const loaded = await sandbox.load(bundled.bundle, exportNameOf(role));
  const handler = hostHandler(loaded, surface, {
    sendTimeoutMs: defaultToolTimeoutMs,
    toolTimeoutMs: defaultToolTimeoutMs,
    trial: { seed: seedOf(source, input), nowMs: defaultTrialNowMs },
  });
  try {
    return await handler.run(input, embedder);
  } finally {
    await handler.close();
  }
}

/** Hashed as written, because canonical JSON cannot contain lone surrogates. */
function seedOf(source: string, input: Json): string {
  return createHash('sha256')
    .update(JSON.stringify([source, input]))
    .digest('hex');
}

/** The answer when nothing was run. */
export function refusal(message: string): HandlerResult {
  return { end: 'refused', message, logs: [], calls: [], durationMs: 0 };
}

/** Reads tools in the form of a job. Throws `UnreadableInput` if they are invalid. */
export function readTools(value: Json): Tool[] {
  if (!Array.isArray(value)) throw new UnreadableInput('Cannot read tools: no array, wanted one of tools as in a job');
  for (const [index, tool] of value.entries()) {
    const found = !isObject(tool)
      ? 'no object'
      : !isToolName(tool.name)
        ? 'a name other than letters, digits and "_", or one that every object has'
        : (tool.examples ?? null) !== null && !(Array.isArray(tool.examples) && tool.examples.every(isExample))
          ? 'examples that are not an array of {input, output} or {input, error}'
          : (tool.otherwise ?? null) !== null && !isAnswer(tool.otherwise ?? null)
            ? 'an "otherwise" that is neither {output} nor {error}'
            : undefined;
    if (found) throw new UnreadableInput(`Cannot read tool ${index + 1}: ${found}, wanted a tool as in a job`);
  }
  return value as unknown as Tool[];
}

function isExample(value: Json): boolean {
  return isAnswer(value) && isObject(value) && value.input !== undefined;
}

function isAnswer(value: Json): boolean {
  return isObject(value) && (value.output !== undefined || value.error !== undefined);
}

function toolsOf(role: HandlerRecord['role'], tools: readonly Tool[]): { surface: Surface; embedder: Embedder } {
  try {
    const toolSchemas = schemasOf(tools);
    const surface = new Surface({ role, requestSchema: null, responseSchema: null, toolSchemas });
    return { surface, embedder: fromExamples(tools, surface) };
  } catch (error) {
    // Intake and preflight would refuse these in a job, but they did not run here.
    throw new UnreadableInput(`Cannot read tools: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Answers a handler's calls from the examples of its tools. */
export function fromExamples(tools: readonly Tool[], surface: Surface): Embedder {
  const script = new ToolScript(tools, surface);
  return {
    async call(tool, input) {
      const answer = script.answer(tool, input);
      if ('error' in answer) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
      return JSON.parse(answer.output) as Json;
    },
  };
}

/** The schemas of tools by name. */
export function schemasOf(tools: readonly Tool[]): HandlerRecord['toolSchemas'] {
  return Object.fromEntries(
    tools.map(({ name, inputSchema, outputSchema, annotations }) => [
      name,
      {
        ...(inputSchema === undefined ? {} : { inputSchema }),
        ...(outputSchema === undefined ? {} : { outputSchema }),
        readOnly: annotations?.readOnlyHint === true,
      },
    ]),
  );
}
