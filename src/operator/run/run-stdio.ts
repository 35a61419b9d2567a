import type { HandlerResult, RunnableHandler } from '../../hosting/load-handler.ts';
import { codeOf } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { platformAnswer, readObject } from './run-answer.ts';

/** What a session over standard input and output needs. */
export interface StdioPorts {
  lines: AsyncIterable<string>;
  print(line: object): void;
  /** Loads a stored handler. */
  open(digest: string): Promise<OpenHandler>;
}

/** A stored handler that stays loaded while it may be used. */
export interface OpenHandler {
  handler: RunnableHandler;
  /** Whether it may still run: neither withdrawn nor in quarantine. */
  isServed(): Promise<boolean>;
}

/** Handlers that stay loaded; the least recently used is dropped. */
const maxLoaded = 64;

/** A call that the client has to answer. */
interface Waiting {
  resolve(output: Json): void;
  reject(error: Error): void;
}

/**
 * Serves a client program over lines, with many runs at once, until its input and all runs have ended. Every line is
 * answered or ignored; no line can end the session.
 */
export async function serveStdio({ lines, print, open }: StdioPorts): Promise<void> {
  const handlers = new HandlerCache(open);
  const runs = new Map<string, Map<number, Waiting>>();
  const ended = new AbortController();
  const running = new Set<Promise<void>>();
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const read = readObject(line);
    if ('fault' in read) {
      print({ id: read.id, end: 'refused', message: read.fault });
      continue;
    }
    const { message } = read;
    const id = JSON.stringify(message.id ?? null);
    if (message.call !== undefined) {
      answerCall(runs.get(id), message);
      continue;
    }
    if (typeof message.digest !== 'string' || runs.has(id)) {
      const found = runs.has(id) ? 'an id that is still in use' : 'no digest';
      print({
        id: message.id ?? null,
        end: 'refused',
        message: `Cannot run handler: ${found}, wanted {id, digest, request}`,
      });
      continue;
    }
    const calls = new Map<number, Waiting>();
    runs.set(id, calls);
    const work = runOne(message, calls, { handlers, print, ended: ended.signal }).finally(() => {
      runs.delete(id);
      running.delete(work);
    });
    running.add(work);
  }
  ended.abort();
  for (const calls of runs.values()) for (const { reject } of calls.values()) reject(nobodyAnswers());
  await Promise.all(running);
  await handlers.close();
}

/** What all runs of a session share. */
interface Session {
  handlers: HandlerCache;
  print: StdioPorts['print'];
  /** Fires when the client can no longer answer calls. */
  ended: AbortSignal;
}

async function runOne(
  message: JsonObject,
  calls: Map<number, Waiting>,
  { handlers, print, ended }: Session,
): Promise<void> {
  const id = message.id ?? null;
  let next = 0;
  const ask = (tool: string | null, input: Json) =>
    new Promise<Json>((resolve, reject) => {
      next += 1;
      print({ id, call: next, tool, input });
      if (ended.aborted) reject(nobodyAnswers());
      else calls.set(next, { resolve, reject });
    });
  try {
    const handler = await handlers.get(String(message.digest));
    const {
      end,
      value,
      message: why,
    }: HandlerResult = await handler.run(message.request ?? null, {
      call: (tool, input) => ask(tool, input),
      send: (request) => ask(null, request),
    });
    print({ id, end, ...(value === undefined ? {} : { value }), ...(why === undefined ? {} : { message: why }) });
  } catch (error) {
    const code = codeOf(error);
    // Only a JOB_ code is about the request; anything else is the platform's fault.
    if (code?.startsWith('JOB_')) print({ id, end: 'refused', message: `${code}: ${(error as Error).message}` });
    else print({ id, ...platformAnswer(error) });
  }
}

function nobodyAnswers(): Error {
  return new Error('standard input has ended');
}

function answerCall(calls: Map<number, Waiting> | undefined, { call, output, error }: JsonObject): void {
  const waiting = typeof call === 'number' ? calls?.get(call) : undefined;
  if (!waiting || typeof call !== 'number') return;
  calls?.delete(call);
  if (error === undefined) {
    waiting.resolve(output ?? null);
    return;
  }
  const { code, message } = isObject(error) ? error : { code: 'FAILED', message: error };
  waiting.reject(Object.assign(new Error(typeof message === 'string' ? message : JSON.stringify(error)), { code }));
}

/** A cache of loaded handlers by digest. */
class HandlerCache {
  readonly #open: StdioPorts['open'];
  readonly #loaded = new Map<string, Promise<OpenHandler>>();

  constructor(open: StdioPorts['open']) {
    this.#open = open;
  }

  async get(digest: string): Promise<RunnableHandler> {
    const known = this.#loaded.get(digest);
    if (known && !(await (await known).isServed())) this.#drop(digest, known);
    const opened = this.#loaded.get(digest) ?? this.#open(digest);
    this.#loaded.delete(digest);
    this.#loaded.set(digest, opened);
    // A failed load is not cached.
    opened.catch(() => this.#loaded.delete(digest));
    for (const [oldest, one] of this.#loaded) {
      if (this.#loaded.size <= maxLoaded) break;
      this.#drop(oldest, one);
    }
    return (await opened).handler;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#loaded].map(([digest, one]) => this.#drop(digest, one)));
  }

  /** Unloads a handler; runs that have started finish. */
  async #drop(digest: string, one: Promise<OpenHandler>): Promise<void> {
    if (this.#loaded.get(digest) === one) this.#loaded.delete(digest);
    await one.then(({ handler }) => handler.close()).catch(() => {});
  }
}
