import type {
  Answer,
  AnsweredCall,
  Call,
  End,
  HandlerFailure,
  Limits,
  LoadedHandler,
  Sandbox,
} from '../../sandbox/contract.ts';
import { exportNameOf, type HandlerRecord } from '../contract/handler.ts';
import { isToolName, recordFault } from '../contract/record-fault.ts';
import { CodedError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { invalidFailure, type Surface, storedSurface } from './surface.ts';
import { failureOf, lateFailure } from './tool-script.ts';

export { handlerDigest, isToolName, recordFault } from '../contract/record-fault.ts';

/** What an embedder gives a handler: its tools by name and, for a requester, the connection to the peer. */
export interface Embedder {
  /**
   * Answers a tool call. A rejection reaches the handler as `HandlerError` with the same `code` if that is one of the
   * three, else `FAILED`.
   */
  call(tool: string, input: Json, signal: AbortSignal): Promise<Json>;
  /**
   * Sends a request to the peer and resolves to its response, within the agreement's timeout. Absent for a provider.
   */
  send?(request: Json, signal: AbortSignal): Promise<Json>;
}

/** The result of one run of a handler. `value` is present only if the run returned one that its schema allows. */
export interface HandlerResult {
  end: End;
  value?: Json;
  message?: string;
  logs: string[];
  calls: { tool: string | null; input: Json; output?: Json; error?: HandlerFailure }[];
  /** Wall time in the sandbox in milliseconds, without the time spent waiting for tools and the peer. */
  durationMs: number;
}

/** A handler that is ready for single requests. Runs may be concurrent, and no run sees another. */
export interface RunnableHandler {
  /**
   * Runs one request (provider) or one task (requester). Rejects only with `PLATFORM_SANDBOX_…`, or with the reason of
   * the abort.
   */
  run(input: Json, embedder: Embedder, signal?: AbortSignal): Promise<HandlerResult>;
  close(): Promise<void>;
}

/** Timeout of a tool call in milliseconds, unless the caller sets another. */
export const defaultToolTimeoutMs = 30_000;

/** The longest time of a timer; with more than that it would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Loads a verified handler for live use. Every value that crosses is validated in both directions and fails closed. The
 * handler can call only the tools that its verified code used. Throws `PLATFORM_HANDLER_CORRUPT` if the record does not
 * match its digest.
 */
export async function loadHandler(
  record: HandlerRecord,
  sandbox: Sandbox,
  options: { limits?: Limits; toolTimeoutMs?: number } = {},
): Promise<RunnableHandler> {
  const fault = recordFault(record);
  if (fault) throw new CodedError('PLATFORM_HANDLER_CORRUPT', `Cannot load handler: ${fault}`);
  const toolSchemas = Object.fromEntries(Object.entries(record.toolSchemas).filter(([name]) => isToolName(name)));
  const surface = storedSurface(record, { ...record, toolSchemas });
  const loaded = await sandbox.load(record.bundle, exportNameOf(record.role), options.limits);
  return hostHandler(loaded, surface, {
    sendTimeoutMs: record.timeoutMs ?? options.toolTimeoutMs ?? defaultToolTimeoutMs,
    toolTimeoutMs: options.toolTimeoutMs ?? defaultToolTimeoutMs,
  });
}

/** How long the embedder may take for an answer; for a trial also its seed and its time. */
interface HostOptions {
  sendTimeoutMs: number;
  toolTimeoutMs: number;
  trial?: { seed: string; nowMs: number };
}

/** Puts a host around a loaded handler: passes its calls to the embedder and validates every value that crosses. */
export function hostHandler(loaded: LoadedHandler, surface: Surface, options: HostOptions): RunnableHandler {
  return {
    async run(input, embedder, signal) {
      const text = textOf(input);
      if (text === undefined) {
        const message = 'Cannot run handler: a request that cannot be written as JSON, wanted one that can';
        return { end: 'refused', message, logs: [], calls: [], durationMs: 0 };
      }
      const report = await loaded.run(
        {
          input: text,
          seed: options.trial?.seed ?? crypto.randomUUID(),
          nowMs: options.trial?.nowMs ?? Date.now(),
          fixedClock: options.trial !== undefined,
          tools: surface.toolNames,
          send: surface.role === 'requester',
        },
        (call, runSignal) => answer(call, embedder, surface, options, runSignal),
        signal,
      );
      const { end, message, logs, durationMs } = report;
      const calls = report.calls.map(parseCall);
      if (end !== 'returned' || report.value === undefined)
        return { end, ...(message === undefined ? {} : { message }), logs, calls, durationMs };
      const value = JSON.parse(report.value) as Json;
      const issues = surface.resultIssues(value, input);
      return issues.length === 0
        ? { end, value, logs, calls, durationMs }
        : { end: 'threw', message: invalidFailure('the result', issues).message, logs, calls, durationMs };
    },
    close: () => loaded.close(),
  };
}

/** A value as JSON text; `undefined` for what is not JSON or nested too deep to be written. */
function textOf(value: Json): string | undefined {
  try {
    return JSON.stringify(value) as string | undefined;
  } catch {
    return undefined;
  }
}

async function answer(
  call: Call,
  embedder: Embedder,
  surface: Surface,
  timeouts: HostOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const { tool } = call;
  const refusal = tool === null ? undefined : surface.refusalOf(tool);
  if (refusal) return { error: refusal };
  const input = JSON.parse(call.input) as Json;
  const what = tool === null ? 'the request' : `the input of ${tool}`;
  const inputIssues = tool === null ? surface.requestIssues(input) : surface.toolInputIssues(tool, input);
  if (inputIssues.length > 0) return { error: invalidFailure(what, inputIssues) };
  const deadline = new AbortController();
  const late = deadline.signal;
  const timeoutMs = tool === null ? timeouts.sendTimeoutMs : timeouts.toolTimeoutMs;
  const timer = setTimeout(() => deadline.abort(), Math.min(timeoutMs, maxTimerMs));
  try {
    // In JSON the answer of a function that returns nothing is null.
    const output = (await untilAborted(ask(tool, input, embedder, AbortSignal.any([late, signal])), late)) ?? null;
    const text = JSON.stringify(output) as string | undefined;
    if (text === undefined) throw new TypeError(`${tool ?? 'the peer'} answered with what is not JSON`);
    // What the handler gets. It differs from what was returned if that has a `toJSON`, such as a date.
    const received = JSON.parse(text) as Json;
    const outputIssues =
      tool === null ? surface.responseIssues(received, input) : surface.toolOutputIssues(tool, received);
    return outputIssues.length > 0
      ? { error: invalidFailure(tool === null ? "the peer's response" : `the output of ${tool}`, outputIssues) }
      : { output: text };
  } catch (error) {
    if (late.aborted) return { error: lateFailure(tool) };
    return { error: failureOf(thrownBy(error)) };
  } finally {
    clearTimeout(timer);
  }
}

/** What the embedder threw, as data. It may be an error of another realm, or one that throws when it is read. */
function thrownBy(error: unknown): Json {
  try {
    const { code, message } = Object(error) as { code?: unknown; message?: unknown };
    return typeof message === 'string' ? { code: String(code), message } : String(error);
  } catch {
    return 'it failed with an error that cannot be read';
  }
}

async function ask(tool: string | null, input: Json, embedder: Embedder, signal: AbortSignal): Promise<Json> {
  if (tool !== null) return embedder.call(tool, input, signal);
  if (!embedder.send) throw new Error('the peer cannot be reached');
  return embedder.send(input, signal);
}

/**
 * Settles with the promise, or rejects once the signal fires: an embedder that ignores the signal must not delay a run.
 */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function parseCall({ tool, input, answer: text }: AnsweredCall): HandlerResult['calls'][number] {
  return {
    tool,
    input: JSON.parse(input) as Json,
    ...(text === undefined
      ? {}
      : 'error' in text
        ? { error: text.error }
        : { output: JSON.parse(text.output) as Json }),
  };
}
