// biome-ignore-all lint/style/noExcessiveLinesPerFile: the table of all settings.
import { closestTo } from './kernel/closest.ts';
import { CodedError } from './kernel/errors.ts';

/** A setting: an environment variable, some with a flag. */
interface Setting<T> {
  env: string;
  flag?: string;
  /** Values that other programs put into the variable. They are ignored. */
  foreign?: RegExp;
  /** The text for `--help`. */
  about: string;
  fallback: T;
  /** How a user writes the fallback, if it is not text, a number or yes. */
  fallbackText?: string;
  /** Parses the text, or returns what was wanted instead. */
  read(text: string, environment: Environment): T | Unreadable;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A model and its endpoint. Models are asked in the order of the list. */
export interface ModelSetting {
  model: string;
  baseUrl: string | null;
  apiKey: string | null;
  inputPrice: number | null;
  cachedInputPrice: number | null;
  outputPrice: number | null;
}

interface Unreadable {
  wanted: string;
}

/** Files of settings and secrets leave blanks and line breaks around a value. */
const text = (pattern: RegExp, wanted: string) => (given: string) => {
  const value = given.trim();
  return pattern.test(value) ? value : { wanted };
};

const integer = (least: number, most: number) => (given: string) => {
  const value = Number(given);
  return /^\d+$/.test(given) && value >= least && value <= most
    ? value
    : { wanted: `a whole number from ${least} to ${most}` };
};

const oneOf =
  <const T extends string>(...values: T[]) =>
  (given: string): T | Unreadable =>
    values.find((value) => value === given) ?? { wanted: `one of ${values.join(', ')}` };

const someOf =
  <const T extends string>(...values: T[]) =>
  (given: string): T[] | Unreadable => {
    const named = given.split(',').map((name) => name.trim());
    const known = values.filter((value) => named.includes(value));
    const isAllKnown = named.every((name) => known.some((value) => value === name));
    return isAllKnown ? known : { wanted: `some of ${values.join(', ')}, separated by commas` };
  };

const yesNo = (given: string): boolean | Unreadable =>
  given === '1' ? true : given === '0' ? false : { wanted: '1 or 0' };

/** `fetch` refuses a URL with user or password, and its error message would repeat them. */
const endpointUrl = (given: string): string | Unreadable => {
  const url = given.trim();
  const { protocol, username, password } = URL.canParse(url) ? new URL(url) : { protocol: '' };
  return /^https?:$/.test(protocol) && !username && !password
    ? url
    : { wanted: 'a URL that starts with http:// or https://, without user and password' };
};

const price = (given: string): number | null | Unreadable =>
  /^\d+(\.\d+)?$/.test(given) ? Number(given) : { wanted: 'US dollars per million tokens, such as 2.5' };

const models = (given: string, environment: Environment): ModelSetting[] | Unreadable => {
  const form =
    'a JSON array of {"model", "baseUrl"?, "apiKeyEnv"?, "inputPrice"?, "cachedInputPrice"?, "outputPrice"?}';
  try {
    const list: unknown = JSON.parse(given);
    if (!Array.isArray(list) || list.length === 0 || list.length > 8) return { wanted: form };
    const read = list.map((one: unknown, index) => {
      if (typeof one !== 'object' || one === null) throw new RangeError(form);
      const wrong = (member: string, wanted: string) => new RangeError(`at /${index}/${member} ${wanted}`);
      const known = ['model', 'baseUrl', 'apiKeyEnv', 'inputPrice', 'cachedInputPrice', 'outputPrice'];
      const stray = Object.keys(one).find((member) => !known.includes(member));
      if (stray !== undefined)
        throw wrong(
          stray.slice(0, 40),
          'nothing; "apiKeyEnv" names the variable of a key, which is never written here',
        );
      const { model, baseUrl, apiKeyEnv, ...prices } = one as Record<string, unknown>;
      if (typeof model !== 'string' || !/^\S{1,200}$/.test(model))
        throw wrong('model', 'a model name without white space');
      const endpoint = baseUrl === undefined ? null : endpointUrl(String(baseUrl));
      if (isUnreadable(endpoint)) throw wrong('baseUrl', endpoint.wanted);
      const apiKey = apiKeyEnv === undefined ? undefined : environment[String(apiKeyEnv)]?.trim();
      if (apiKeyEnv !== undefined && !apiKey)
        throw wrong('apiKeyEnv', 'the name of an environment variable that is set');
      const priceOf = (member: 'inputPrice' | 'cachedInputPrice' | 'outputPrice') => {
        const found = prices[member];
        if (found === undefined) return null;
        if (typeof found !== 'number' || !(found >= 0)) throw wrong(member, 'US dollars per million tokens');
        return found;
      };
      return {
        model,
        baseUrl: endpoint ?? environment.OPENAI_BASE_URL ?? null,
        apiKey: apiKey ?? environment.OPENAI_API_KEY?.trim() ?? null,
        inputPrice: priceOf('inputPrice'),
        cachedInputPrice: priceOf('cachedInputPrice'),
        outputPrice: priceOf('outputPrice'),
      };
    });
    return read;
  } catch (error) {
    return { wanted: error instanceof RangeError ? error.message : form };
  }
};

const numbers = (given: string): Record<string, number> | Unreadable => {
  const wanted = 'a JSON object of numbers, such as {"stepMs":2000}';
  try {
    const value: unknown = JSON.parse(given);
    const isNumbers =
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((one) => typeof one === 'number');
    return isNumbers ? { ...value } : { wanted };
  } catch {
    return { wanted };
  }
};

/** How long and how much is kept of what happened to a job. */
export interface HistorySetting {
  seconds: number;
  bytesPerJob: number;
  entriesPerJob: number;
  memoryShare: number;
}

const defaultHistory: HistorySetting = {
  seconds: 86_400,
  bytesPerJob: 524_288,
  entriesPerJob: 1_000,
  memoryShare: 0.7,
};

const history = (given: string): HistorySetting | null | Unreadable => {
  if (given === 'off') return null;
  if (given === 'on') return defaultHistory;
  const form =
    'on, off, or a JSON object such as {"hours":24,"kilobytesPerJob":512,"entriesPerJob":1000,"memoryShare":0.7}';
  const limits = numbers(given);
  if (isUnreadable(limits)) return { wanted: form };
  const ranges = { hours: [0.1, 720], kilobytesPerJob: [16, 16_384], entriesPerJob: [50, 10_000], memoryShare: [0, 1] };
  for (const [name, value] of Object.entries(limits)) {
    const [least = 1, most = 0] = new Map<string, number[]>(Object.entries(ranges)).get(name) ?? [];
    if (!(value >= least && value <= most)) return { wanted: form };
  }
  const { hours = 24, kilobytesPerJob = 512, entriesPerJob = 1_000, memoryShare = 0.7 } = limits;
  return {
    seconds: Math.round(hours * 3_600),
    bytesPerJob: Math.round(kilobytesPerJob * 1_024),
    entriesPerJob: Math.round(entriesPerJob),
    memoryShare,
  };
};

const tenantClasses = (given: string): Record<string, string[]> | Unreadable => {
  const wanted = 'a JSON object of up to 20 classes with their tenants, such as {"paying":["acme"]}';
  const isName = (name: unknown) => typeof name === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(name);
  try {
    const value: unknown = JSON.parse(given);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { wanted };
    const classes = Object.entries(value);
    const areClasses = classes.every(
      ([name, tenants]) => isName(name) && Array.isArray(tenants) && tenants.every(isName),
    );
    return areClasses && classes.length <= 20 ? { ...value } : { wanted };
  } catch {
    return { wanted };
  }
};

const dollars = (given: string): number | null | Unreadable =>
  /^\d+(\.\d+)?$/.test(given) ? Number(given) : { wanted: 'US dollars, such as 0.25' };

/** Names of hosts, perhaps with ports, in the form in which a URL has them. */
const hostNames = (given: string): string[] | Unreadable => {
  const wanted = 'names of hosts, each perhaps with a port, separated by commas; no addresses, no localhost';
  const hosts = given.split(',').map((name) => name.trim().toLowerCase());
  const isName = (host: string) =>
    /^(?=[^:]{1,253}(?::|$))(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9](?::[1-9]\d{0,4})?$/.test(
      host,
    ) &&
    !/\.localhost(?::|$)/.test(host) &&
    URL.canParse(`https://${host}`);
  return hosts.every(isName) ? hosts.map((host) => new URL(`https://${host}`).host) : { wanted };
};

const setting = <T>(one: Setting<T>): Setting<T> => one;

/**
 * The checks that may be set to warn only: they depend on the words of an agreement, which they may misread. Checks for
 * memorised examples are not among them.
 */
export const advisableChecks = ['generated-requests', 'leaks', 'member-order', 'requester-peer'] as const;

/** Every setting, with its default. */
export const settings = {
  redisUrl: setting({
    env: 'REDIS_URL',
    flag: 'redis-url',
    about: 'Redis or Valkey server',
    fallback: 'redis://127.0.0.1:6379',
    read: text(
      /^(?:rediss?|valkeys?)(\+sentinel|\+cluster)?:\/\/[^\r\n]*$/i,
      'a URL that starts with redis://, rediss://, redis+sentinel:// or redis+cluster://',
    ),
  }),
  prefix: setting({
    env: 'PROTOSMITH_PREFIX',
    about: 'key prefix; the braces keep every key on one slot of a Redis Cluster',
    fallback: '{protosmith}',
    read: text(/^\{[\w-]{1,64}\}$/, 'letters, digits, - and _ in braces, such as {protosmith}'),
  }),
  apiKey: setting<string | null>({
    env: 'OPENAI_API_KEY',
    about: 'key of the model server; a local server needs none',
    fallback: null,
    read: text(/^\S+$/, 'a key without white space'),
  }),
  baseUrl: setting<string | null>({
    env: 'OPENAI_BASE_URL',
    about: 'any OpenAI-compatible server',
    fallback: null,
    read: endpointUrl,
  }),
  model: setting<string | null>({
    env: 'PROTOSMITH_MODEL',
    flag: 'model',
    about: 'name of the model',
    fallback: null,
    read: text(/^\S{1,200}$/, 'a model name without white space'),
  }),
  models: setting<ModelSetting[] | null>({
    env: 'PROTOSMITH_MODELS',
    about:
      'several models in order, in place of PROTOSMITH_MODEL; when one fails, the next is asked: a JSON array of {model, baseUrl, apiKeyEnv, inputPrice, cachedInputPrice, outputPrice}, all but model optional',
    fallback: null,
    read: models,
  }),
  inputPrice: setting<number | null>({
    env: 'PROTOSMITH_PRICE_INPUT',
    about: 'price of input, US dollars per million tokens; unknown when not set',
    fallback: null,
    read: price,
  }),
  cachedInputPrice: setting<number | null>({
    env: 'PROTOSMITH_PRICE_CACHED_INPUT',
    about: 'price of cached input; the price of input when not set',
    fallback: null,
    read: price,
  }),
  outputPrice: setting<number | null>({
    env: 'PROTOSMITH_PRICE_OUTPUT',
    about: 'price of output, US dollars per million tokens',
    fallback: null,
    read: price,
  }),
  maxCandidates: setting({
    env: 'PROTOSMITH_MAX_CANDIDATES',
    about: 'modules requested for one job, repairs included',
    fallback: 6,
    read: integer(1, 20),
  }),
  maxCompletions: setting({
    env: 'PROTOSMITH_MAX_COMPLETIONS',
    about: 'requests to model servers for one job, including those to readers and judges, and retries',
    fallback: 12,
    read: integer(1, 50),
  }),
  maxOutputTokens: setting({
    env: 'PROTOSMITH_MAX_OUTPUT_TOKENS',
    about: 'longest answer of the model, in tokens, including its reasoning',
    fallback: 16_384,
    read: integer(256, 1_000_000),
  }),
  maxTokens: setting<number | null>({
    env: 'PROTOSMITH_MAX_TOKENS',
    about: 'input and output tokens of one job together; no limit when not set',
    fallback: null,
    read: integer(1, 1_000_000_000),
  }),
  maxCostUsd: setting<number | null>({
    env: 'PROTOSMITH_MAX_COST_USD',
    about: 'cost of one job in US dollars; needs prices; no limit when not set',
    fallback: null,
    read: dollars,
  }),
  maxTokensPerHour: setting<number | null>({
    env: 'PROTOSMITH_MAX_TOKENS_PER_HOUR',
    about: 'tokens of all jobs of this worker process within an hour; no limit when not set',
    fallback: null,
    read: integer(1, 1_000_000_000_000),
  }),
  maxCostUsdPerHour: setting<number | null>({
    env: 'PROTOSMITH_MAX_COST_USD_PER_HOUR',
    about: 'cost of all jobs of this worker process within an hour, in US dollars; needs prices; no limit when not set',
    fallback: null,
    read: dollars,
  }),
  maxTokensPerHourPerTenant: setting<number | null>({
    env: 'PROTOSMITH_TENANT_TOKENS_PER_HOUR',
    about: 'tokens of all jobs of one tenant on this worker process within an hour; no limit when not set',
    fallback: null,
    read: integer(1, 1_000_000_000_000),
  }),
  maxCostUsdPerHourPerTenant: setting<number | null>({
    env: 'PROTOSMITH_TENANT_COST_USD_PER_HOUR',
    about: 'cost of all jobs of one tenant on this worker process within an hour; needs prices; no limit when not set',
    fallback: null,
    read: dollars,
  }),
  concurrency: setting({
    env: 'PROTOSMITH_CONCURRENCY',
    flag: 'concurrency',
    about: 'jobs processed at once by one worker process',
    fallback: 10,
    read: integer(1, 500),
  }),
  cells: setting<number | null>({
    env: 'PROTOSMITH_CELLS',
    about: 'sandbox processes; one per core when not set',
    fallback: null,
    read: integer(1, 64),
  }),
  sandboxLevel: setting<'process' | 'permission' | 'namespaces' | 'bubblewrap' | null>({
    env: 'PROTOSMITH_SANDBOX_LEVEL',
    about:
      'minimum sandbox level: process, permission, namespaces or bubblewrap; the best available level is always used',
    fallback: null,
    read: oneOf('process', 'permission', 'namespaces', 'bubblewrap'),
  }),
  sandboxLimits: setting<Record<string, number> | null>({
    env: 'PROTOSMITH_SANDBOX_LIMITS',
    about:
      'sandbox limits to override, as a JSON object: stepMs, watchdogMs, memoryMb, maxResultBytes, maxLogBytes and maxCalls for handlers; cellMemoryMb, cellRestMb, isolatesPerCell, parkedPerCell, maxWaiting and leaseMs for cells; sandbox/policy.ts has the highest values',
    fallback: null,
    read: numbers,
  }),
  sandboxStrict: setting<('jitless' | 'fresh-contexts')[]>({
    env: 'PROTOSMITH_SANDBOX_STRICT',
    about:
      'extra protection at the cost of speed, separated by commas: jitless (no handler is compiled to machine code), fresh-contexts (a new context for each run)',
    fallback: [],
    read: someOf('jitless', 'fresh-contexts'),
  }),
  reading: setting<'required' | 'late' | 'off'>({
    env: 'PROTOSMITH_READING',
    about:
      "whether a model derives further cases from the agreement to run every handler on: required (no handler without them), late (the job waits for them until the peer's deadline, and runs the rest afterwards), or off",
    fallback: 'late',
    read: oneOf('required', 'late', 'off'),
  }),
  advisoryChecks: setting<string[]>({
    env: 'PROTOSMITH_ADVISORY_CHECKS',
    about:
      'checks that only warn and never refuse a handler, separated by commas: for agreements that they misread (docs/verification.md)',
    fallback: [],
    read: someOf(...advisableChecks),
  }),
  fetchHosts: setting<string[]>({
    env: 'PROTOSMITH_FETCH_HOSTS',
    about:
      'hosts that documents named by URI in an agreement may be fetched from, as host or host:port with commas; none when not set. Only https, public addresses and texts of the agreed hash',
    fallback: [],
    read: hostNames,
  }),
  trialSeed: setting<string | null>({
    env: 'PROTOSMITH_TRIAL_SEED',
    about:
      'random seed of all trials, to repeat those of a job by the trialSeed of its report; a new one for each job when not set',
    fallback: null,
    read: text(/^[\w.-]{1,100}$/, 'the trialSeed of a report'),
  }),
  retentionSeconds: setting({
    env: 'PROTOSMITH_RETENTION_S',
    about: 'how long outcomes and handlers are kept, in seconds',
    fallback: 7 * 86_400,
    read: integer(60, 365 * 86_400),
  }),
  maxHandlersPerTenant: setting({
    env: 'PROTOSMITH_TENANT_HANDLERS',
    about: 'handlers kept for one tenant; the least recently used are removed first, pinned ones never',
    fallback: 10_000,
    read: integer(1, 1_000_000),
  }),
  quarantineSeconds: setting({
    env: 'PROTOSMITH_QUARANTINE_S',
    about: 'how long a bundle that killed its sandbox is not run again, in seconds',
    fallback: 30 * 86_400,
    read: integer(60, 365 * 86_400),
  }),
  history: setting<HistorySetting | null>({
    env: 'PROTOSMITH_HISTORY',
    about:
      'what happened to each job, with the candidates of models and the job itself, for `protosmith history`: on, off (no texts are kept), or limits as a JSON object: hours, kilobytesPerJob, entriesPerJob, and memoryShare, the share of the maxmemory of Redis above which nothing more is kept',
    fallback: defaultHistory,
    fallbackText: 'on',
    read: history,
  }),
  otlpEndpoint: setting<string | null>({
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    about:
      'base URL of an OpenTelemetry receiver (OTLP over HTTP) for a trace of each job; OTEL_EXPORTER_OTLP_HEADERS may hold its headers; no traces when not set, or with OTEL_SDK_DISABLED=true',
    fallback: null,
    read: (given, environment) => (environment.OTEL_SDK_DISABLED === 'true' ? null : endpointUrl(given)),
  }),
  traceShare: setting({
    env: 'OTEL_TRACES_SAMPLER_ARG',
    about: 'share of the jobs that are traced, 0 to 1, where the producer has not decided it',
    fallback: 1,
    read: (given) => (/^(?:0|1|0?\.\d+|1\.0+)$/.test(given) ? Number(given) : { wanted: 'a number from 0 to 1' }),
  }),
  drainMs: setting({
    env: 'PROTOSMITH_DRAIN_MS',
    about: 'how long a stopping worker may take to finish its jobs, in milliseconds',
    fallback: 25_000,
    read: integer(0, 600_000),
  }),
  durable: setting({
    env: 'PROTOSMITH_DURABLE',
    about: 'whether to refuse a Redis that does not persist data, or that evicts keys: 1 or 0',
    fallback: false,
    read: yesNo,
  }),
  port: setting<number | null>({
    env: 'PROTOSMITH_PORT',
    // Kubernetes sets such a value in every pod next to a service named protosmith, and Docker does for a link of that
    // name.
    foreign: /^(tcp|udp|sctp):\/\//,
    about: 'port of the worker for /livez, /readyz and /metrics; 0 picks a free one; none when not set',
    fallback: null,
    read: integer(0, 65_535),
  }),
  host: setting({
    env: 'PROTOSMITH_HOST',
    about: 'address to open the port of a worker or of the console on',
    fallback: '127.0.0.1',
    read: text(/^[\w.:-]{1,255}$/, 'an address such as 127.0.0.1 or ::'),
  }),
  monitor: setting({
    env: 'PROTOSMITH_MONITOR',
    about: 'whether /metrics of this worker covers the whole queue too: 1 or 0; one worker is enough',
    fallback: false,
    read: yesNo,
  }),
  tenantClasses: setting<Record<string, string[]>>({
    env: 'PROTOSMITH_TENANT_CLASSES',
    about:
      'classes of tenants that metrics count jobs by, as a JSON object of names to lists of tenants; the rest counts as default or other',
    fallback: {},
    read: tenantClasses,
  }),
  consoleToken: setting<string | null>({
    env: 'PROTOSMITH_CONSOLE_TOKEN',
    about: 'token to open the console with; a new one at each start when not set',
    fallback: null,
    read: text(/^[\w.~-]{16,200}$/, 'at least 16 letters, digits and -._~'),
  }),
  logLevel: setting({
    env: 'PROTOSMITH_LOG_LEVEL',
    flag: 'log-level',
    about: 'debug, info, warn, error or silent',
    fallback: 'info' as const,
    read: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  }),
  logFormat: setting({
    env: 'PROTOSMITH_LOG_FORMAT',
    about: 'json, text for people, or auto: text on a terminal and json elsewhere',
    fallback: 'auto' as const,
    read: oneOf('auto', 'json', 'text'),
  }),
  generator: setting({
    env: 'PROTOSMITH_GENERATOR',
    about: 'kind of model behind the server: live, or scripted as in the demo',
    fallback: 'live' as const,
    read: oneOf('live', 'scripted'),
  }),
};

/** The value of every setting. */
export type Config = { [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer T> ? T : never };

/** The settings of a worker. */
export type WorkerConfig = Omit<Config, 'consoleToken'>;

/** Settings that are missing or invalid. Ends the command with exit code 78. */
export class SettingsError extends CodedError {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(
      'OPERATOR_SETTINGS',
      `Cannot start: ${faults.length === 1 ? 'a setting is' : `${faults.length} settings are`} wrong\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
    );
    this.faults = faults;
  }
}

/**
 * Reads settings from flags and environment; a flag wins. Throws one `SettingsError` that lists every fault. Reads only
 * the settings in `only`, if given. With `model`, a missing model is a fault too.
 */
export function readConfig<Name extends keyof Config = keyof Config>(
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string | undefined>> = {},
  needs: { model?: boolean; only?: readonly Name[] } = {},
): Pick<Config, Name> {
  const faults: string[] = [];
  const names: readonly (keyof Config)[] = needs.only ?? (Object.keys(settings) as (keyof Config)[]);
  const entries = names.map((name) => {
    const one = settings[name] as Setting<unknown>;
    const flag = one.flag === undefined ? undefined : flags[one.flag];
    const given = flag ?? environment[one.env];
    if (given === undefined || given === '' || one.foreign?.test(given)) return [name, one.fallback];
    const value = one.read(given, environment);
    if (!isUnreadable(value)) return [name, value];
    // A secret is never shown, not even an invalid one.
    const found =
      name === 'apiKey' || name === 'models' || name === 'consoleToken'
        ? 'a value that cannot be used'
        : JSON.stringify(redactUrl(given).slice(0, 200));
    faults.push(`${flag === undefined ? one.env : `--${one.flag}`}: ${found}, wanted ${value.wanted}`);
    return [name, one.fallback];
  });
  const config = Object.fromEntries(entries) as Pick<Config, Name>;
  if (needs.model) faults.push(...modelFaults(config, environment), ...budgetFaults(config));
  if (faults.length > 0) throw new SettingsError(faults);
  return config;
}

/**
 * Environment variables that look like mistyped settings, each with the setting that was probably meant. Others with
 * our prefix are not told: another program may use them, as Kubernetes does for a service of our name.
 */
export function unknownSettings(environment: Environment): { name: string; meant: string }[] {
  const known = Object.values(settings).map(({ env }) => env);
  return Object.keys(environment).flatMap((name) => {
    const isServiceLink = /_(SERVICE_HOST|(SERVICE_)?PORT(_\w+)?)$/.test(name);
    if (!name.startsWith('PROTOSMITH_') || known.includes(name) || isServiceLink) return [];
    const meant = closestTo(name.slice('PROTOSMITH_'.length), known.map(withoutPrefix));
    return meant === undefined ? [] : [{ name, meant: `PROTOSMITH_${meant}` }];
  });
}

const withoutPrefix = (env: string) => env.replace(/^PROTOSMITH_/, '');

/**
 * The models to ask, in order: those of `PROTOSMITH_MODELS`, else the one of `PROTOSMITH_MODEL`. A name of `null` means
 * that none is set.
 */
export function modelsOf({
  models,
  model,
  baseUrl,
  apiKey,
  inputPrice = null,
  cachedInputPrice = null,
  outputPrice = null,
}: Pick<Config, 'model' | 'models' | 'baseUrl' | 'apiKey'> & Partial<Config>): (Omit<ModelSetting, 'model'> & {
  model: string | null;
})[] {
  return models ?? [{ model, baseUrl, apiKey, inputPrice, cachedInputPrice, outputPrice }];
}

/** The settings of the sandbox as its options. */
export function sandboxOptions({
  cells,
  sandboxLevel,
  sandboxLimits,
  sandboxStrict,
}: Pick<Config, 'cells' | 'sandboxLevel' | 'sandboxLimits' | 'sandboxStrict'>) {
  return {
    ...(cells === null ? {} : { cells }),
    ...(sandboxLevel === null ? {} : { level: sandboxLevel }),
    ...(sandboxLimits === null ? {} : { limits: sandboxLimits }),
    strict: sandboxStrict,
  };
}

/** Whether a model server is set: by a key, a base URL or a list of models. */
export function namesModelServer(environment: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(
    environment[settings.apiKey.env] || environment[settings.baseUrl.env] || environment[settings.models.env],
  );
}

/** Whether a model was named. */
export function namesModel(environment: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(environment[settings.model.env] || environment[settings.models.env]);
}

/** A URL without user, password, query and fragment, safe to show. It need not be a valid URL. */
export function redactUrl(given: string): string {
  const [, scheme = '', rest = given] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(given) ?? [];
  // The path of a valid web URL may contain an @, since its login ends before the first slash.
  const isWeb = /^https?:/i.test(scheme) && URL.canParse(given) && !/^[^/?#]*[?#].*@/s.test(rest);
  const place = isWeb ? rest.replace(/^[^/?#]*@/, '') : rest.replace(/^.*@/s, '');
  const isHidden = scheme === '' && place !== rest;
  return `${scheme}${isHidden ? '…@' : ''}${place.replace(/[?#].*$/s, '')}`;
}

function modelFaults(config: Partial<Config>, environment: Readonly<Record<string, string | undefined>>): string[] {
  return [
    ...(config.model == null && !namesModel(environment)
      ? [`${settings.model.env}: not set, wanted the name of a model`]
      : []),
    ...(namesModelServer(environment)
      ? []
      : [
          `${settings.apiKey.env} or ${settings.baseUrl.env}: neither is set, wanted a key or the URL of an OpenAI-compatible server`,
        ]),
  ];
}

/** Without prices the cost is unknown, and a limit on it would have no effect. */
export function budgetFaults(config: Partial<Config>): string[] {
  const { inputPrice = null, outputPrice = null } = config;
  const priced = (config.models ?? [{ inputPrice, outputPrice }]).every(
    (one) => one.inputPrice !== null && one.outputPrice !== null,
  );
  return (['maxCostUsd', 'maxCostUsdPerHour', 'maxCostUsdPerHourPerTenant'] as const).flatMap((name) =>
    config[name] == null || priced
      ? []
      : [
          `${settings[name].env}: set, but the price of a model is not, wanted prices of input and output for each model`,
        ],
  );
}

export function isUnreadable(value: unknown): value is Unreadable {
  return typeof value === 'object' && value !== null && 'wanted' in value;
}
