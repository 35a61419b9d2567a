import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { connect, disconnect, judgeRedis, keysOf, redisFacts, whenReady } from '../../queues/index.ts';
import { boundedFetch } from '../completion/bounded-fetch.ts';
import { networkCause } from '../completion/model-failure.ts';
import { openSandbox } from '../compose.ts';
import { type Config, modelsOf, namesModelServer, readConfig, redactUrl } from '../config.ts';
import { createLog, describeError } from '../telemetry/log.ts';
import { protosmithVersion } from '../version.ts';
import { type Command, exitCodes, readArguments } from './command.ts';
import { forTerminal, jsonForTerminal } from './for-terminal.ts';
import { projectMemory } from './memory-projection.ts';
import { sandboxSettings, settingsHelp } from './settings-help.ts';

/** One thing that was looked at. */
interface Examination {
  subject: 'versions' | 'redis' | 'keys' | 'model' | 'sandbox';
  /** `warning`: works, but not as it should in production. */
  state: 'well' | 'warning' | 'ill';
  says: string;
  details: Record<string, unknown>;
}

const redisWithinMs = 3_000;
const modelWithinMs = 5_000;
const dependencies = ['bullmq', 'ioredis', 'openai', 'ajv', 'esbuild', 'isolated-vm', 'typescript'];

/** Looks whether everything a worker needs is there. */
export const doctor: Command = {
  summary: 'looks whether everything that a worker needs is there and as it should be',
  help: `Usage: protosmith doctor [--json]

Looks at versions, Redis (version, policy, persistence, clock, room for the next 24 hours), the names of its keys, the
model server (reachable, key, name of the model; no completion is asked for) and the sandbox (layers in force,
known-good handler).

  --json    as one JSON array

${settingsHelp(['redisUrl', 'prefix', 'durable', 'model', 'apiKey', 'baseUrl', 'models', ...sandboxSettings])}
Exit code: 0 all is well or a warning, 2 something is ill, 64 usage, 78 wrong settings.
`,
  async run(args) {
    const { values } = readArguments(
      args,
      { json: { type: 'boolean' }, 'redis-url': { type: 'string' }, model: { type: 'string' } },
      { least: 0, most: 0, wanted: 'none' },
    );
    const { json, ...flags } = values;
    const config = readConfig(process.env, flags);
    const found = [
      examineVersions(),
      await examineRedis(config),
      examineKeys(config),
      ...(await examineModels(config)),
      await examineSandbox(config),
    ];
    if (json) process.stdout.write(`${jsonForTerminal(found, 2)}\n`);
    else process.stdout.write(`${found.map(describe).join('\n')}\n`);
    return found.some(({ state }) => state === 'ill') ? exitCodes.error : exitCodes.ok;
  },
};

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

async function examineRedis({ redisUrl, prefix, durable }: Config): Promise<Examination> {
  const url = redactUrl(redisUrl);
  const connection = connect(redisUrl, 'worker');
  try {
    await whenReady(connection, redisWithinMs);
    const facts = await redisFacts(connection, keysOf(prefix));
    const faults = judgeRedis(facts, { durable });
    const growth = await projectMemory(connection, keysOf(prefix), facts);
    const complaints = [
      ...faults.map(({ message }) => message),
      ...(Math.abs(facts.clockAheadMs) > 5_000
        ? [`this clock is ${facts.clockAheadMs} ms ahead of Redis': deadlines follow Redis' clock`]
        : []),
      ...(growth.warning === null ? [] : [growth.warning]),
    ];
    const ill = faults.some(({ severity }) => severity === 'error');
    return {
      subject: 'redis',
      state: ill ? 'ill' : complaints.length > 0 ? 'warning' : 'well',
      says:
        complaints.length > 0
          ? complaints.join('; ')
          : `${facts.server} ${facts.version ?? 'of unknown version'} at ${url} keeps what it is given`,
      details: { url, ...facts, ...growth.details },
    };
  } catch (error) {
    return { subject: 'redis', state: 'ill', says: describeError(error).message, details: { url } };
  } finally {
    await disconnect(connection);
  }
}

function examineKeys({ prefix }: Config): Examination {
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

async function examineModels(config: Config): Promise<Examination[]> {
  if (!namesModelServer(process.env)) {
    const says = 'no model server: set OPENAI_API_KEY or OPENAI_BASE_URL, and PROTOSMITH_MODEL';
    return [{ subject: 'model', state: 'warning', says, details: { model: config.model } }];
  }
  return Promise.all(modelsOf(config).map(examineModel));
}

async function examineModel({ model, baseUrl, apiKey }: ReturnType<typeof modelsOf>[number]): Promise<Examination> {
  const endpoint = baseUrl ?? 'https://api.openai.com/v1';
  const details = { endpoint: redactUrl(endpoint), model, key: apiKey === null ? 'not set' : 'set' };
  try {
    // As a worker asks it: redirects are not followed.
    const response = await boundedFetch(`${endpoint.replace(/\/$/, '')}/models`, {
      headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(modelWithinMs),
    });
    const listed = modelsIn(await response.json().catch(() => undefined));
    const status = `(status ${response.status})`;
    const told = (state: Examination['state'], says: string): Examination => ({
      subject: 'model',
      state,
      says,
      details,
    });
    if (response.status === 401 || response.status === 403) return told('ill', `the server refuses the key ${status}`);
    if (!response.ok || listed === undefined)
      return told(
        'warning',
        `the server is reachable, but has no list of models there ${status}: OPENAI_BASE_URL often has to end in /v1`,
      );
    if (model === null) return told('warning', 'the server is reachable, but no model is named: set PROTOSMITH_MODEL');
    if (listed.length > 0 && !listed.some((id) => isNameOf(id, model))) {
      const few = listed.slice(0, 5).map((id) => id.slice(0, 60));
      return told(
        'warning',
        `the server is reachable, but does not list the model "${model}"; it lists ${few.join(', ')}${listed.length > few.length ? ` and ${listed.length - few.length} more` : ''}`,
      );
    }
    return told('well', `the server is reachable ${status}`);
  } catch (error) {
    // Never in the words of `fetch`: they repeat the URL, which may hold a key.
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    const found = timedOut ? `no answer within ${modelWithinMs} ms` : networkCause(error);
    return { subject: 'model', state: 'ill', says: `the server cannot be reached: ${found}`, details };
  }
}

/** The names in a server's list of models; `undefined` where it is none. */
function modelsIn(answer: unknown): string[] | undefined {
  const { data } = Object(answer) as { data?: unknown };
  return Array.isArray(data) ? data.map((one) => String(Object(one).id)) : undefined;
}

/** Some servers list a name with a folder before it, or with a tag that may be left out. */
function isNameOf(id: string, model: string): boolean {
  return id === model || id.endsWith(`/${model}`) || id === `${model}:latest`;
}

async function examineSandbox(config: Config): Promise<Examination> {
  try {
    const sandbox = await openSandbox({ ...config, cells: 1 }, createLog('silent'));
    try {
      const sound = await sandbox.canary();
      const { level, inForce, missing } = sandbox.layers;
      const lacks = missing.map(({ layer, why }) => `${layer} (${why})`).join(', ');
      return {
        subject: 'sandbox',
        state: sound ? (missing.length > 0 ? 'warning' : 'well') : 'ill',
        says: `${sound ? 'the known-good handler passes' : 'the known-good handler fails'} at level ${level}${lacks ? `; not in force: ${lacks}` : ''}`,
        details: { level, inForce, missing },
      };
    } finally {
      await sandbox.close();
    }
  } catch (error) {
    return { subject: 'sandbox', state: 'ill', says: describeError(error).message, details: {} };
  }
}

function describe({ subject, state, says, details }: Examination): string {
  const rows = Object.entries(details).map(
    ([name, value]) => `    ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [`${state.padEnd(7)} ${subject}: ${says}`, ...rows].map((line) => forTerminal(line)).join('\n');
}
