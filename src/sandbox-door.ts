/**
 * The public API for embedders (`protosmith/sandbox`): runs single requests through a verified handler, with validation
 * (docs/handler.md).
 */
import type { Layers, Limits, Sandbox } from '../sandbox/contract.ts';
import { createSandbox } from '../sandbox/index.ts';
import { readConfig, sandboxOptions } from './config.ts';
import type { HandlerRecord } from './contract/handler.ts';
import { type Embedder, type HandlerResult, loadHandler as loadHosted } from './hosting/load-handler.ts';
import { sandboxWarning } from './hosting/sandbox-warning.ts';
import type { Json } from './kernel/json.ts';

export type { Layers, Limits, Sandbox, SandboxStats } from '../sandbox/contract.ts';
export { createSandbox, type HandlerRecord, type HandlerResult };

/**
 * The embedder's functions by tool name. A rejection reaches the handler as `HandlerError`; its `code` is kept
 * if it is one of the three known ones.
 */
export type Tools = Readonly<Record<string, (input: Json, signal: AbortSignal) => Json | Promise<Json>>>;

/** Options for loading a handler. */
export interface LoadOptions {
  /** Sends a requester's request to the peer and resolves to its response. The agreement's timeout applies. */
  send?: NonNullable<Embedder['send']>;
  /**
   * A sandbox of the embedder, which stays open. Default: one that all handlers of this process share, and that closes
   * with the last of them. `PROTOSMITH_SANDBOX_LEVEL`, `PROTOSMITH_SANDBOX_LIMITS` and `PROTOSMITH_CELLS` apply to the
   * shared one, as in a worker.
   */
  sandbox?: Sandbox;
  limits?: Limits;
  /** Longest time of one tool call, in milliseconds; default 30,000. */
  toolTimeoutMs?: number;
}

/** A handler ready for single requests. Runs may be concurrent and are isolated from each other. */
export interface Handler {
  /** Runs one request (provider) or one task (requester). Rejects only with `PLATFORM_SANDBOX_…` or when aborted. */
  run(input: Json, signal?: AbortSignal): Promise<HandlerResult>;
  /** The active sandbox layers, and why others are missing. */
  readonly layers: Layers;
  close(): Promise<void>;
}

/**
 * Loads a verified handler for live use. All data are validated in both directions, and invalid data fail the
 * run. The handler can call only the tools that its verified code used. Throws `PLATFORM_HANDLER_CORRUPT` if
 * the record does not match its digest, and `OPERATOR_…` if the required sandbox is unavailable.
 */
export async function loadHandler(
  record: HandlerRecord,
  tools: Tools,
  { send, sandbox, ...bounds }: LoadOptions = {},
): Promise<Handler> {
  const embedder: Embedder = {
    async call(tool, input, signal) {
      const answer = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
      if (answer === undefined) throw new Error(`there is no ${tool} here`);
      return answer(input, signal);
    },
    ...(send === undefined ? {} : { send }),
  };
  const borrowed = sandbox === undefined ? await borrow() : { sandbox, release: async () => {} };
  try {
    const handler = await loadHosted(record, borrowed.sandbox, bounds);
    return {
      run: (input, signal) => handler.run(input, embedder, signal),
      layers: borrowed.sandbox.layers,
      async close() {
        await handler.close();
        await borrowed.release();
      },
    };
  } catch (error) {
    await borrowed.release();
    throw error;
  }
}

let shared: { opening: Promise<Sandbox>; users: number } | undefined;

/** The sandbox settings of this process. Other settings do not apply to embedders. */
function sandboxSettings(environment: NodeJS.ProcessEnv) {
  const named = Object.entries(environment).filter(([name]) => /^PROTOSMITH_(?:CELLS$|SANDBOX_)/.test(name));
  return sandboxOptions(readConfig(Object.fromEntries(named)));
}

/** Opens the shared sandbox, and warns if it is weaker than the best level. */
async function openShared(): Promise<Sandbox> {
  const sandbox = await createSandbox(sandboxSettings(process.env));
  const weakness = sandboxWarning(sandbox.layers);
  if (weakness !== undefined) process.emitWarning(weakness, { code: 'PROTOSMITH_SANDBOX_LEVEL' });
  return sandbox;
}

/** Borrows the shared sandbox. The last one to return it closes it. */
async function borrow(): Promise<{ sandbox: Sandbox; release(): Promise<void> }> {
  shared ??= { opening: openShared(), users: 0 };
  const used = shared;
  used.users += 1;
  let isReleased = false;
  const leave = (): boolean => {
    if (isReleased) return false;
    isReleased = true;
    used.users -= 1;
    if (used.users > 0) return false;
    if (shared === used) shared = undefined;
    return true;
  };
  try {
    const sandbox = await used.opening;
    return {
      sandbox,
      async release() {
        if (leave()) await sandbox.close();
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
}
