import { generator, mathOf } from './chance.ts';
import { now } from './clock.ts';
import { quoted, tellCall, tellPlain, tellSettled } from './news.ts';
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
import { cut, isDeeper, readText, textOf, textOfThrown } from './text.ts';

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
  said: number;
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

/** What a module's text was made into: called, it evaluates the module with this `Math` and gives its handler. */
export type Factory = (math: object) => Handler;

/** What a call is rejected with. */
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
let chance = true;
let shared = true;
/** Runs that wait for something. */
const runs: Map<number, GuestRun> = new NativeMap();
/** Calls whose answers are at hand and wait to be given. */
let due = bareList<DueAnswer>();
/** The list that was given last, empty again. */
let given = bareList<DueAnswer>();
/** Stands for the logs and identifiers of a run that has none, as most. */
const noTexts = bareList<string>();

/** Takes the bundle and its limits. */
export function bind(bundle: { factory: Factory; limits: GuestLimits; chance: boolean; shared: boolean }): void {
  factory = bundle.factory;
  limits = bundle.limits;
  chance = bundle.chance;
  shared = bundle.shared;
}

/** Starts a run and drives it as far as it goes; says whether it waits for something. */
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
    said: 0,
    waiting: undefined,
    logs: noTexts,
    logLength: 0,
    ids: noTexts,
    nextId: undefined,
  };
  try {
    const handler = factory(mathOf(seed, shared, chance));
    if (typeof handler !== 'function')
      throw new NativeTypeError('Cannot run handler: its export is no function, wanted one');
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

/** Gives a run an answer from outside, if it still waits for it. */
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
  due = given;
  given = giving;
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

// --- The context that a handler is given --------------------------------------------------------------------------------------------------

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
    // Looked at after the input was written out, for that may have run code that made calls.
    if (run.calls >= limits.maxCalls) settle(run, false, `made more than ${limits.maxCalls} calls`, '');
    // Counted here too, so that no more than that is ever brought to the host at once.
    run.said += (text as string).length;
    if (run.said > limits.maxExchangeLength)
      settle(run, false, `exchanged more than ${limits.maxExchangeLength} bytes with its tools`, '');
    if (run.settled) return;
    const call = run.calls;
    const name = quoted(tool);
    const answer = answerAtHand(run.answers, tool, text as string);
    if (!answer) {
      run.waiting ??= new NativeMap();
      mapSet(run.waiting, call, { resolve, reject });
    }
    // From here on nothing of the guest's can come in between: see news.ts. What is called is called first, for there may be no stack for it.
    tellCall(run.run, call, name, answer !== undefined, text as string);
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
  // One for the end of the line: empty lines are not free either.
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

// --- How a run ends -----------------------------------------------------------------------------------------------------------------------

async function settleLater(run: GuestRun, value: unknown): Promise<void> {
  try {
    // Nothing that the guest can have changed comes between a promise and `await`.
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
    // Out of stack in the middle of it: there is more of it here.
    settle(run, false, 'threw what cannot be told', '');
  }
}

/** What is wrong with a text that should be JSON of a limited length; undefined where nothing is. */
function textFault(text: unknown, value: unknown, limit: number): string | undefined {
  if (typeof text !== 'string') return `is not JSON: ${typeof value}`;
  if (text.length > limit) return `is too large: at most ${limit} characters of JSON`;
  // What is nested needs two brackets for each level.
  const isDeep = text.length > 2 * limits.maxDepth && isDeeper(text, limits.maxDepth);
  return isDeep ? `is nested too deeply: at most ${limits.maxDepth} levels` : undefined;
}

function settle(run: GuestRun, returned: boolean, text: string, stack: string): void {
  if (run.settled) return;
  // There may be no stack for it: what has not been told has not ended.
  if (returned && run.logs === noTexts && run.ids === noTexts) tellPlain(run.run, text);
  else tellSettled(run, returned, text, stack);
  run.settled = true;
  mapDelete(runs, run.run);
}
