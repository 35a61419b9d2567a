import { styleText } from 'node:util';
import type { DestinationStream } from 'pino';
import { escapedLine } from '../kernel/quote.ts';

/** What every line has, and a person need not read. */
const usual: ReadonlySet<string> = new Set(['level', 'time', 'service', 'worker', 'msg', 'negotiation']);

const styles = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red', fatal: 'red' } as const;

/**
 * A destination of the log that writes lines for a person to a stream: time, level, message, then the fields. Coloured
 * on a terminal that shows colours. Invisible characters stay escaped, so nothing in a line moves the cursor.
 */
export function readableLog(stream: NodeJS.WriteStream): DestinationStream {
  return { write: (line) => void stream.write(`${readableLine(line, stream)}\n`) };
}

function readableLine(line: string, stream: NodeJS.WriteStream): string {
  const { level = 'info', time = '', msg = '', ...fields } = fieldsOf(line);
  const style = styles[level as keyof typeof styles] ?? 'green';
  const coloured = (format: Parameters<typeof styleText>[0], text: string) => styleText(format, text, { stream });
  const told = Object.entries(fields).flatMap(([name, value]) =>
    usual.has(name) || value === null ? [] : [`${coloured('dim', `${escapedLine(name)}=`)}${valueText(value)}`],
  );
  const when = coloured('dim', escapedLine(String(time)).slice(11, 23));
  return [
    when,
    coloured(style, String(level).toUpperCase().padEnd(5)),
    coloured('bold', escapedLine(String(msg))),
    ...told,
  ].join(' ');
}

function fieldsOf(line: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(line)) as Record<string, unknown>;
  } catch {
    return { msg: line.trimEnd() };
  }
}

/** A value on one line; a text with spaces or quotes in quotes. */
function valueText(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"'=[\]{}]+$/.test(value)) return escapedLine(value);
  return escapedLine(JSON.stringify(value));
}
