import { UsageError } from './command.ts';

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * The time that an option gives, in milliseconds since 1970: a span back from now, such as `90s`, `30m`, `2h` or `1d`,
 * or a time in ISO 8601. Throws `UsageError` for anything else.
 */
export function timeOption(name: string, given: string, nowMs = Date.now()): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(given) ?? [];
  if (count !== undefined && unit !== undefined) return nowMs - Number(count) * unitMs[unit as keyof typeof unitMs];
  const atMs = /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isFinite(atMs)) return atMs;
  throw new UsageError(
    `Cannot read arguments: --${name} ${JSON.stringify(given)}, wanted a span such as 30m, 2h or 1d, or a time such as 2026-03-01T12:00:00Z`,
  );
}
