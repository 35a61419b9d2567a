import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  bundleHandler,
  createSandbox,
  type End,
  type Limits,
  type Run,
  type RunReport,
  type Sandbox,
} from '../../../sandbox/index.ts';
import { readConfig } from '../../../src/config.ts';

/** One attack: the code, and how it may end. */
export interface Attack {
  /** TypeScript of the handler; `SECRET_FILE` and `SECRET_PORT` are replaced by what must not be reached. */
  source: string;
  /** How it may end; if there are several, V8 decides. */
  ends: readonly (End | 'refused')[];
  /** Whether it only works in a frozen realm, since elsewhere it sees its own changes. */
  frozen?: true;
  /** How often it is run in one batch; default once. */
  runs?: number;
  /** Prepared answers. */
  answers?: NonNullable<Run['answers']>;
  /** How long the host takes to answer a tool, in milliseconds; default: no time. */
  slowMs?: Readonly<Record<string, number>>;
  /** Looks at the reports more closely. */
  check?(reports: RunReport[]): void;
}

/** On any machine all that must be cut off has been cut off many times by then. */
const hangMs = 120_000;

/** `PROTOSMITH_SANDBOX_STRICT=fresh-contexts npm test -- test/sandbox/hostile` makes the attacks there. */
const { sandboxStrict: strict } = readConfig({ PROTOSMITH_SANDBOX_STRICT: process.env.PROTOSMITH_SANDBOX_STRICT });

// Short for attacks that must be cut off, so that many of them make a quick test. One that ends by itself has enough
// time on any machine.
const cutOff = { stepMs: 400, watchdogMs: 1_000, memoryMb: 32 };
const byItself = { stepMs: 10_000, watchdogMs: 30_000, memoryMb: 32 };

const sound = `export function handle(request: { n: number[] }) {
  const own = Object.keys(Object.prototype).length + Object.keys(Array.prototype).length;
  return { sum: request.n.reduce((sum, one) => sum + one, 0), own, typeofMark: typeof (globalThis as any).mark };
}`;

/** What the attacks of one process share: starting it takes longer than most attacks. */
interface Ground {
  sandbox: Sandbox;
  canary: Awaited<ReturnType<typeof plantCanaries>>;
}

let shared: Promise<Ground> | undefined;
after(() => leave());

/**
 * Runs an attack in real cells. Proves that it ends as it must, that it reached nothing, and that host and next run are
 * unharmed.
 */
export function attack(name: string, { source, ends, runs = 1, answers, slowMs = {}, check, frozen }: Attack): void {
  const skip = frozen && strict.includes('fresh-contexts') && 'the realm is not frozen';
  test(name, { timeout: hangMs, skip }, async (t) => {
    shared ??= prepare();
    const { sandbox, canary } = await shared;
    const hostBefore = hostShape();
    try {
      const hostile = source.replaceAll('SECRET_FILE', canary.file).replaceAll('SECRET_PORT', String(canary.port));
      const isCutOff = ends.includes('timed-out') || ends.includes('killed');
      const reports = await runHostile(sandbox, hostile, {
        runs,
        answers,
        slowMs,
        limits: isCutOff ? cutOff : byItself,
      });
      t.diagnostic(reports.map(({ end }) => end).join(', '));
      for (const { end, message } of reports)
        assert.ok(ends.includes(end), `${end} (${message}), wanted ${ends.join(' or ')}`);
      check?.(reports);
      const told = JSON.stringify(reports);
      assert.ok(!told.includes(canary.secret), 'a canary was read');
      assert.equal(canary.connections(), 0, 'the listening port was reached');
      assert.deepEqual(hostShape(), hostBefore, 'the host was changed');
      assert.deepEqual(await runSound(sandbox), { sum: 6, own: 0, typeofMark: 'undefined' });
      assert.ok(await sandbox.canary());
    } catch (error) {
      // The next attack begins in a sandbox that this one has not been in.
      await leave();
      throw error;
    }
  });
}

async function prepare(): Promise<Ground> {
  // First, so that cells are started with the canary in the host's environment.
  const canary = await plantCanaries();
  return { canary, sandbox: await createSandbox({ cells: 1, strict }) };
}

async function leave(): Promise<void> {
  const ground = await shared;
  shared = undefined;
  await ground?.sandbox.close();
  await ground?.canary.remove();
}

async function runHostile(
  sandbox: Sandbox,
  source: string,
  {
    runs,
    answers,
    slowMs,
    limits,
  }: { runs: number; answers: Run['answers']; slowMs: Attack['slowMs'] & object; limits: Limits },
): Promise<RunReport[]> {
  const bundled = await bundleHandler(source, 'handle');
  if (!bundled.ok) {
    return [
      {
        end: 'refused',
        message: JSON.stringify(bundled.faults),
        logs: [],
        calls: [],
        issuedIds: [],
        durationMs: 0,
        cpuMs: 0,
      },
    ];
  }
  const handler = await sandbox.load(bundled.bundle, 'handle', limits);
  return handler.runAll(
    Array.from({ length: runs }, (_, index) => ({
      ...runOf(JSON.stringify({ index })),
      ...(answers ? { answers } : {}),
    })),
    async ({ tool, input }) => {
      const ms = slowMs[tool ?? ''];
      if (ms !== undefined) await new Promise((resolve) => setTimeout(resolve, ms));
      return { output: `{"echo":${input}}` };
    },
  );
}

async function runSound(sandbox: Sandbox): Promise<unknown> {
  const bundled = await bundleHandler(sound, 'handle');
  assert.ok(bundled.ok);
  const handler = await sandbox.load(bundled.bundle, 'handle');
  const { end, value, message } = await handler.run(runOf('{"n":[1,2,3]}'), async () => ({ output: 'null' }));
  assert.equal(end, 'returned', message);
  return JSON.parse(value ?? '');
}

function runOf(input: string): Run {
  return { input, seed: 'seed', nowMs: 1_700_000_000_000, tools: ['look', 'store'], send: true };
}

async function plantCanaries() {
  const secret = `canary-${crypto.randomUUID()}`;
  process.env.SANDBOX_CANARY = secret;
  const folder = await mkdtemp(join(tmpdir(), 'canary-'));
  const file = join(folder, 'secret.ts');
  await writeFile(file, `export const secret = '${secret}';\n`);
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.end(secret);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    secret,
    file,
    port,
    connections: () => connections,
    async remove() {
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}

/** What an attack on the host's own realm would change. */
function hostShape(): string[] {
  return [
    globalThis,
    Object.prototype,
    Array.prototype,
    Function.prototype,
    Promise.prototype,
    String.prototype,
    Error,
    JSON,
    Math,
    Date,
  ].flatMap((one) => Reflect.ownKeys(one).map(String));
}
