import { CodedError } from './kernel/errors.ts';

/** One setting: an environment variable, with a flag for the common ones. */
interface Setting<T> {
  env: string;
  flag?: string;
  /** What the variable may hold that is no setting, since others write there too. */
  foreign?: RegExp;
  /** What `--help` says of it. */
  about: string;
  fallback: T;
  /** Reads the text; a string that starts with `wanted` is the reason it cannot be read. */
  read(text: string, environment: Environment): T | Unreadable;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** One of several models, in the order in which they are asked. */
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

const text = (pattern: RegExp, wanted: string) => (given: string) => (pattern.test(given) ? given : { wanted });

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

/** `fetch` takes no URL with a user or password in it, and its error repeats them. */
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
        throw wrong(stray.slice(0, 40), 'nothing; a key is named by "apiKeyEnv", never written here');
      const { model, baseUrl, apiKeyEnv, ...prices } = one as Record<string, unknown>;
      if (typeof model !== 'string' || !/^\S{1,200}$/.test(model))
        throw wrong('model', 'a model name without white space');
      const endpoint = baseUrl === undefined ? null : endpointUrl(String(baseUrl));
      if (isUnreadable(endpoint)) throw wrong('baseUrl', endpoint.wanted);
      const apiKey = apiKeyEnv === undefined ? undefined : environment[String(apiKeyEnv)];
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
        apiKey: apiKey ?? environment.OPENAI_API_KEY ?? null,
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

const dollars = (given: string): number | null | Unreadable =>
  /^\d+(\.\d+)?$/.test(given) ? Number(given) : { wanted: 'US dollars, such as 0.25' };

const setting = <T>(one: Setting<T>): Setting<T> => one;

/** The checks whose rules are read from the words of an agreement, which can be read wrongly; none of those that know a table of the examples. */
export const advisableChecks = ['generated-requests', 'leaks', 'member-order', 'requester-peer'] as const;

/** Every setting there is, with its default. */
export const settings = {
  redisUrl: setting({
    env: 'REDIS_URL',
    flag: 'redis-url',
    about: 'Redis or Valkey server',
    fallback: 'redis://127.0.0.1:6379',
    read: text(
      /^rediss?(\+sentinel|\+cluster)?:\/\/\S+$/,
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
      'several models in order, in place of PROTOSMITH_MODEL; the next is asked where one fails: a JSON array of {model, baseUrl, apiKeyEnv, inputPrice, cachedInputPrice, outputPrice}, all but model optional',
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
    about: 'price of cached input; as input when not set',
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
    about: 'modules asked for in one job, repairs included',
    fallback: 6,
    read: integer(1, 20),
  }),
  maxCompletions: setting({
    env: 'PROTOSMITH_MAX_COMPLETIONS',
    about: 'requests to model servers for one job, those to readers and judges and those put again included',
    fallback: 12,
    read: integer(1, 50),
  }),
  maxOutputTokens: setting({
    env: 'PROTOSMITH_MAX_OUTPUT_TOKENS',
    about: 'longest answer of the model, in tokens, its reasoning included',
    fallback: 16_384,
    read: integer(256, 1_000_000),
  }),
  maxTokens: setting<number | null>({
    env: 'PROTOSMITH_MAX_TOKENS',
    about: 'tokens of one job, in and out together; no limit when not set',
    fallback: null,
    read: integer(1, 1_000_000_000),
  }),
  maxCostUsd: setting<number | null>({
    env: 'PROTOSMITH_MAX_COST_USD',
    about: 'cost of one job in US dollars; wants prices; no limit when not set',
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
    about: 'cost of all jobs of this worker process within an hour, in US dollars; wants prices; no limit when not set',
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
    about: 'cost of all jobs of one tenant on this worker process within an hour; wants prices; no limit when not set',
    fallback: null,
    read: dollars,
  }),
  concurrency: setting({
    env: 'PROTOSMITH_CONCURRENCY',
    flag: 'concurrency',
    about: 'jobs at once in one worker process',
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
      'the least that the sandbox must be: process, permission, namespaces or bubblewrap; the best available is used anyway',
    fallback: null,
    read: oneOf('process', 'permission', 'namespaces', 'bubblewrap'),
  }),
  sandboxLimits: setting<Record<string, number> | null>({
    env: 'PROTOSMITH_SANDBOX_LIMITS',
    about:
      'limits of the sandbox where the defaults do not fit, as a JSON object: of handlers stepMs, watchdogMs, memoryMb, maxResultBytes, maxLogBytes and maxCalls, of cells cellMemoryMb, cellRestMb, isolatesPerCell, parkedPerCell, maxWaiting and leaseMs; their ceilings stand in sandbox/policy.ts',
    fallback: null,
    read: numbers,
  }),
  sandboxStrict: setting<('jitless' | 'fresh-contexts')[]>({
    env: 'PROTOSMITH_SANDBOX_STRICT',
    about:
      'what the sandbox does beyond its default, at a price in speed, separated by commas: jitless (no handler is compiled to machine code), fresh-contexts (each run has a context of its own)',
    fallback: [],
    read: someOf('jitless', 'fresh-contexts'),
  }),
  reading: setting<'required' | 'late' | 'off'>({
    env: 'PROTOSMITH_READING',
    about:
      'whether a model reads the agreement into derived cases that every handler is run on: required (no handler without them), late (they are waited for as long as the peer waits, and run afterwards), or off',
    fallback: 'late',
    read: oneOf('required', 'late', 'off'),
  }),
  advisoryChecks: setting<string[]>({
    env: 'PROTOSMITH_ADVISORY_CHECKS',
    about:
      'checks that only warn where they would refuse a handler, separated by commas: for agreements whose words they read wrongly (docs/verification.md)',
    fallback: [],
    read: someOf(...advisableChecks),
  }),
  trialSeed: setting<string | null>({
    env: 'PROTOSMITH_TRIAL_SEED',
    about:
      'what the trials of all jobs draw from, to repeat those of one whose report names it; each job has its own when not set',
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
    about: 'handlers kept for one tenant; the longest unused make room, pinned ones never',
    fallback: 10_000,
    read: integer(1, 1_000_000),
  }),
  quarantineSeconds: setting({
    env: 'PROTOSMITH_QUARANTINE_S',
    about: 'how long a bundle that killed its sandbox is run no more, in seconds',
    fallback: 30 * 86_400,
    read: integer(60, 365 * 86_400),
  }),
  drainMs: setting({
    env: 'PROTOSMITH_DRAIN_MS',
    about: 'how long a worker told to stop may finish its jobs, in milliseconds',
    fallback: 25_000,
    read: integer(0, 600_000),
  }),
  durable: setting({
    env: 'PROTOSMITH_DURABLE',
    about: 'whether a Redis that keeps nothing over a restart, or that evicts, is refused: 1 or 0',
    fallback: false,
    read: yesNo,
  }),
  port: setting<number | null>({
    env: 'PROTOSMITH_PORT',
    // What Kubernetes sets in every pod beside a service named protosmith, and Docker beside a link of that name.
    foreign: /^(tcp|udp|sctp):\/\//,
    about: 'port of the worker for /livez, /readyz and /metrics; 0 takes any free one; none when not set',
    fallback: null,
    read: integer(0, 65_535),
  }),
  host: setting({
    env: 'PROTOSMITH_HOST',
    about: 'address that this port is opened on',
    fallback: '127.0.0.1',
    read: text(/^[\w.:-]{1,255}$/, 'an address such as 127.0.0.1 or ::'),
  }),
  monitor: setting({
    env: 'PROTOSMITH_MONITOR',
    about: "whether /metrics of this worker tells of the whole queue too: 1 or 0; one worker's suffice",
    fallback: false,
    read: yesNo,
  }),
  consoleToken: setting<string | null>({
    env: 'PROTOSMITH_CONSOLE_TOKEN',
    about: 'what the console asks for; a new one at each start when not set',
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
  generator: setting({
    env: 'PROTOSMITH_GENERATOR',
    about: 'what stands behind the model server: live, or scripted replies as in the demo',
    fallback: 'live' as const,
    read: oneOf('live', 'scripted'),
  }),
};

/** The value of every setting. */
export type Config = { [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer T> ? T : never };

/** A fault of the operator's: a setting that cannot be read, or one that is missing. Ends the command with exit code 78. */
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
 * Reads settings out of flags and environment; a flag wins. Throws one `SettingsError` that lists every fault. Settings
 * that are not among `only` are not read, and cannot be at fault. With `model` a missing model is a fault too.
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
    // Of a secret, not even its wrong value is shown.
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

/** The models to ask, in order: those of `PROTOSMITH_MODELS`, else the one of `PROTOSMITH_MODEL`; a name of `null` is none yet. */
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

/** What the settings demand of the sandbox, as it takes it. */
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

/** Whether a model server was named: a key or a base URL is set. */
export function namesModelServer(environment: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(
    environment[settings.apiKey.env] || environment[settings.baseUrl.env] || environment[settings.models.env],
  );
}

/** Whether a model was named. */
export function namesModel(environment: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(environment[settings.model.env] || environment[settings.models.env]);
}

/** A URL without user, password, query and fragment, fit to be shown, whether or not it can be read as one. */
export function redactUrl(given: string): string {
  const [, scheme = '', rest = given] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(given) ?? [];
  // Of these a path may hold an @, and a login that is written as it should be ends before the first slash.
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

/** Without prices no cost is known, and a limit of it would hold nothing. */
function budgetFaults(config: Partial<Config>): string[] {
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

function isUnreadable(value: unknown): value is Unreadable {
  return typeof value === 'object' && value !== null && 'wanted' in value;
}
