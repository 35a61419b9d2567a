import type { Deed, QueueOperator, SharedLimit } from '../queues/index.ts';
import { budgetFaults, type Config, isUnreadable, settings } from './config.ts';
import { closestTo } from './kernel/closest.ts';
import { CodedError } from './kernel/errors.ts';

/** The settings of workers that an operator can override while they run. */
const overridable = [
  'concurrency',
  'maxCandidates',
  'maxCompletions',
  'maxTokens',
  'maxCostUsd',
  'maxTokensPerHour',
  'maxCostUsdPerHour',
  'maxTokensPerHourPerTenant',
  'maxCostUsdPerHourPerTenant',
  'models',
] as const satisfies readonly (keyof Config)[];

type Overridable = (typeof overridable)[number];

/** Limits of the whole queue, which no single worker has. */
const ofQueue = {
  'jobs-per-minute': {
    about: 'jobs that all workers together take in a minute',
    // BullMQ keeps it, and all workers obey at once.
    apply: ({ queue }: QueueOperator, perMinute: number | null) => {
      if (perMinute === null) return queue.removeGlobalRateLimit();
      // Spread over the minute: a whole minute's jobs at once would be a burst.
      const [max, ms] = perMinute <= 60 ? [1, 60_000 / perMinute] : [Math.round(perMinute / 60), 1_000];
      return queue.setGlobalRateLimit(max, Math.round(ms));
    },
  },
  'running-jobs': {
    about: 'jobs that all workers together run at once',
    apply: ({ queue }: QueueOperator, most: number | null) =>
      most === null ? queue.removeGlobalConcurrency() : queue.setGlobalConcurrency(most),
  },
  'tenant-waiting': {
    about: 'waiting jobs of one tenant, beyond which its producers are refused; tenant-waiting:<tenant> for one alone',
    // Whoever adds a job reads it.
    apply: async () => {},
  },
} as const;

type QueueLimit = keyof typeof ofQueue;

/** Largest limit of the queue. */
const mostOfQueue = 1_000_000;

/** A limit that can be changed while workers run. */
export interface LiveLimit {
  name: string;
  about: string;
  /** `null` if it is not set: each worker's own setting counts, and the queue has no limit. */
  set: SharedLimit | null;
}

/** The name of the limit that overrides a setting: `max-tokens` for `PROTOSMITH_MAX_TOKENS`. */
function nameOf(setting: Overridable): string {
  return settings[setting].env.slice('PROTOSMITH_'.length).toLowerCase().replaceAll('_', '-');
}

const settingsByName = new Map(overridable.map((setting) => [nameOf(setting), setting]));

const tenantLimit = /^tenant-waiting:[A-Za-z0-9_-]{1,64}$/;

/** Every limit, with what is set. */
export async function listLimits({ limits }: Pick<QueueOperator, 'limits'>): Promise<LiveLimit[]> {
  const set = new Map((await limits.all()).map((one) => [one.name, one]));
  const known = [
    ...[...settingsByName].map(([name, setting]) => ({ name, about: settings[setting].about })),
    ...Object.entries(ofQueue).map(([name, { about }]) => ({ name, about })),
  ];
  const ofTenants = [...set.keys()].filter((name) => tenantLimit.test(name));
  return [...known, ...ofTenants.map((name) => ({ name, about: 'waiting jobs of this tenant' }))].map((one) => ({
    ...one,
    set: set.get(one.name) ?? null,
  }));
}

/**
 * Sets a limit for all workers. `text` is written as the value of the setting; `none` lifts a limit that workers have.
 * Rejects with `OPERATOR_SETTINGS` if there is no such limit, or the value does not fit.
 */
export async function setLimit(
  operator: QueueOperator,
  name: string,
  text: string,
  deed: Omit<Deed, 'atMs'>,
): Promise<SharedLimit> {
  const value = valueFor(name, text);
  if (isQueueLimit(name)) await ofQueue[name].apply(operator, value as number);
  return operator.limits.set(name, value, deed);
}

/** Removes a limit, so that each worker's own setting counts again. Rejects as `setLimit` does. */
export async function clearLimit(operator: QueueOperator, name: string): Promise<boolean> {
  demandName(name);
  if (isQueueLimit(name)) await ofQueue[name].apply(operator, null);
  return operator.limits.clear(name);
}

/**
 * A worker's settings with the limits that are set. A limit that does not fit this worker, such as a model whose key it
 * lacks, is left out, with a sentence that says why.
 */
export function withLimits<Own extends Pick<Config, Overridable>>(
  config: Own,
  limits: readonly SharedLimit[],
  environment: Readonly<Record<string, string | undefined>>,
): { config: Own; faults: string[] } {
  const faults: string[] = [];
  let result = config;
  for (const { name, value } of limits) {
    const setting = settingsByName.get(name);
    if (setting === undefined) continue;
    const read = readValue(setting, value, environment);
    const next = isUnreadable(read) ? result : { ...result, [setting]: read };
    const wanted = isUnreadable(read) ? [read.wanted] : budgetFaults(next).slice(budgetFaults(config).length);
    if (wanted.length === 0) result = next;
    else
      faults.push(`Cannot apply limit ${name}: found a value that does not fit this worker, wanted ${wanted.join()}`);
  }
  return { config: result, faults };
}

/** The settings that differ. */
export function changedLimits(before: Pick<Config, Overridable>, after: Pick<Config, Overridable>): Overridable[] {
  return overridable.filter((setting) => JSON.stringify(before[setting]) !== JSON.stringify(after[setting]));
}

function isQueueLimit(name: string): name is QueueLimit {
  return Object.hasOwn(ofQueue, name);
}

function demandName(name: string): void {
  if (settingsByName.has(name) || isQueueLimit(name) || tenantLimit.test(name)) return;
  const names = [...settingsByName.keys(), ...Object.keys(ofQueue)];
  const meant = closestTo(name, names);
  throw new CodedError(
    'OPERATOR_SETTINGS',
    `Cannot change limit: found ${JSON.stringify(name.slice(0, 80))}, wanted one of ${names.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  );
}

function valueFor(name: string, text: string): unknown {
  demandName(name);
  const setting = settingsByName.get(name);
  if (setting === undefined) {
    const value = /^\d{1,7}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= mostOfQueue) return value;
    throw wrong(name, `a whole number from 1 to ${mostOfQueue}; \`protosmith limits clear\` removes the limit`);
  }
  if (text === 'none' && isLiftable(setting)) return 'none';
  // Workers have the keys of models, an operator need not.
  const environment = new Proxy({}, { get: (_, variable) => (variable === 'OPENAI_BASE_URL' ? undefined : 'set') });
  const read = settings[setting].read(text, environment);
  if (isUnreadable(read)) throw wrong(name, read.wanted);
  return setting === 'models' ? JSON.parse(text) : read;
}

/** Whether workers may have no such limit. */
function isLiftable(setting: Overridable): boolean {
  return settings[setting].fallback === null && setting !== 'models';
}

function readValue(setting: Overridable, value: unknown, environment: Readonly<Record<string, string | undefined>>) {
  if (value === 'none' && isLiftable(setting)) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return settings[setting].read(text, environment);
}

function wrong(name: string, wanted: string): CodedError {
  return new CodedError(
    'OPERATOR_SETTINGS',
    `Cannot set limit ${name}: found a value that does not fit, wanted ${wanted}`,
  );
}
