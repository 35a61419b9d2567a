import { forTerminal, jsonForTerminal } from './for-terminal.ts';

/** Prints a value as JSON, or as lines for a person. Both are escaped for the terminal. */
export function print(json: boolean | undefined, value: unknown, lines: () => readonly string[]): void {
  const text = json ? jsonForTerminal(value, 2) : lines().map(oneLine).join('\n');
  process.stdout.write(text === '' ? '' : `${text}\n`);
}

/** Prints a message to standard error. */
export function complain(message: string): void {
  process.stderr.write(`${oneLine(message)}\n`);
}

/** Rows with their first column aligned, as `name  value`. */
export function rows(entries: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

/** A count with its noun, in the singular or plural. */
export function counted(count: number, noun: string): string {
  const plural = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${count} ${count === 1 ? noun : plural}`;
}

/** A span of time in one unit, such as `12 s` or `3.5 h`. */
export function span(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
  ] as const;
  const [unit, size] = units.find(([, each]) => seconds >= 2 * each) ?? ['s', 1];
  const value = seconds / size;
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ${unit}`;
}

/** A time in ISO 8601; `unknown` if it is not valid. */
export function moment(ms: number): string {
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : 'unknown';
}

/** A size in one unit, such as `21 KB`. */
export function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1_000 && unit < units.length - 1; unit += 1) value /= 1_000;
  return `${value < 10 && unit > 0 ? Math.round(value * 10) / 10 : Math.round(value)} ${units[unit]}`;
}

function oneLine(text: string): string {
  return forTerminal(text.replaceAll('\n', ' '));
}
