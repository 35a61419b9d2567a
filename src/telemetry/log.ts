import { hostname } from 'node:os';
import { type DestinationStream, type Logger, pino } from 'pino';
import { escapeInvisible } from '../kernel/invisible-characters.ts';
import type { JobEvent } from './job-event.ts';

/** A log of JSON lines: one per change of state, never a secret, a prompt or a document body. */
export type Log = Logger;

const maxMessageLength = 300;

/** Kinds are short; another job's name is its producer's text, and may be a whole document. */
const maxKindLength = 40;

/** Opens the log. An error is written as name, code and a short message: what hangs on it (a Redis command, a request) stays out. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { service: 'protosmith', worker: `${hostname()}-${process.pid}` },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: shortened },
    serializers: { error: describeError },
    hooks: { streamWrite: escapeInvisible },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** The fields of a line, texts of others cut short. */
function shortened(fields: object): Record<string, unknown> {
  const cut = ([name, value]: [string, unknown]): [string, unknown] => {
    const most = name === 'kind' ? maxKindLength : maxMessageLength;
    return [name, typeof value === 'string' && value.length > most ? `${value.slice(0, most)}…` : value];
  };
  return Object.fromEntries(Object.entries(fields).map(cut));
}

/** What may be told of an error in a log line or to an operator. What was described already comes back as it is. */
export function describeError(error: unknown): { name: string; code?: string; message: string } {
  if (typeof error !== 'object' || error === null || !('message' in error) || typeof error.message !== 'string')
    return { name: 'unknown', message: 'something that is no error was thrown' };
  const code = 'code' in error ? error.code : undefined;
  return {
    name: 'name' in error && typeof error.name === 'string' ? error.name : 'Error',
    ...(typeof code === 'string' ? { code } : {}),
    message: error.message.slice(0, maxMessageLength),
  };
}

/** Writes what happens to jobs into the log; a question that got no answer is a warning, for it may be the operator's to mend. */
export function logJobEvents(log: Log): (event: JobEvent) => void {
  return (event) => {
    const { type, ...fields } = event;
    const isUnanswered = type === 'attempted' && event.result === 'no-answer';
    log[type === 'stage' ? 'debug' : isUnanswered ? 'warn' : 'info'](fields, type);
  };
}
