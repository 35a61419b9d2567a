import type { Sandbox } from '../../sandbox/index.ts';
import { measureOf, tryCandidate } from '../../scripts/try-candidate.ts';
import type { Json } from '../../src/kernel/json.ts';

/** An agreement in short form: its rules in prose, its schemas, its cases, and our agent's tools and task. */
export interface Agreed {
  rules: string;
  /** Absent if messages are texts. */
  request?: Json;
  response?: Json;
  cases: [request: Json, response: Json, expected?: string][];
  tools?: Json[];
  loose?: Json[];
  /** A requester's task. */
  task?: Json;
}

/** The rules that refuse a handler of an agreement. */
export async function refusalsOf(agreed: Agreed, handler: string, sandbox: Sandbox) {
  return (await judged(agreed, handler, sandbox)).refusedFor;
}

/** The warnings for a handler of an agreement, each with its check's name. */
export async function warningsOf(agreed: Agreed, handler: string, sandbox: Sandbox) {
  const { verification } = await judged(agreed, handler, sandbox);
  return (verification?.warnings ?? []).map(({ check, message }) => `${check}: ${message}`);
}

/** The subject by which handlers of an agreement are judged. */
export function subjectOf(agreed: Agreed) {
  return orderOf(agreed).subject;
}

function judged(agreed: Agreed, handler: string, sandbox: Sandbox) {
  return tryCandidate(orderOf(agreed), handler, sandbox);
}

/** What handlers of an agreement are measured by, as `measureOf` returns it. */
export function orderOf({ rules, request: asked, response: answered, cases, tools = [], loose = [], task }: Agreed) {
  const schemas =
    asked === undefined
      ? ''
      : `# Data Format Description\n\n## Request Message\n${JSON.stringify(asked, null, 2)}\n\n## Response Message\n${JSON.stringify(answered)}\n`;
  const candidateProtocols = `# Requirements\nA service\n\n# Process Description\n${rules}\n\n${schemas}`;
  return measureOf({
    version: 1,
    negotiationId: 'honest',
    family: 'anp',
    role: task === undefined ? 'provider' : 'requester',
    ...(task === undefined ? {} : { task }),
    ...(asked === undefined ? { payload: 'text' } : {}),
    agreement: {
      action: 'protocolNegotiation',
      sequenceId: 1,
      candidateProtocols,
      modificationSummary: '',
      status: 'accepted',
    },
    ...(cases.length === 0
      ? {}
      : { testCases: cases.map(([request, response, expected = '']) => ({ request, response, expected })) }),
    tools,
    ...(loose.length > 0 ? { loose } : {}),
  });
}

/** The schema of any text. */
export const text = { type: 'string' };
/** The schema of any number. */
export const number = { type: 'number' };
/** The schema of any integer. */
export const integer = { type: 'integer' };

/** The schema of an object with all members required, except for some. */
export function object(properties: Record<string, Json>, optional: readonly string[] = []): Json {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

/** A read-only tool. */
export function reading(
  name: string,
  inputSchema: Json,
  outputSchema: Json,
  examples: [Json, Json][],
  otherwise?: Json,
): Json {
  return {
    name,
    description: name,
    inputSchema,
    outputSchema,
    annotations: { readOnlyHint: true },
    examples: examples.map(([input, output]) => ({ input, output })),
    ...(otherwise === undefined ? {} : { otherwise: { output: otherwise } }),
  };
}

/** A tool that is not declared read-only. */
export function acting(
  name: string,
  inputSchema: Json,
  outputSchema: Json,
  examples: [Json, Json][],
  otherwise?: Json,
): Json {
  const { annotations, ...tool } = reading(name, inputSchema, outputSchema, examples, otherwise) as Record<
    string,
    Json
  >;
  return tool;
}
