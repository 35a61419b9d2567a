/** The limits that the guest's side keeps. It counts lengths in UTF-16 units; the host counts bytes afterwards. */
export interface GuestLimits {
  maxResultLength: number;
  maxLogLength: number;
  maxCallLength: number;
  /** Length of the inputs of all calls of one run together. */
  maxExchangeLength: number;
  /** Brackets within brackets in a result or an input. */
  maxDepth: number;
  maxMessageLength: number;
  maxCalls: number;
  maxIssuedIds: number;
}

/**
 * Messages into the guest. Those that let runs go on carry the time of that step, in milliseconds since 1970.
 * - `bind` comes once, with the factory of the bundle; `chance`: whether the text of the bundle contains `random`.
 * - `start` starts runs numbered from `first`, each with a seed, and with its input as text.
 * - `resume` has `[run, call, code or an empty text]` for each answer, and its output or error message as text.
 *
 * Answers at hand are given when the guest is entered next, without a message or with a `resume`: like all answers they
 * come after everything that the run can do without them.
 */
export type GuestMessage =
  | { op: 'bind'; limits: GuestLimits; chance: boolean }
  | { op: 'tables'; tables: readonly GuestAnswers[] }
  | { op: 'start'; first: number; nowMs: number; seeds: readonly string[]; kinds: GuestKind[] }
  | { op: 'resume'; nowMs: number; answers: [run: number, call: number, code: string][] };

/** In place of a message: asks for the output alone and lets no run go on. */
export const poll = '?';

/**
 * What `runs` runs in a row have in common; `answers` is an index into the tables of the last `tables` message, -1 for
 * none.
 */
export type GuestKind = [send: boolean, tools: readonly string[], answers: number, runs: number];

/** Prepared answers: tool → text of the input → answer. */
export type GuestAnswers = Readonly<Record<string, Readonly<Record<string, GuestAnswer>>>>;

/** One prepared answer. */
export type GuestAnswer = { output: string } | { error: { code: string; message: string } };

/** In front of an output: the guest has answers at hand, and the host has to enter again to let the runs go on. */
export const comeAgain = '+';

/** In place of an output: a run of this step was refused memory, so none of them goes on. */
export const ranOut = '!';

/**
 * What the guest says. `given`: calls that came before all else and have their answers. `plain`: runs that returned and
 * did nothing else, as pairs of the first number and how many there are. `settled`: all other runs that have ended.
 * `calls`: all other calls. The texts, in this order: the input of each `given` call; the value of each `plain` run;
 * for each settled run its value or message, its stack if it threw, and its logs; the input of each other call.
 */
export interface GuestOutput {
  given: GuestCall[];
  plain: number[];
  settled: [run: number, returned: 0 | 1, logs: number, ids: string[]][];
  calls: GuestCall[];
}

/** A call; `answered`: whether its answer is at hand. */
export type GuestCall = [run: number, call: number, tool: string, answered: 0 | 1];

/**
 * The only door between host and guest: packed text in, packed text out. Without a message it gives the answers at
 * hand, at the time of the message before.
 */
export type GuestDoor = (message?: string, factory?: unknown) => string;

/** The name under which `context.send` is reported. No tool can have it: their names are letters, digits and `_`. */
export const sendCommand = '>';
