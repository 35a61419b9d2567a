import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { CompletionError } from '../../src/completion/completion-error.ts';
import type { Learnt } from '../../src/completion/dialect.ts';
import { createOpenAiCompleter } from '../../src/completion/openai-completer.ts';
import type { OpenAiOptions } from '../../src/completion/openai-options.ts';
import type { CompleteOptions, Completion, Prompt } from '../../src/contract/completion.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import type { JsonObject } from '../../src/kernel/json.ts';

/** Far above anything that is waited for here. */
const hangMs = 20_000;

export const eventStream = { 'content-type': 'text/event-stream' };
export const moduleSource = 'export const handle = () => ({ ok: true });';
export const answer = `Here it is.\n\n\`\`\`ts\n${moduleSource}\n\`\`\`\n`;
export const prompt: Prompt = {
  system: 'You write handlers for agreements between software agents.',
  turns: [{ role: 'user', text: 'Write the handler for a shop that sells a very secret product.' }],
};

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A request as a server got it. */
export interface Got {
  url: string;
  body: JsonObject;
}

/** A server that answers each question so, and what it was asked. */
export async function serverThat(answers: (response: ServerResponse, body: JsonObject, got: Got) => void) {
  const got: Got[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const one = { url: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString() || '{}') as JsonObject };
    got.push(one);
    answers(response, one.body, one);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, got };
}

export const event = (value: unknown): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;

/** Some pieces of an answer and its end, as events. */
export function events(...pieces: (string | object)[]): string {
  const deltas = pieces.map((piece) =>
    event({ choices: [{ delta: typeof piece === 'string' ? { content: piece } : piece }] }),
  );
  return `${deltas.join('')}${event({ choices: [{ delta: {}, finish_reason: 'stop' }] })}${event('[DONE]')}`;
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** What came of a question, and what was learnt over it. */
export async function asking(baseUrl: string, more: Partial<OpenAiOptions> & { question?: CompleteOptions } = {}) {
  const learnt: Learnt[] = [];
  const { question, ...options } = more;
  const completer = createOpenAiCompleter({
    model: 'm',
    generator: 'live',
    baseUrl,
    adapted: (told) => void learnt.push(told.learnt),
    ...options,
  });
  const deadline = new Deadline(Date.now() + hangMs, AbortSignal.timeout(hangMs));
  const outcome = await completer.complete(prompt, deadline, question).catch((error: unknown) => {
    assert.ok(error instanceof CompletionError, String(error));
    assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /very secret product/);
    return error;
  });
  return { outcome, learnt };
}

/** The text of an answer, or the code of a fault. */
export function toldBy(outcome: Completion | CompletionError): string {
  return outcome instanceof CompletionError ? outcome.code : outcome.text;
}

/** The base URL of a port where nobody listens any more. */
export async function nobodyThere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}
