import { type Config, settings } from '../../config.ts';

/** The settings of every command that runs handlers. */
export const sandboxSettings = ['cells', 'sandboxLevel', 'sandboxLimits', 'sandboxStrict'] as const;

/** Column of the descriptions, and width of the help. */
const column = 41;
const width = 118;

/** The part of a command's help that lists the settings it reads. */
export function settingsHelp(names: readonly (keyof Config)[]): string {
  const rows = names.map((name) => {
    const { env, flag, about, fallback, fallbackText } = settings[name] as {
      env: string;
      flag?: string;
      about: string;
      fallback: unknown;
      fallbackText?: string;
    };
    const label = flag === undefined ? env : `${env}, --${flag}`;
    const value = fallbackText ?? (typeof fallback === 'boolean' ? Number(fallback) : fallback);
    const isUnset = fallback === null || (Array.isArray(fallback) && fallback.length === 0);
    const text = isUnset ? about : `${about} (default ${value})`;
    return `  ${label}`.padEnd(column) + wrapped(text).join(`\n${' '.repeat(column)}`);
  });
  return `Settings (environment variable, flag):\n${rows.join('\n')}\n`;
}

function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && column + line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
