import { now } from './clock.ts';
import {
  bareList,
  freeze,
  hasOwn,
  hide,
  indexOf,
  mapDelete,
  mapGet,
  mapSet,
  NativeError,
  NativeMap,
  NativePromise,
  NativeRangeError,
  NativeTypeError,
  parse,
  slice,
  stringify,
} from './primordials.ts';
import { type GuestAnswer, type GuestAnswers, type GuestLimits, sendCommand } from './protocol.ts';
import { generator, mathFor } from './random.ts';
import { queueCall, queueEnd, queueReturn, quoted } from './step-outbox.ts';
import { cut, isDeeper, readText, textOf, textOfThrown } from './text.ts';

/** A call whose promise is pending. */
interface Waiting {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}
interface GuestRun {
  run: number;
  answers: GuestAnswers | undefined;
  settled: boolean;
  calls: number;
  /** Length of the inputs of its calls. */
  inputLength: number;
  waiting: Map<number, Waiting> | undefined;
  logs: string[];
  logLength: number;
  ids: string[];
  nextId: (() => number) | undefined;
}
interface DueAnswer extends Waiting {
  run: GuestRun;
  answer: GuestAnswer;
}
type Handler = (input: unknown, context: object) => unknown;

/** Evaluates the module anew with this `Math` and gives its handler. */
export type Factory = (math: object) => Handler;

/** The error that a call is rejected with. */
class HandlerError extends NativeError {
  code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
hide(HandlerError.prototype, 'name', 'HandlerError');
freeze(HandlerError.prototype);
freeze(HandlerError);

let factory: Factory;
let limits: GuestLimits;
let usesRandom = true;
let shared = true;
/** Runs that wait for something. */
const runs: Map<number, GuestRun> = new NativeMap();
/** Calls whose answers are at hand and not given yet. */
let due = bareList<DueAnswer>();
/** The list before, empty again, so that no new one need be made. */
let spare = bareList<DueAnswer>();
/** The logs and identifiers of a run that has none, like most. */
const noTexts = bareList<string>();

/** Sets the bundle of this realm and its limits. */
export function bind(bundle: { factory: Factory; limits: GuestLimits; chance: boolean; shared: boolean }): void {
  factory = bundle.factory;
  limits = bundle.limits;
  usesRandom = bundle.chance;
  shared = bundle.shared;
}

/** Starts a run and lets it go on as far as it can. Whether it waits for something. */
export function startRun(
  id: number,
  seed: string,
  {
    send,
    tools,
    answers,
    input,
  }: { send: boolean; tools: readonly string[]; answers: GuestAnswers | undefined; input: string },
): boolean {
  const run: GuestRun = {
    run: id,
    answers,
    settled: false,
    calls: 0,
    inputLength: 0,
    waiting: undefined,
    logs: noTexts,
    logLength: 0,
    ids: noTexts,
    nextId: undefined,
  };
  try {
    const handler = factory(mathFor(seed, shared, usesRandom));
    if (typeof handler !== 'function')
      throw new NativeTypeError('Cannot run handler: its export is not a function, wanted one');
    const value = handler(parse(input), contextOf(run, seed, tools, send));
    const mayWait = (typeof value === 'object' && value !== null) || typeof value === 'function';
    if (mayWait && typeof (value as { then?: unknown }).then === 'function') settleLater(run, value);
    else settleReturned(run, value);
  } catch (thrown) {
    fail(run, thrown);
  }
  if (run.settled) return false;
  mapSet(runs, id, run);
  return true;
}

/** Gives a run an answer from outside, unless it no longer waits for it. */
export function resumeRun(id: number, call: number, code: string, text: string): void {
  const run = mapGet(runs, id);
  const waiting = run?.waiting && mapGet(run.waiting, call);
  if (!run?.waiting || !waiting) return;
  mapDelete(run.waiting, call);
  if (code === '') waiting.resolve(parse(text));
  else waiting.reject(new HandlerError(code, text));
}

/** Whether there are answers at hand. */
export function isAnyDue(): boolean {
  return due.length > 0;
}

/** Gives all answers that were at hand when it was called. */
export function giveDue(): void {
  const giving = due;
  due = spare;
  spare = giving;
  try {
    for (let index = 0; index < giving.length; index += 1) {
      const { run, resolve, reject, answer } = giving[index] as DueAnswer;
      if (run.settled) continue;
      if (hasOwn(answer, 'output')) resolve(parse((answer as { output: string }).output));
      else {
        const { code, message } = (answer as { error: { code: string; message: string } }).error;
        reject(new HandlerError(code, message));
      }
    }
  } finally {
    giving.length = 0;
  }
}

// --- The context that a handler is given ---

const noTools: object = freeze({ __proto__: null });

function contextOf(run: GuestRun, seed: string, tools: readonly string[], send: boolean): object {
  let call = noTools;
  if (tools.length > 0) {
    const functions: Record<string, unknown> = { __proto__: null } as Record<string, unknown>;
    for (let index = 0; index < tools.length; index += 1) {
      const tool = tools[index] as string;
      functions[tool] = (input: unknown) => command(run, tool, input);
    }
    call = freeze(functions);
  }
  const context: Record<string, unknown> = {
    call,
    log: (...values: unknown[]) => log(run, values),
    newId: () => newId(run, seed),
    now: () => now(),
  };
  if (send) context.send = (request: unknown) => command(run, sendCommand, request);
  return freeze(context);
}

function command(run: GuestRun, tool: string, input: unknown): Promise<unknown> {
  return new NativePromise((resolve, reject) => {
    if (run.settled) return;
    const text = stringify(input) as unknown;
    const fault = textFault(text, input, limits.maxCallLength);
    if (fault !== undefined) throw new NativeTypeError(`the input of a call ${fault}`);
    // Checked after the input was written as JSON: that may have run code that made calls.
    if (run.calls >= limits.maxCalls) settle(run, false, `made more than ${limits.maxCalls} calls`, '');
    // Counted here too, so that the host never gets more than that at once.
    run.inputLength += (text as string).length;
    if (run.inputLength > limits.maxExchangeLength)
      settle(run, false, `exchanged more than ${limits.maxExchangeLength} bytes with its tools`, '');
    if (run.settled) return;
    const call = run.calls;
    const name = quoted(tool);
    const answer = answerAtHand(run.answers, tool, text as string);
    if (!answer) {
      run.waiting ??= new NativeMap();
      mapSet(run.waiting, call, { resolve, reject });
    }
    // From here on no guest code can come in between: see step-outbox.ts. The call comes first, since there may be no
    // stack for it.
    queueCall(run.run, call, name, answer !== undefined, text as string);
    if (answer) due[due.length] = { run, resolve, reject, answer };
    run.calls += 1;
  });
}

function answerAtHand(answers: GuestAnswers | undefined, tool: string, input: string): GuestAnswer | undefined {
  if (!answers || !hasOwn(answers, tool)) return undefined;
  const ofTool = answers[tool] as GuestAnswers[string];
  return hasOwn(ofTool, input) ? ofTool[input] : undefined;
}

function log(run: GuestRun, values: unknown[]): void {
  if (run.settled || run.logLength > limits.maxLogLength) return;
  let line = '';
  for (let index = 0; index < values.length && line.length <= limits.maxLogLength; index += 1) {
    line += (index === 0 ? '' : ' ') + textOf(values[index], limits.maxMessageLength);
  }
  // One more for the end of the line: empty lines are not free either.
  run.logLength += line.length + 1;
  if (run.logs === noTexts) run.logs = bareList();
  run.logs[run.logs.length] = run.logLength > limits.maxLogLength ? cut(line, limits.maxLogLength) : line;
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

function newId(run: GuestRun, seed: string): string {
  if (run.ids.length >= limits.maxIssuedIds)
    throw new NativeRangeError(`newId gives out at most ${limits.maxIssuedIds} identifiers`);
  run.nextId ??= generator(`id ${seed}`);
  let id = '';
  for (let index = 0; index < 16; index += 1) id += letters[run.nextId() % 36] as string;
  if (run.ids === noTexts) run.ids = bareList();
  run.ids[run.ids.length] = id;
  return id;
}

// --- How a run ends ---

async function settleLater(run: GuestRun, value: unknown): Promise<void> {
  try {
    // `await` calls nothing that the guest can have changed.
    settleReturned(run, await value);
  } catch (thrown) {
    fail(run, thrown);
  }
}

function settleReturned(run: GuestRun, value: unknown): void {
  let text: unknown;
  let fault: string | undefined;
  try {
    text = stringify(value);
    fault = textFault(text, value, limits.maxResultLength);
  } catch (error) {
    const reason = textOfThrown(error, limits.maxMessageLength);
    const end = indexOf(reason, '\n');
    fault = `is not JSON: ${end < 0 ? reason : slice(reason, 0, end)}`;
  }
  if (fault === undefined) settle(run, true, text as string, '');
  else settle(run, false, `the result ${fault}`, '');
}

function fail(run: GuestRun, thrown: unknown): void {
  try {
    const message = textOfThrown(thrown, limits.maxMessageLength);
    const stack =
      typeof thrown === 'object' && thrown !== null ? cut(readText(thrown, 'stack'), 4 * limits.maxMessageLength) : '';
    settle(run, false, message, stack);
  } catch {
    // The stack ran out on the way; here is more of it.
    settle(run, false, 'threw what cannot be written as text', '');
  }
}

/** What is wrong with a text that should be JSON of a limited length; `undefined` if nothing is. */
function textFault(text: unknown, value: unknown, limit: number): string | undefined {
  if (typeof text !== 'string') return `is not JSON: ${typeof value}`;
  if (text.length > limit) return `is too large: at most ${limit} characters of JSON`;
  // Each level needs two brackets.
  const isDeep = text.length > 2 * limits.maxDepth && isDeeper(text, limits.maxDepth);
  return isDeep ? `is nested too deeply: at most ${limits.maxDepth} levels` : undefined;
}

function settle(run: GuestRun, returned: boolean, text: string, stack: string): void {
  if (run.settled) return;
  // Queued first, since there may be no stack for it: a run whose end is not queued has not ended.
  if (returned && run.logs === noTexts && run.ids === noTexts) queueReturn(run.run, text);
  else queueEnd(run, returned, text, stack);
  run.settled = true;
  mapDelete(runs, run.run);
}
