import { readFileSync } from 'node:fs';
import { QueueError } from './queue-error.ts';
import type { TlsFiles } from './redis-url.ts';

/**
 * Reads PEM files into options of `tls.connect`. Throws `OPERATOR_REDIS_URL_INVALID`, with the option's name and the
 * fault, for a file that cannot be read.
 */
export function tlsOptions({ tlsCa, tlsCert, tlsKey }: TlsFiles): { ca?: string; cert?: string; key?: string } {
  return {
    ...(tlsCa === undefined ? {} : { ca: textOf(tlsCa, 'tlsCa') }),
    ...(tlsCert === undefined ? {} : { cert: textOf(tlsCert, 'tlsCert') }),
    ...(tlsKey === undefined ? {} : { key: textOf(tlsKey, 'tlsKey') }),
  };
}

function textOf(path: string, option: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const found = (error as NodeJS.ErrnoException).code ?? 'a fault of its own';
    throw unreadable(option, found);
  }
  if (!text.includes('-----BEGIN ')) throw unreadable(option, 'no PEM text');
  return text;
}

function unreadable(option: string, found: string): QueueError {
  return new QueueError(
    'OPERATOR_REDIS_URL_INVALID',
    `Cannot read ${option} of Redis URL: found ${found}, wanted a readable PEM file`,
  );
}
