/** The door for embedders (`protosmith/sandbox`): runs single requests through a verified handler, everything validated (docs/handler.md). */
import type { Layers, Limits, Sandbox } from '../sandbox/contract.ts';
import { createSandbox } from '../sandbox/index.ts';
import { readConfig, sandboxOptions } from './config.ts';
import type { HandlerRecord } from './contract/handler.ts';
import { type Embedder, type HandlerResult, loadHandler as loadHosted } from './hosting/load-handler.ts';
import { sandboxWarning } from './hosting/sandbox-warning.ts';
import type { Json } from './kernel/json.ts';

export type { Layers, Limits, Sandbox, SandboxStats } from '../sandbox/contract.ts';
export { createSandbox, type HandlerRecord, type HandlerResult };

/** The embedder's own functions by the names of its tools. A rejection reaches the handler as `HandlerError`; its `code` is kept where it is one of the three. */
export type Tools = Readonly<Record<string, (input: Json, signal: AbortSignal) => Json | Promise<Json>>>;

/** How a handler is loaded, where the defaults do not fit. */
export interface LoadOptions {
  /** Carries a requester's request to the peer and resolves to its response; bounded by the agreement's timeout. */
  send?: NonNullable<Embedder['send']>;
  /**
   * A sandbox of the embedder's own, which stays open; default: one that the handlers of this process share, and that ends with the last of them. What
   * `PROTOSMITH_SANDBOX_LEVEL`, `PROTOSMITH_SANDBOX_LIMITS` and `PROTOSMITH_CELLS` demand holds for that one as for a worker's.
   */
  sandbox?: Sandbox;
  limits?: Limits;
  /** How long one tool call may take, in milliseconds; default 30,000. */
  toolTimeoutMs?: number;
}

/** A handler ready for single requests. Runs may be concurrent; none sees another. */
export interface Handler {
  /** Runs one request (provider) or one task (requester). Rejects only with `PLATFORM_SANDBOX_…` or when aborted. */
  run(input: Json, signal?: AbortSignal): Promise<HandlerResult>;
  /** The layers that are in force around it, and why others are not. */
  readonly layers: Layers;
  close(): Promise<void>;
}

/**
 * Loads a verified handler for live use. Everything that crosses is validated in both directions and fails closed; the handler can call no tool
 * but those its verified code used. Throws `PLATFORM_HANDLER_CORRUPT` where the record is not what its digest says, and `OPERATOR_…` where the
 * sandbox demanded is not to be had.
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
  const lent = sandbox === undefined ? await borrow() : { sandbox, giveBack: async () => {} };
  try {
    const handler = await loadHosted(record, lent.sandbox, bounds);
    return {
      run: (input, signal) => handler.run(input, embedder, signal),
      layers: lent.sandbox.layers,
      async close() {
        await handler.close();
        await lent.giveBack();
      },
    };
  } catch (error) {
    await lent.giveBack();
    throw error;
  }
}

let shared: { opening: Promise<Sandbox>; users: number } | undefined;

/** What the operator of this process demands of its sandbox; other settings are none of an embedder's. */
function demanded(environment: NodeJS.ProcessEnv) {
  const named = Object.entries(environment).filter(([name]) => /^PROTOSMITH_(?:CELLS$|SANDBOX_)/.test(name));
  return sandboxOptions(readConfig(Object.fromEntries(named)));
}

/** Opens it, and warns where its walls are not the best there are. */
async function openShared(): Promise<Sandbox> {
  const sandbox = await createSandbox(demanded(process.env));
  const weakness = sandboxWarning(sandbox.layers);
  if (weakness !== undefined) process.emitWarning(weakness, { code: 'PROTOSMITH_SANDBOX_LEVEL' });
  return sandbox;
}

/** The sandbox that the handlers of this process share; whoever gives it back last closes it. */
async function borrow(): Promise<{ sandbox: Sandbox; giveBack(): Promise<void> }> {
  shared ??= { opening: openShared(), users: 0 };
  const used = shared;
  used.users += 1;
  let isGivenBack = false;
  const leave = (): boolean => {
    if (isGivenBack) return false;
    isGivenBack = true;
    used.users -= 1;
    if (used.users > 0) return false;
    if (shared === used) shared = undefined;
    return true;
  };
  try {
    const sandbox = await used.opening;
    return {
      sandbox,
      async giveBack() {
        if (leave()) await sandbox.close();
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
}
