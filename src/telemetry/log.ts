import { hostname } from 'node:os';
import { type DestinationStream, type Logger, pino } from 'pino';
import { codeOf } from '../kernel/errors.ts';
import type { JobEvent } from './job-event.ts';

/** A log of JSON lines: one per change of state, never a secret, a prompt or a document body. */
export type Log = Logger;

const maxMessageLength = 300;

/** Opens the log. An error is written as name, code and a short message: what hangs on it (a Redis command, a request) stays out. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { service: 'protosmith', worker: `${hostname()}-${process.pid}` },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: describeError },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** What may be told of an error in a log line or to an operator. */
export function describeError(error: unknown): { name: string; code?: string; message: string } {
  if (!(error instanceof Error)) return { name: 'unknown', message: 'something that is no error was thrown' };
  const code = codeOf(error) ?? (error as NodeJS.ErrnoException).code;
  return {
    name: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: error.message.slice(0, maxMessageLength),
  };
}

/** Writes what happens to jobs into the log. */
export function logJobEvents(log: Log): (event: JobEvent) => void {
  return (event) => {
    const { type, ...fields } = event;
    if (type === 'stage') log.debug(fields, type);
    else log.info(fields, type);
  };
}
