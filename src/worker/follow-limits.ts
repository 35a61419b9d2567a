import type { SharedLimits } from '../../queues/index.ts';
import type { Config } from '../config.ts';
import { changedLimits, withLimits } from '../live-limits.ts';
import type { Log } from '../telemetry/log.ts';

/** How often a worker looks for changed limits, in milliseconds. */
const lookMs = 2_000;

/**
 * Follows the limits that operators set for all workers. Whenever they change, calls `apply` with the settings that now
 * hold, and logs what changed and what this worker cannot apply. While Redis is away, the last limits hold.
 */
export function followLimits<Own extends Config | Omit<Config, 'consoleToken'>>(
  config: Own,
  limits: SharedLimits,
  log: Log,
  apply: (next: Own, changed: readonly string[]) => void,
): { close(): void } {
  let current = config;
  let seen = '[]';
  let looking = false;
  const look = async () => {
    if (looking) return;
    looking = true;
    try {
      const all = await limits.all();
      const text = JSON.stringify(all);
      if (text === seen) return;
      seen = text;
      const { config: next, faults } = withLimits(config, all, process.env);
      for (const message of faults) log.warn({ message }, 'limit-refused');
      const changed = changedLimits(current, next);
      if (changed.length === 0) return;
      current = next;
      apply(next, changed);
      log.info({ changed }, 'limits-changed');
    } catch {
      // The consumer reports what is wrong with Redis.
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  void look();
  return { close: () => clearInterval(timer) };
}
