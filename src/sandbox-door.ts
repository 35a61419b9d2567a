/** The door for embedders (`protosmith/sandbox`): runs single requests through a verified handler, everything validated (docs/handler.md). */
export type { Layers, Limits, Sandbox, SandboxStats } from '../sandbox/contract.ts';
export { createSandbox } from '../sandbox/index.ts';
export type { HandlerRecord } from './contract/handler.ts';
export { type Embedder, type HandlerResult, loadHandler, type RunnableHandler } from './hosting/load-handler.ts';
