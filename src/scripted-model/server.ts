import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { estimateTokens } from '../completion/prices.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { type Purpose, purposeOf } from './purpose.ts';
import { matchingScripts, type Script } from './script.ts';

/** A question as the server received it. */
export interface Question {
  /** From 1, in the order of arrival. */
  nth: number;
  body: JsonObject;
  /** All messages but the system prompt, joined. */
  prompt: string;
  system: string;
  /** Its purpose, taken from the system prompt. */
  to: Purpose;
  headers: IncomingMessage['headers'];
  /** Fires when the client hangs up before the answer is sent. */
  hungUp: AbortSignal;
}

/** How to answer one question. */
export type Behaviour =
  /** With the matching script. A reading without one gets an empty answer. */
  | { kind: 'script' }
  /** With a text, streamed. */
  | ({ kind: 'reply'; text: string } & StreamOptions)
  /** With a text that is not streamed. */
  | { kind: 'whole'; text: string }
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: Json }
  /** With an HTML page and status 200. */
  | { kind: 'html' }
  /** With a reset connection, after the text if there is one. */
  | { kind: 'reset'; text?: string }
  /** With silence: after the text, after the headers if the text is empty, or before the headers if there is none. */
  | { kind: 'stall'; text?: string }
  /** With a stream that ends too early, but closes properly. */
  | { kind: 'cut'; text: string }
  /** With a stream without text. */
  | { kind: 'empty' };

/** How a text is streamed. */
export interface StreamOptions {
  /** UTF-16 code units per event. */
  pieceCharacters?: number;
  /** Pause before each event, in milliseconds. */
  pauseMs?: number;
  /** `null` = the stream has no finish reason. */
  finishReason?: string | null;
  /** Whether `[DONE]` ends the stream. */
  done?: boolean;
  cachedTokens?: number;
  /** The text waits until this resolves. */
  after?: Promise<void>;
}

/** How the server answers. */
export interface ScriptedModelOptions {
  scripts?: readonly Script[];
  /** Decides how to answer a question; default: with the matching script. */
  behave?: (question: Question) => Behaviour;
  /** Request parameters that are refused with status 400, as some servers do. */
  refuses?: readonly ('stream_options' | 'response_format' | 'max_tokens' | 'max_completion_tokens')[];
  /** How scripts are streamed. */
  stream?: StreamOptions;
}

/** A running local model server. */
export interface ScriptedModel {
  /** The value for `OPENAI_BASE_URL`. */
  readonly baseUrl: string;
  /** Every question so far. */
  readonly questions: readonly Question[];
  close(): Promise<void>;
}

/** The answer to a reader if no script matches its agreement. */
const EMPTY_READING = '{"none":"unscripted"}';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Starts an OpenAI-compatible server (Chat Completions) on a free loopback port. It answers from scripts, chosen by the
 * content of the prompt and never by order. A prompt without a script gets status 404 with the error code `no_script`;
 * a reader gets an empty reading.
 */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const questions: Question[] = [];
  const closing = new AbortController();
  const server = createServer((request, response) => {
    serve(request, response, options, questions, closing.signal).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    questions,
    close: () => {
      closing.abort();
      return closed(server);
    },
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  options: ScriptedModelOptions,
  questions: Question[],
  closing: AbortSignal,
): Promise<void> {
  if (request.method === 'GET' && request.url === '/v1/models') {
    return json(response, 200, { object: 'list', data: [{ id: 'scripted', object: 'model' }] });
  }
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    return fail(
      response,
      404,
      'not_found',
      `Cannot serve ${request.method} ${request.url}: unknown, wanted POST /v1/chat/completions`,
    );
  }
  const body = await readBody(request);
  if (body === null) return fail(response, 400, 'invalid_json', 'Cannot read body: no JSON object, wanted one');
  const refused = options.refuses?.find((member) => Object.hasOwn(body, member));
  if (refused !== undefined) {
    return json(response, 400, {
      error: {
        message: `Unsupported parameter: '${refused}' is not supported with this model.`,
        code: 'unsupported_parameter',
        param: refused,
      },
    });
  }
  const hangUp = new AbortController();
  response.once('close', () => hangUp.abort());
  const texts = textsOf(body);
  const question: Question = {
    nth: questions.length + 1,
    body,
    ...texts,
    to: purposeOf(texts.system),
    headers: request.headers,
    hungUp: hangUp.signal,
  };
  questions.push(question);
  await behave(response, question, options, AbortSignal.any([hangUp.signal, closing]));
}

async function behave(
  response: ServerResponse,
  question: Question,
  options: ScriptedModelOptions,
  stop: AbortSignal,
): Promise<void> {
  const behaviour = options.behave?.(question) ?? { kind: 'script' };
  switch (behaviour.kind) {
    case 'script': {
      const [script, ...others] = matchingScripts(options.scripts ?? [], question.prompt, question.to);
      if (script === undefined && question.to === 'read')
        return stream(response, question, EMPTY_READING, options.stream ?? {}, stop);
      if (script === undefined)
        return fail(
          response,
          404,
          'no_script',
          'Cannot answer prompt: no script matches it, wanted a prompt that a script was written for',
        );
      if (others.length > 0) {
        return fail(
          response,
          500,
          'ambiguous_scripts',
          `Cannot answer prompt: ${[script, ...others].map(({ name }) => name).join(', ')} all match, wanted one`,
        );
      }
      return stream(response, question, script.reply, options.stream ?? {}, stop);
    }
    case 'reply':
      return stream(response, question, behaviour.text, behaviour, stop);
    case 'whole':
      return json(response, 200, {
        id: 'chatcmpl-whole',
        object: 'chat.completion',
        model: modelOf(question),
        choices: [{ index: 0, message: { role: 'assistant', content: behaviour.text }, finish_reason: 'stop' }],
        usage: usageOf(question, behaviour.text, 0),
      });
    case 'status':
      response.writeHead(behaviour.status, { 'content-type': 'application/json', ...behaviour.headers });
      response.end(JSON.stringify(behaviour.body ?? { error: { message: `status ${behaviour.status}`, code: null } }));
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end('<!doctype html><title>Sign in</title><p>Welcome to the network.</p>');
      return;
    case 'reset':
      if (behaviour.text !== undefined) await begin(response, question, behaviour.text);
      response.socket?.resetAndDestroy();
      return;
    case 'stall':
      if (behaviour.text !== undefined) await begin(response, question, behaviour.text);
      await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
      return;
    case 'cut':
      await begin(response, question, behaviour.text);
      response.end();
      return;
    case 'empty':
      return stream(response, question, '', {}, stop);
  }
}

/** Sends the headers and part of the answer, and leaves the stream open. */
async function begin(response: ServerResponse, question: Question, text: string): Promise<void> {
  openStream(response);
  if (text !== '') await write(response, event(question, { role: 'assistant', content: text }, null));
}

async function stream(
  response: ServerResponse,
  question: Question,
  text: string,
  options: StreamOptions,
  stop: AbortSignal,
): Promise<void> {
  const { pieceCharacters = 24, pauseMs = 0, finishReason = 'stop', done = true, cachedTokens = 0, after } = options;
  openStream(response);
  await after;
  try {
    await write(response, event(question, { role: 'assistant', content: '' }, null));
    for (let at = 0; at < text.length; at += pieceCharacters) {
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: stop });
      if (stop.aborted) return;
      await write(response, event(question, { content: text.slice(at, at + pieceCharacters) }, null));
    }
  } catch {
    // The client hung up.
    return;
  }
  if (finishReason !== null) await write(response, event(question, {}, finishReason));
  const wantsUsage = isObject(question.body.stream_options) && question.body.stream_options.include_usage === true;
  if (wantsUsage)
    await write(response, { ...event(question, {}, null), choices: [], usage: usageOf(question, text, cachedTokens) });
  response.end(done ? 'data: [DONE]\n\n' : undefined);
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
}

function write(response: ServerResponse, value: JsonObject): Promise<void> {
  return new Promise((resolve) => {
    // A broken pipe ends the question and is not an error here.
    response.write(`data: ${JSON.stringify(value)}\n\n`, () => resolve());
  });
}

function event(question: Question, delta: JsonObject, finishReason: string | null): JsonObject {
  return {
    id: `chatcmpl-${question.nth}`,
    object: 'chat.completion.chunk',
    model: modelOf(question),
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

function usageOf(question: Question, text: string, cachedTokens: number): JsonObject {
  const promptTokens = estimateTokens(question.system) + estimateTokens(question.prompt);
  const completionTokens = estimateTokens(text);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}

function modelOf({ body }: Question): string {
  return typeof body.model === 'string' ? body.model : 'scripted';
}

function textsOf(body: JsonObject): { prompt: string; system: string } {
  const texts = { prompt: [] as string[], system: [] as string[] };
  for (const message of Array.isArray(body.messages) ? body.messages : []) {
    if (!isObject(message) || typeof message.content !== 'string') continue;
    texts[message.role === 'system' || message.role === 'developer' ? 'system' : 'prompt'].push(message.content);
  }
  return { prompt: texts.prompt.join('\n\n'), system: texts.system.join('\n\n') };
}

async function readBody(request: IncomingMessage): Promise<JsonObject | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  try {
    const value: Json = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function json(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function fail(response: ServerResponse, status: number, code: string, message: string): void {
  json(response, status, { error: { message, type: 'invalid_request_error', param: null, code } });
}
