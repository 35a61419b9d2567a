import type { QueueCode } from './queue-error.ts';
import { QueueError, trimmedError } from './queue-error.ts';

interface Refusal {
  code: Extract<QueueCode, `${'PLATFORM' | 'OPERATOR'}_REDIS_${string}`>;
  words: RegExp;
  found: string;
  wanted: string;
  /** Whether Redis refuses all writes until somebody repairs that. */
  isUnwritable?: boolean;
}

/** Matches the start of an error; Redis 6.2 puts words of the script before it, and the client its own. */
const beginning = (words: string) => new RegExp(`(?:^|: -?)(?:${words})`);

/** How servers and proxies name a command that they do not have. */
const unknownCommand =
  '[Uu]nknown (?:sub|Redis )?command|unsupported command|[Cc]ommand is not available|(?:command )?.[a-zA-Z|]{1,20}.(?: command)? is not (?:allowed|supported|available)';

/** The refusals of Redis and their meaning. */
const refusals: readonly Refusal[] = [
  {
    code: 'PLATFORM_REDIS_FULL',
    // Services limit the size of the database, and forks of Redis have words of their own.
    words: new RegExp(
      `${beginning('OOM\\b|Out of memory\\b').source}|command not allowed when used memory >|ERR (?:max database size|DB capacity quota) exceeded`,
    ),
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
    words: beginning('WRONGPASS\\b|NOAUTH\\b|DENIED\\b|(?:ERR )?invalid password|ERR operation not permitted'),
    found: 'user or password refused',
    wanted: 'those that it knows',
  },
  {
    code: 'OPERATOR_REDIS_DATABASE',
    words: beginning(
      'ERR (?:(?:Selected )?DB index is out of range|invalid DB index|Only 0th database|SELECT (?:command )?is not )',
    ),
    found: 'no such database',
    wanted: 'one that Redis has',
  },
  {
    code: 'OPERATOR_REDIS_CLUSTER',
    words: beginning('MOVED \\d'),
    found: 'one server of a cluster',
    wanted: 'redis+cluster:// in REDIS_URL',
  },
  {
    code: 'OPERATOR_REDIS_CLUSTER',
    words: beginning('ERR This instance has cluster support disabled'),
    found: 'a server without a cluster',
    wanted: 'redis:// in REDIS_URL',
  },
  {
    code: 'OPERATOR_REDIS_URL_INVALID',
    words: beginning('ERR No such master'),
    found: 'no master of that name',
    wanted: 'one that the Sentinels in REDIS_URL know',
  },
  {
    code: 'OPERATOR_REDIS_URL_INVALID',
    words: beginning('ERR unknown command .(?:sentinel|SENTINEL)\\b'),
    found: 'a server that is not a Sentinel',
    wanted: 'Sentinels in REDIS_URL, which often have port 26379',
  },
  {
    code: 'OPERATOR_REDIS_PERMISSION',
    words: new RegExp(
      `${beginning('NOPERM\\b').source}|ACL failure in script|user executing the script can't|${beginning(`ERR (?:${unknownCommand})`).source}`,
    ),
    found: 'a command refused',
    wanted: 'the permissions that `protosmith doctor` lists',
  },
];

/** The `…_REDIS_…` error for a failed command; `undefined` if Redis is not the cause. */
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

/** Whether an error means that Redis refuses writes until it has room or replicas again. */
export function isUnwritable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const refusal =
    error instanceof QueueError
      ? refusals.find(({ code }) => code === error.code)
      : refusalOf(trimmedError(rootOf(error)).message);
  return refusal?.isUnwritable === true;
}

/** Whether Redis forbids this user a command or does not know it. */
export function isForbidden(error: unknown): boolean {
  return error instanceof Error && refusalOf(trimmedError(error).message)?.code === 'OPERATOR_REDIS_PERMISSION';
}

/** The error for a Redis that cannot be reached or refuses a command. */
export function unreachable(found: string): QueueError {
  // The client's own words are about its options.
  const said = found.startsWith("Stream isn't writeable") ? 'no connection' : found.slice(0, 200);
  return new QueueError('PLATFORM_REDIS_UNREACHABLE', `Cannot reach Redis: ${said}, wanted an answer`);
}

/** The start of errors that the client itself creates: about a connection, or about a cluster whose master is away. */
const unanswered =
  /^(Connection is closed|Command timed out|Stream isn't writeable|Too many Cluster redirections|None of startup nodes|Cluster isn't ready)/;

function refusalOf(message: string): Refusal | undefined {
  return refusals.find(({ words }) => words.test(message));
}

/** A transaction's cause is its first refused command, a cluster's its last node. */
function rootOf(error: Error): unknown {
  const previous = 'previousErrors' in error ? [error.previousErrors].flat()[0] : undefined;
  return previous ?? ('lastNodeError' in error ? error.lastNodeError : undefined) ?? error;
}
