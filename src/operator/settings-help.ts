import { type Config, settings } from '../config.ts';

/** The part of a command's help that lists the settings it reads. */
export function settingsHelp(names: readonly (keyof Config)[]): string {
  const rows = names.map((name) => {
    const { env, flag, about, fallback } = settings[name] as {
      env: string;
      flag?: string;
      about: string;
      fallback: unknown;
    };
    const label = flag === undefined ? env : `${env}, --${flag}`;
    return `  ${label.padEnd(38)} ${about}${fallback === null ? '' : ` (default ${typeof fallback === 'boolean' ? Number(fallback) : String(fallback)})`}`;
  });
  return `Settings (environment variable, flag):\n${rows.join('\n')}\n`;
}
