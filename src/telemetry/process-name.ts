import { hostname } from 'node:os';

/** The name of this process in logs, histories and traces: its host and its id. */
export const processName = `${hostname()}-${process.pid}`;
