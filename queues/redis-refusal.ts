import type { QueueCode } from './queue-error.ts';
import { QueueError, trimmedError } from './queue-error.ts';

interface Refusal {
  code: Extract<QueueCode, `${'PLATFORM' | 'OPERATOR'}_REDIS_${string}`>;
  words: RegExp;
  found: string;
  wanted: string;
  /** Whether nothing can be written until somebody makes that possible again. */
  isUnwritable?: boolean;
}

/** How an error begins; Redis 6.2 puts it behind words of the script, and the client behind words of its own. */
const beginning = (words: string) => new RegExp(`(?:^|: -?)(?:${words})`);

/** What Redis refuses, and what that means. */
const refusals: readonly Refusal[] = [
  {
    code: 'PLATFORM_REDIS_FULL',
    words: new RegExp(`${beginning('OOM\\b').source}|command not allowed when used memory >`),
    found: 'Redis at its memory limit',
    wanted: 'room',
    isUnwritable: true,
  },
  {
    code: 'PLATFORM_REDIS_FEW_REPLICAS',
    words: beginning('NOREPLICAS\\b'),
    found: 'fewer replicas in reach than min-replicas-to-write',
    wanted: 'as many',
    isUnwritable: true,
  },
  {
    code: 'PLATFORM_REDIS_UNSAVED',
    words: beginning('MISCONF\\b'),
    found: 'Redis unable to write to its disk',
    wanted: 'a disk with room',
    isUnwritable: true,
  },
  {
    code: 'OPERATOR_REDIS_LOGIN',
    words: beginning('WRONGPASS\\b|NOAUTH\\b|ERR invalid password|invalid password'),
    found: 'user or password refused',
    wanted: 'those that it knows',
  },
  {
    code: 'OPERATOR_REDIS_DATABASE',
    words: beginning('ERR (?:DB index is out of range|invalid DB index|SELECT is not allowed)'),
    found: 'no such database',
    wanted: 'one that Redis has',
  },
  {
    code: 'OPERATOR_REDIS_PERMISSION',
    words: new RegExp(
      `${beginning('NOPERM\\b').source}|ACL failure in script|user executing the script can't|${beginning('ERR unknown (?:sub)?command').source}`,
    ),
    found: 'a command refused',
    wanted: 'the permissions that `protosmith doctor` lists',
  },
];

/** What the failure of a command means: an error with a code `…_REDIS_…`; `undefined` where it is no failure of Redis. */
export function redisFailure(error: unknown, doing: string): QueueError | undefined {
  if (!(error instanceof Error) || error instanceof QueueError) return undefined;
  const { name, message } = trimmedError(rootOf(error));
  const refusal = refusalOf(message);
  if (refusal !== undefined) {
    const { code, found, wanted } = refusal;
    return new QueueError(code, `Cannot ${doing}: found ${found} (${message}), wanted ${wanted}`);
  }
  const ofRedis = /^(ReplyError|MaxRetriesPerRequestError)$/.test(name);
  return ofRedis || unanswered.test(message) ? unreachable(message) : undefined;
}

/** Says whether an error means that Redis takes no writes until there is room, or there are replicas, again. */
export function isUnwritable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const refusal =
    error instanceof QueueError
      ? refusals.find(({ code }) => code === error.code)
      : refusalOf(trimmedError(rootOf(error)).message);
  return refusal?.isUnwritable === true;
}

/** Says whether Redis refused a command to this user, or knows none of that name. */
export function isForbidden(error: unknown): boolean {
  return error instanceof Error && refusalOf(trimmedError(error).message)?.code === 'OPERATOR_REDIS_PERMISSION';
}

/** The error of a Redis that cannot be reached or that refuses a command. */
export function unreachable(found: string): QueueError {
  return new QueueError('PLATFORM_REDIS_UNREACHABLE', `Cannot reach Redis: ${found.slice(0, 200)}, wanted an answer`);
}

/** How errors begin that the client makes itself: of a connection, then of a cluster while a master of it is away. */
const unanswered =
  /^(Connection is closed|Command timed out|Stream isn't writeable|Too many Cluster redirections|None of startup nodes|Cluster isn't ready)/;

function refusalOf(message: string): Refusal | undefined {
  return refusals.find(({ words }) => words.test(message));
}

/** Of a transaction the first command that was refused says why, of a cluster its last node. */
function rootOf(error: Error): unknown {
  const previous = 'previousErrors' in error ? [error.previousErrors].flat()[0] : undefined;
  return previous ?? ('lastNodeError' in error ? error.lastNodeError : undefined) ?? error;
}
