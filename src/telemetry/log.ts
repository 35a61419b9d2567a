import { type DestinationStream, type Logger, pino } from 'pino';
import { escapeInvisible } from '../kernel/invisible-characters.ts';
import type { JobEvent } from './job-event.ts';
import { processName } from './process-name.ts';

/** A log of JSON lines, one per change of state. It never contains a secret, a prompt or a document body. */
export type Log = Logger;

const maxMessageLength = 300;

/** Kinds are short; an unknown kind is the producer's text and may be a whole document. */
const maxKindLength = 40;

/**
 * Opens the log. An error is written as name, code and a short message. Other properties of an error, such as a Redis
 * command or a request, are left out.
 */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { service: 'protosmith', worker: processName },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: shortened },
    serializers: { error: describeError },
    hooks: { streamWrite: escapeInvisible },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Names of the members that every line has. Most parsers would drop the first of two members with one name. */
const taken: ReadonlySet<string> = new Set(['level', 'time', 'service', 'worker', 'msg']);

/** The fields of a line, with long texts cut, and with another name if the line has a member of that name. */
function shortened(fields: object): Record<string, unknown> {
  const cut = ([given, value]: [string, unknown]): [string, unknown] => {
    const name = taken.has(given) ? `${given}_` : given;
    const most = name === 'kind' ? maxKindLength : maxMessageLength;
    return [name, typeof value === 'string' && value.length > most ? `${value.slice(0, most)}…` : value];
  };
  return Object.fromEntries(Object.entries(fields).map(cut));
}

/**
 * The parts of an error that a log line or an operator may see. Returns an error that was already described unchanged.
 */
export function describeError(error: unknown): { name: string; code?: string; message: string } {
  if (typeof error !== 'object' || error === null || !('message' in error) || typeof error.message !== 'string')
    return { name: 'unknown', message: 'the thrown value is not an error' };
  const code = 'code' in error ? error.code : undefined;
  return {
    name: 'name' in error && typeof error.name === 'string' ? error.name : 'Error',
    ...(typeof code === 'string' ? { code } : {}),
    message: error.message.slice(0, maxMessageLength),
  };
}

/** Events for the level `debug`: too frequent for `info`, or of little use without their texts. */
const quiet: ReadonlySet<JobEvent['type']> = new Set([
  'stage',
  'try-failed',
  'candidate',
  'derived',
  'second-reader',
  'judged',
  'stored',
]);

/**
 * Writes job events to the log, without the texts of agreements and models that they carry. A question without an
 * answer is a warning, because the operator may have to act.
 */
export function logJobEvents(log: Log): (event: JobEvent) => void {
  return (event) => {
    const { type, delivery: _, ...fields } = event;
    const isAttempt = type === 'attempted';
    const isUnanswered = isAttempt && event.result === 'no-answer';
    // Faults of a candidate concern only the model.
    const without = isAttempt && !isUnanswered ? { detail: undefined, code: undefined } : { detail: undefined };
    log[quiet.has(type) ? 'debug' : isUnanswered ? 'warn' : 'info']({ ...fields, ...without }, type);
  };
}
