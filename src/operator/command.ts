import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Exit codes of the command line, after sysexits.h where it has one; `unread` is what a shell shows of a command that died of SIGPIPE. */
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
  /** One line for the overview. */
  summary: string;
  /** The whole text of `--help`. */
  help: string;
  /** Runs it; resolves to the exit code. */
  run(args: string[]): Promise<number>;
}

/** A call that does not fit the command's usage. Ends the command with exit code 64. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads a command's arguments strictly: an unknown option or a wrong number of operands throws a `UsageError`. */
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

/** What a verb of a command stands for; one that there is not throws a `UsageError`. */
export function actOf<Act>(verbs: Record<string, Act>, verb: string): Act {
  if (Object.hasOwn(verbs, verb)) return verbs[verb] as Act;
  throw new UsageError(
    `Cannot read arguments: ${JSON.stringify(verb)}, wanted one of ${Object.keys(verbs).join(', ')}`,
  );
}

/** How many `--limit` asks for; anything but 1 to 10,000 throws a `UsageError`. */
export function limitOf(given: string): number {
  const limit = Number(given);
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= 10_000) return limit;
  throw new UsageError(`Cannot read arguments: --limit ${JSON.stringify(given)}, wanted 1 to 10000`);
}

function parse<const Options extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    // What follows the first sentence is advice on how to quote.
    const [found] = (error instanceof Error ? error.message : String(error)).split(/\.\s/);
    throw new UsageError(`Cannot read arguments: ${found}, wanted what follows`);
  }
}
