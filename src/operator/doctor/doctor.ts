import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  connect,
  disconnect,
  forbidden,
  grantOf,
  judgeRedis,
  keysOf,
  leastRules,
  redisFacts,
  redisPermissions,
  whenReady,
} from '../../../queues/index.ts';
import { type Config, modelsOf, namesModelServer, readConfig, redactUrl, SettingsError } from '../../config.ts';
import { createLog, describeError } from '../../telemetry/log.ts';
import { protosmithVersion } from '../../version.ts';
import { openSandbox } from '../../worker/compose.ts';
import { workerSettings } from '../queue/worker.ts';
import { type Command, exitCodes, readArguments } from '../shell/command.ts';
import { forTerminal, jsonForTerminal } from '../shell/for-terminal.ts';
import { honourProxy } from '../shell/proxy.ts';
import { sandboxSettings, settingsHelp } from '../shell/settings-help.ts';
import { type Confinement, confinementOf, layersOfNamespaces } from './confinement.ts';
import { examineModel } from './examine-model.ts';
import { projectMemory } from './memory-projection.ts';

/** The result of one check. */
interface Examination {
  subject: 'versions' | 'settings' | 'redis' | 'permissions' | 'keys' | 'model' | 'sandbox';
  /** `warning`: works, but not fit for production. */
  state: 'well' | 'warning' | 'ill';
  says: string;
  details: Record<string, unknown>;
}

const redisWithinMs = 3_000;
const dependencies = ['bullmq', 'ioredis', 'ajv', 'esbuild', 'isolated-vm', 'typescript'];

const settingsRead = [
  'redisUrl',
  'prefix',
  'durable',
  'model',
  'apiKey',
  'baseUrl',
  'models',
  'maxOutputTokens',
  ...sandboxSettings,
] as const;

type DoctorConfig = Pick<Config, (typeof settingsRead)[number]>;

/** Checks everything that a worker needs. */
export const doctor: Command = {
  summary: 'checks everything that a worker needs',
  help: `Usage: protosmith doctor [--json | --acl]

Checks versions, whether a worker would start with these settings, Redis (version, policy, persistence, clock, memory
for the next 24 hours), the permissions of its user (every command that is used is tried as that user, without effect;
the least rules are printed), the names of its keys, the model server (one small question, asked as a worker asks) and
the sandbox (active layers, known-good handler). It checks what its own environment says: run it with the settings of
the worker, or it says which are missing.

  --json    as one JSON array
  --acl     only prints the ACL SETUSER command of a Redis user with the least permissions

${settingsHelp(settingsRead)}
Exit code: 0 every state is well or warning, 2 one is ill, 64 usage, 78 wrong settings.
`,
  async run(args) {
    const { values } = readArguments(
      args,
      {
        json: { type: 'boolean' },
        acl: { type: 'boolean' },
        'redis-url': { type: 'string' },
        model: { type: 'string' },
      },
      { least: 0, most: 0, wanted: 'none' },
    );
    const { json, acl, ...flags } = values;
    const config = readConfig(process.env, flags, { only: settingsRead });
    if (acl) {
      process.stdout.write(`${leastUser(config)}\n`);
      return exitCodes.ok;
    }
    const found = [
      examineVersions(),
      examineSettings(flags),
      await examineRedis(config),
      ...(await examinePermissions(config)),
      examineKeys(config),
      ...(await examineModels(config)),
      await examineSandbox(config),
    ];
    if (json) process.stdout.write(`${jsonForTerminal(found, 2)}\n`);
    else process.stdout.write(`${found.map(describe).join('\n')}\n`);
    return found.some(({ state }) => state === 'ill') ? exitCodes.error : exitCodes.ok;
  },
};

/** Written for `redis-cli`. */
function leastUser({ redisUrl, prefix }: DoctorConfig): string {
  return `ACL SETUSER protosmith on >PASSWORD ${leastRules(redisUrl, prefix).join(' ')}`;
}

function examineVersions(): Examination {
  const details = {
    protosmith: protosmithVersion(),
    node: process.versions.node,
    v8: process.versions.v8,
    platform: `${process.platform}-${process.arch}`,
    ...Object.fromEntries(dependencies.map((name) => [name, installedVersion(name)])),
  };
  const supported = process.platform === 'linux' || process.platform === 'darwin';
  return {
    subject: 'versions',
    state: supported ? 'well' : 'warning',
    says: supported
      ? `protosmith ${details.protosmith} on Node ${details.node}`
      : `${details.platform} is not supported`,
    details,
  };
}

/** Whether a worker would start in this environment. What it lacks here cannot be checked either. */
function examineSettings(flags: Record<string, string | undefined>): Examination {
  try {
    readConfig(process.env, flags, { model: true, only: workerSettings });
    return { subject: 'settings', state: 'well', says: 'a worker would start with these settings', details: {} };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const { faults } = error;
    const says = `a worker would not start with these settings: ${faults.join('; ')}; run doctor with the settings of the worker`;
    return { subject: 'settings', state: 'warning', says, details: { faults } };
  }
}

function installedVersion(name: string): string {
  const require = createRequire(import.meta.url);
  for (let folder = dirname(require.resolve(name)); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name?: string;
        version?: string;
      };
      if (manifest.name === name && manifest.version) return manifest.version;
    } catch {
      // Not the package's root yet.
    }
  }
  return 'unknown';
}

async function examineRedis({ redisUrl, prefix, durable }: DoctorConfig): Promise<Examination> {
  const url = redactUrl(redisUrl);
  let connection: ReturnType<typeof connect> | undefined;
  try {
    connection = connect(redisUrl, 'worker');
    await whenReady(connection, redisWithinMs);
    const facts = await redisFacts(connection, keysOf(prefix));
    const faults = judgeRedis(facts, { durable });
    const growth = await projectMemory(connection, keysOf(prefix), facts);
    const complaints = [
      ...faults.map(({ message }) => message),
      ...(Math.abs(facts.clockAheadMs) > 5_000
        ? [`the clock of this machine is ${facts.clockAheadMs} ms ahead of Redis' clock, which deadlines follow`]
        : []),
      ...(growth.warning === null ? [] : [growth.warning]),
      ...(facts.maxmemoryPolicy === null ? ['Redis does not show its maxmemory-policy, wanted noeviction'] : []),
    ];
    const ill = faults.some(({ severity }) => severity === 'error');
    return {
      subject: 'redis',
      state: ill ? 'ill' : complaints.length > 0 ? 'warning' : 'well',
      says:
        complaints.length > 0
          ? complaints.join('; ')
          : `${facts.server} ${facts.version ?? 'of unknown version'} at ${url} is set up to lose nothing`,
      details: { url, ...facts, ...growth.details },
    };
  } catch (error) {
    return { subject: 'redis', state: 'ill', says: causeOf(error), details: { url } };
  } finally {
    if (connection) await disconnect(connection);
  }
}

/** Tries every command and every key. Returns nothing if Redis cannot be reached, because the row of Redis says so. */
async function examinePermissions(config: DoctorConfig): Promise<Examination[]> {
  const { redisUrl, prefix } = config;
  const found = await redisPermissions(redisUrl, { prefix, withinMs: redisWithinMs }).catch((error: Error) => error);
  if (found instanceof Error)
    return describeError(found).code === 'OPERATOR_REDIS_CLUSTER'
      ? [{ subject: 'permissions', state: 'ill', says: causeOf(found), details: {} }]
      : [];
  const { user, missing, lacking } = found;
  const without = lacking
    .map(({ command, without }) => `without ${command.replace('|', ' ').toUpperCase()} ${without}`)
    .join('; ');
  return [
    {
      subject: 'permissions',
      state: missing.length > 0 ? 'ill' : lacking.length > 0 ? 'warning' : 'well',
      says:
        [
          ...(missing.length > 0 ? [forbidden(user, missing)].map(({ code, message }) => `${code}: ${message}`) : []),
          ...(lacking.length > 0 ? [`user ${user} has the permissions that are needed; ${without}`] : []),
        ].join('; ') || `user ${user} may use every command that is needed`,
      details: {
        user,
        missing,
        lacking,
        ...(missing.length > 0 ? { mend: grantOf(user, missing) } : {}),
        'least ACL': leastUser(config),
      },
    },
  ];
}

function causeOf(error: unknown): string {
  const { code, message } = describeError(error);
  return code === undefined ? message : `${code}: ${message}`;
}

function examineKeys({ prefix }: DoctorConfig): Examination {
  const keys = keysOf(prefix);
  const details = {
    waiting: `${keys.queue}:wait`,
    prioritized: `${keys.queue}:prioritized`,
    active: `${keys.queue}:active`,
    delayed: `${keys.queue}:delayed`,
    failed: `${keys.queue}:failed`,
    outcome: keys.outcome('<jobId>'),
    outcomes: keys.outcomes('<replyTo>'),
    cancel: keys.cancel('<jobId>'),
    handler: keys.handler('<tenant>', '<digest>'),
  };
  return { subject: 'keys', state: 'well', says: `the queue is ${keys.queue}`, details };
}

async function examineModels(config: DoctorConfig): Promise<Examination[]> {
  if (!namesModelServer(process.env)) {
    const says = 'no model server: set OPENAI_API_KEY or OPENAI_BASE_URL, and PROTOSMITH_MODEL';
    return [{ subject: 'model', state: 'warning', says, details: { model: config.model } }];
  }
  honourProxy(process.env);
  const found = await Promise.all(modelsOf(config).map((one) => examineModel(one, config.maxOutputTokens)));
  return found.map((one) => ({ subject: 'model', ...one }));
}

async function examineSandbox(config: DoctorConfig): Promise<Examination> {
  try {
    const sandbox = await openSandbox({ ...config, cells: 1 }, createLog('silent'));
    try {
      const sound = await sandbox.canary();
      const { level, inForce, missing } = sandbox.layers;
      const { container, forbids } = confinementOf();
      const lacksNamespaces = missing.some(({ layer }) => layersOfNamespaces.includes(layer));
      const confinement = { container, forbids: lacksNamespaces ? forbids : null };
      return {
        subject: 'sandbox',
        state: sound ? (missing.length > 0 ? 'warning' : 'well') : 'ill',
        says: `the known-good handler ${sound ? 'passes' : 'fails'} at level ${level}${lacking(missing, confinement)}`,
        details: { level, inForce, missing, ...confinement },
      };
    } finally {
      await sandbox.close();
    }
  } catch (error) {
    return { subject: 'sandbox', state: 'ill', says: describeError(error).message, details: {} };
  }
}

/** The layers that are missing: those that the container or the kernel forbids, and the others with their reasons. */
function lacking(missing: readonly { layer: string; why: string }[], { container, forbids }: Confinement): string {
  const isForbidden = ({ layer }: { layer: string }) => forbids !== null && layersOfNamespaces.includes(layer);
  const isLevel = ({ layer }: { layer: string }) => forbids !== null && /^(namespaces|bubblewrap)\b/.test(layer);
  const forbidden = missing.filter(isForbidden).map(({ layer }) => layer);
  const others = missing
    .filter((one) => !isForbidden(one) && !isLevel(one))
    .map(({ layer, why }) => `${layer} (${why})`);
  return [
    ...(container === null ? [] : [`; in a container (${container})`]),
    ...(forbidden.length === 0 ? [] : [`; not allowed here: ${forbidden.join(', ')}: ${forbids}`]),
    ...(others.length === 0 ? [] : [`; not active: ${others.join(', ')}`]),
  ].join('');
}

function describe({ subject, state, says, details }: Examination): string {
  const rows = Object.entries(details).map(
    ([name, value]) => `    ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [`${state.padEnd(7)} ${subject}: ${says}`, ...rows].map((line) => forTerminal(line)).join('\n');
}
