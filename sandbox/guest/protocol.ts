/** What the guest's side is told about limits with the bundle. Lengths are counted in UTF-16 units; the host counts bytes again. */
export interface GuestLimits {
  maxResultLength: number;
  maxLogLength: number;
  maxCallLength: number;
  /** Of the inputs of all calls of one run. */
  maxExchangeLength: number;
  /** Brackets within brackets in a result or an input. */
  maxDepth: number;
  maxMessageLength: number;
  maxCalls: number;
  maxIssuedIds: number;
}

/**
 * Messages into the guest; those that let runs go on say what time it is in that step, in milliseconds since 1970. `bind` comes once, with the bundle's factory; `chance` says
 * whether its text speaks of `random`. `start` starts runs numbered from `first`, with a seed for each, and its input as text. `resume` has
 * `[run, call, code or nothing]` for each answer, and its output or error message as text. Answers that the guest has at hand it gives
 * when it is entered next, without a message or with a `resume`: like all others they come after whatever the run can do without them.
 */
export type GuestMessage =
  | { op: 'bind'; limits: GuestLimits; chance: boolean }
  | { op: 'tables'; tables: readonly GuestAnswers[] }
  | { op: 'start'; first: number; nowMs: number; seeds: readonly string[]; kinds: GuestKind[] }
  | { op: 'resume'; nowMs: number; answers: [run: number, call: number, code: string][] };

/** In place of a message: asks for the news alone, and lets nothing go on. */
export const poll = '?';

/** What so many runs in a row have in common; `answers` is an index into the tables that were brought last, -1 for none. */
export type GuestKind = [send: boolean, tools: readonly string[], answers: number, runs: number];

/** Answers known beforehand: tool → text of the input → answer. */
export type GuestAnswers = Readonly<Record<string, Readonly<Record<string, GuestAnswer>>>>;

/** One answer known beforehand. */
export type GuestAnswer = { output: string } | { error: { code: string; message: string } };

/** Stands in front of news where the guest has answers at hand, so that the host is to come again and let it go on. */
export const comeAgain = '+';

/** In place of news: a run of this step was refused memory, so that none of them goes on. */
export const ranOut = '!';

/**
 * What the guest says. Texts: the input of each `given` call, which came before all else and has had its answer; the value of each `plain` run,
 * which returned and did nothing else; each settled run's value or message, its stack where it threw, its logs; then each other call's input.
 * `plain` has the number of the first run and how many follow it, again and again.
 */
export interface GuestNews {
  given: GuestCall[];
  plain: number[];
  settled: [run: number, returned: 0 | 1, logs: number, ids: string[]][];
  calls: GuestCall[];
}

/** A call, and whether its answer is at hand. */
export type GuestCall = [run: number, call: number, tool: string, answered: 0 | 1];

/**
 * The only door between host and guest: packed text in, packed text out. Without a message, right after another, it gives the answers at hand,
 * under the same clock.
 */
export type GuestDoor = (message?: string, factory?: unknown) => string;

/** Name under which `context.send` is reported; no tool can have it, for tools are named in letters, digits and `_`. */
export const sendCommand = '>';
