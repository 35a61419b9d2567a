import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { estimateTokens } from '../completion/prices.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { type Purpose, purposeOf } from './purpose.ts';
import { fittingScripts, type Script } from './script.ts';

/** One question as the server got it. */
export interface Question {
  /** From 1, in the order of arrival. */
  nth: number;
  body: JsonObject;
  /** Everything but the system part, joined. */
  prompt: string;
  system: string;
  /** What it is put for, as the system part tells. */
  to: Purpose;
  headers: IncomingMessage['headers'];
  /** Fires when the asker hangs up before the answer is out. */
  hungUp: AbortSignal;
}

/** How to answer one question. */
export type Behaviour =
  /** With the script that fits; a reading that no script fits finds nothing. */
  | { kind: 'script' }
  /** With a text, streamed. */
  | ({ kind: 'reply'; text: string } & StreamOptions)
  /** With a text, whole, as if streaming were unknown. */
  | { kind: 'whole'; text: string }
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: Json }
  /** With a page of HTML and status 200. */
  | { kind: 'html' }
  /** With a closed connection, after the text if there is one. */
  | { kind: 'reset'; text?: string }
  /** With silence: after the text if there is one, after the headers if it is empty, else before them. */
  | { kind: 'stall'; text?: string }
  /** With a stream that ends in the middle, properly closed. */
  | { kind: 'cut'; text: string }
  /** With events that end without a text. */
  | { kind: 'empty' };

/** How a text is streamed. */
export interface StreamOptions {
  /** UTF-16 units in one event. */
  pieceCharacters?: number;
  /** Pause before each event, in milliseconds. */
  pauseMs?: number;
  /** `null` = the stream never says that it is finished. */
  finishReason?: string | null;
  /** Whether `[DONE]` ends the stream. */
  done?: boolean;
  cachedTokens?: number;
  /** Nothing is said before it resolves. */
  after?: Promise<void>;
}

/** What the server is made of. */
export interface ScriptedModelOptions {
  scripts?: readonly Script[];
  /** Decides how a question is answered; default: with the script that fits. */
  behave?: (question: Question) => Behaviour;
  /** Members of the request that are refused with status 400, as some servers do. */
  refuses?: readonly ('stream_options' | 'response_format' | 'max_tokens' | 'max_completion_tokens')[];
  /** How scripts are streamed. */
  stream?: StreamOptions;
}

/** A local model server; end it with `close`. */
export interface ScriptedModel {
  /** What `OPENAI_BASE_URL` is set to. */
  readonly baseUrl: string;
  /** Every question so far. */
  readonly questions: readonly Question[];
  close(): Promise<void>;
}

/** What a reader is told of an agreement that no script was written for. */
const EMPTY_READING = '{"none":"unscripted"}';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Starts an OpenAI-compatible server (Chat Completions) on a free port of the loopback interface. It answers from
 * scripts, each chosen by what the prompt contains and never by order; a prompt that none fits gets status 404 with the
 * error code `no_script`, and a reader's an empty reading.
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
  gone: AbortSignal,
): Promise<void> {
  const behaviour = options.behave?.(question) ?? { kind: 'script' };
  switch (behaviour.kind) {
    case 'script': {
      const [script, ...others] = fittingScripts(options.scripts ?? [], question.prompt, question.to);
      if (script === undefined && question.to === 'read')
        return stream(response, question, EMPTY_READING, options.stream ?? {}, gone);
      if (script === undefined)
        return fail(
          response,
          404,
          'no_script',
          'Cannot answer prompt: no script fits it, wanted one of the prompts that scripts were written for',
        );
      if (others.length > 0) {
        return fail(
          response,
          500,
          'ambiguous_scripts',
          `Cannot answer prompt: ${[script, ...others].map(({ name }) => name).join(', ')} all fit, wanted one`,
        );
      }
      return stream(response, question, script.reply, options.stream ?? {}, gone);
    }
    case 'reply':
      return stream(response, question, behaviour.text, behaviour, gone);
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
      await new Promise<void>((resolve) => gone.addEventListener('abort', () => resolve(), { once: true }));
      return;
    case 'cut':
      await begin(response, question, behaviour.text);
      response.end();
      return;
    case 'empty':
      return stream(response, question, '', {}, gone);
  }
}

/** Sends the headers and a part of the answer, and leaves the stream open. */
async function begin(response: ServerResponse, question: Question, text: string): Promise<void> {
  openStream(response);
  if (text !== '') await write(response, event(question, { role: 'assistant', content: text }, null));
}

async function stream(
  response: ServerResponse,
  question: Question,
  text: string,
  options: StreamOptions,
  gone: AbortSignal,
): Promise<void> {
  const { pieceCharacters = 24, pauseMs = 0, finishReason = 'stop', done = true, cachedTokens = 0, after } = options;
  openStream(response);
  await after;
  try {
    await write(response, event(question, { role: 'assistant', content: '' }, null));
    for (let at = 0; at < text.length; at += pieceCharacters) {
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: gone });
      if (gone.aborted) return;
      await write(response, event(question, { content: text.slice(at, at + pieceCharacters) }, null));
    }
  } catch {
    // The asker hung up.
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
    // A broken pipe is seen as the end of the question, not as a fault here.
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
