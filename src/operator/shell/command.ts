import { type ParseArgsConfig, parseArgs } from 'node:util';
import { closestTo } from '../../kernel/closest.ts';

/**
 * Exit codes of the command line, from sysexits.h if it has one. `unread` is what a shell reports for SIGPIPE.
 */
export const exitCodes = {
  ok: 0,
  disputed: 1,
  error: 2,
  usage: 64,
  unreadable: 65,
  unavailable: 69,
  defect: 70,
  unwritable: 74,
  settings: 78,
  unread: 141,
} as const;

/** A command of the command line. */
export interface Command {
  /** One line for the list of commands. */
  summary: string;
  /** The whole text of `--help`. */
  help: string;
  /** Runs the command; resolves to the exit code. */
  run(args: string[]): Promise<number>;
}

/** The arguments do not fit the command. Ends it with exit code 64. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Parses a command's arguments. Throws `UsageError` for an unknown option or a wrong number of operands. */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
  operands: { least: number; most: number; wanted: string },
) {
  const parsed = parse(args, options);
  const count = parsed.positionals.length;
  if (count < operands.least || count > operands.most) {
    throw new UsageError(`Cannot read arguments: ${count} operand${count === 1 ? '' : 's'}, wanted ${operands.wanted}`);
  }
  return parsed;
}

/** The action for a verb of a command. Throws `UsageError` if there is none. */
export function actOf<Act>(verbs: Record<string, Act>, verb: string): Act {
  if (Object.hasOwn(verbs, verb)) return verbs[verb] as Act;
  throw unknownOf('', verb, Object.keys(verbs));
}

/** The value of an option, which must be one of several. Throws `UsageError` with the closest one for any other. */
export function choiceOf<const Choice extends string>(
  option: string,
  given: string,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === given);
  if (found === undefined) throw unknownOf(`${option} `, given, choices);
  return found;
}

function unknownOf(option: string, given: string, choices: readonly string[]): UsageError {
  return new UsageError(
    `Cannot read arguments: ${option}${JSON.stringify(given.slice(0, 80))}, wanted one of ${choices.join(', ')}${hintOf(given, choices)}`,
  );
}

/** What was probably meant by a mistyped name, as the end of a sentence; empty if nothing is close. */
export function hintOf(given: string, names: Iterable<string>): string {
  const meant = closestTo(given, names);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** The number given with `--limit`. Throws `UsageError` for anything but 1 to 10,000. */
export function limitOf(given: string): number {
  const limit = Number(given);
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= 10_000) return limit;
  throw new UsageError(`Cannot read arguments: --limit ${JSON.stringify(given)}, wanted 1 to 10000`);
}

function parse<const Options extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    // The rest of the message is advice on quoting.
    const [found = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s/);
    const [, unknown] = /^Unknown option '(--[^']+)'/.exec(found) ?? [];
    const known = Object.keys(options).map((name) => `--${name}`);
    const hint = unknown === undefined ? '' : hintOf(unknown, known);
    throw new UsageError(`Cannot read arguments: ${found}, wanted the usage below${hint}`);
  }
}
