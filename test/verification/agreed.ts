import type { Sandbox } from '../../sandbox/index.ts';
import { measureOf, tryCandidate } from '../../scripts/try-candidate.ts';
import type { Json } from '../../src/kernel/json.ts';

/** An agreement in short: its rules in prose, its schemas, its cases, and what our agent brings along. */
export interface Agreed {
  rules: string;
  /** Absent where messages are texts. */
  request?: Json;
  response?: Json;
  cases: [request: Json, response: Json, expected?: string][];
  tools?: Json[];
  loose?: Json[];
  /** Of a requester. */
  task?: Json;
}

/** What a handler of an agreement is refused for. */
export async function refusalsOf(agreed: Agreed, handler: string, sandbox: Sandbox) {
  return (await judged(agreed, handler, sandbox)).refusedFor;
}

/** What a handler of an agreement is warned of, each with the name of its check. */
export async function warningsOf(agreed: Agreed, handler: string, sandbox: Sandbox) {
  const { verification } = await judged(agreed, handler, sandbox);
  return (verification?.warnings ?? []).map(({ check, message }) => `${check}: ${message}`);
}

/** What handlers of an agreement are judged against. */
export function subjectOf(agreed: Agreed) {
  return orderOf(agreed).subject;
}

function judged(agreed: Agreed, handler: string, sandbox: Sandbox) {
  return tryCandidate(orderOf(agreed), handler, sandbox);
}

/** What handlers of an agreement are held to. */
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

/** The schema of an object whose members must all be there, but for some. */
export function object(properties: Record<string, Json>, optional: readonly string[] = []): Json {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

/** A tool that only reads. */
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

/** A tool that acts, or does not say that it only reads. */
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
