import { createInterface } from 'node:readline';
import { type BundleResult, bundleHandler, createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Config, readConfig } from '../config.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { Tool } from '../contract/job.ts';
import {
  defaultToolTimeoutMs,
  type Embedder,
  type HandlerResult,
  hostHandler,
  loadHandler,
} from '../hosting/load-handler.ts';
import { Surface } from '../hosting/surface.ts';
import { ToolScript } from '../hosting/tool-script.ts';
import { codeOf } from '../kernel/errors.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { type Command, exitCodes, readArguments, UsageError } from './command.ts';
import { jsonForTerminal } from './for-terminal.ts';
import { readJson, readLines, readText } from './read-input.ts';
import { serveStdio } from './run-stdio.ts';
import { settingsHelp } from './settings-help.ts';
import { openStore } from './store-access.ts';

const ranOtherwise = 1;

/** Runs handlers in the sandbox: once, a file of them, or for as long as another program asks. */
export const run: Command = {
  summary: 'runs a handler in the sandbox',
  help: `Usage: protosmith run [options] <handler digest | file.ts> <request.json | ->
       protosmith run --batch <file.jsonl | ->
       protosmith run --stdio

Runs one request through a handler: a stored one by its digest, or a TypeScript module, which is not type-checked. Prints
one line of JSON: {end, value, message, logs, calls, durationMs}; end is returned, threw, timed-out, out-of-memory,
killed or refused. Limits: 1 s for each step of the guest, 3 s for the watchdog, 64 MB.

  --tools <file>     JSON array of tools as in a job; their examples answer the handler's calls. Default: those the
                     stored handler was verified with, none for a module
  --tenant <name>    whose stored handlers (default "default")
  --batch <file>     lines {id, source, request, tools}; each runs as a handler of its own, in order; a line out for
                     each, with its id
  --stdio            lines in {id, digest, request}; lines out {id, call, tool, input}, answered by {id, call, output} or
                     {id, call, error}, and at last {id, end, value, message}; many at once. tool is null where a
                     requester sends. Ends with standard input

${settingsHelp(['redisUrl', 'prefix', 'sandboxLevel', 'cells'])}
Exit code: 0 returned (--batch: every line was answered), 1 otherwise, 64 usage, 65 a file cannot be read, 69 Redis
unreachable, 78 wrong settings.
`,
  async run(args) {
    const { values, positionals } = readArguments(
      args,
      {
        'redis-url': { type: 'string' },
        tools: { type: 'string' },
        tenant: { type: 'string', default: 'default' },
        batch: { type: 'string' },
        stdio: { type: 'boolean' },
      },
      { least: 0, most: 2, wanted: 'a handler and a request' },
    );
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] });
    const wanted = values.batch !== undefined || values.stdio ? 0 : 2;
    if (positionals.length !== wanted || (values.batch !== undefined && values.stdio)) {
      throw new UsageError('Cannot read arguments: wanted a handler and a request, or --batch with a file, or --stdio');
    }
    const sandbox = await createSandbox({
      ...(config.cells === null ? {} : { cells: config.cells }),
      ...(config.sandboxLevel === null ? {} : { level: config.sandboxLevel }),
    });
    try {
      if (values.batch !== undefined) return await runBatch(await readLines(values.batch), sandbox);
      if (values.stdio) return await runStdio(config, values.tenant, sandbox);
      const [handler = '', request = ''] = positionals;
      const tools = values.tools === undefined ? undefined : ((await readJson(values.tools)) as Tool[]);
      const input = (await readJson(request)) as Json;
      const result = /^[0-9a-f]{64}$/.test(handler)
        ? await runStored(handler, input, tools, config, values.tenant, sandbox)
        : await runSource(await readText(handler), input, tools ?? [], sandbox);
      print(result);
      return result.end === 'returned' ? exitCodes.ok : ranOtherwise;
    } finally {
      await sandbox.close();
    }
  },
};

/** Runs one request through a TypeScript module with tools that answer from their examples. */
async function runSource(
  source: string,
  input: Json,
  tools: readonly Tool[],
  sandbox: Sandbox,
): Promise<HandlerResult> {
  const provider = await bundleHandler(source, 'handle');
  const requester = provider.ok ? undefined : await bundleHandler(source, 'perform');
  const role = requester?.ok ? 'requester' : 'provider';
  const bundled = requester?.ok ? requester : provider;
  if (!bundled.ok) return refused(bundled);
  const surface = new Surface({ role, requestSchema: null, responseSchema: null, toolSchemas: schemasOf(tools) });
  const loaded = await sandbox.load(bundled.bundle, role === 'provider' ? 'handle' : 'perform');
  const handler = hostHandler(loaded, surface, {
    sendTimeoutMs: defaultToolTimeoutMs,
    toolTimeoutMs: defaultToolTimeoutMs,
  });
  try {
    return await handler.run(input, fromExamples(tools, surface));
  } finally {
    await handler.close();
  }
}

async function runStored(
  digest: string,
  input: Json,
  tools: Tool[] | undefined,
  config: Config,
  tenant: string,
  sandbox: Sandbox,
): Promise<HandlerResult> {
  const store = openStore(config);
  try {
    const record = await store.served(tenant, digest);
    const answering = tools ?? record.proof.tools;
    const handler = await loadHandler(record, sandbox);
    try {
      return await handler.run(
        input,
        fromExamples(answering, new Surface({ ...record, toolSchemas: schemasOf(answering) })),
      );
    } finally {
      await handler.close();
    }
  } finally {
    await store.close();
  }
}

async function runBatch(lines: AsyncIterable<string>, sandbox: Sandbox): Promise<number> {
  let unanswered = 0;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const asked = parse(line);
    if (asked === undefined || typeof asked.source !== 'string') {
      unanswered += 1;
      print({
        id: asked?.id ?? null,
        end: 'refused',
        message: 'Cannot read line: no {id, source, request, tools}, wanted one as JSON',
        logs: [],
        calls: [],
        durationMs: 0,
      });
      continue;
    }
    const id = asked.id ?? null;
    try {
      const tools = (asked.tools ?? []) as unknown as Tool[];
      print({ id, ...(await runSource(asked.source, asked.request ?? null, tools, sandbox)) });
    } catch (error) {
      // Tools that are none, or a sandbox that is lost: of the lines that follow nothing is known by that.
      unanswered += 1;
      const message = `${codeOf(error) ?? 'Cannot run line'}: ${error instanceof Error ? error.message : 'unknown fault'}`;
      print({ id, end: 'refused', message, logs: [], calls: [], durationMs: 0 });
    }
  }
  return unanswered === 0 ? exitCodes.ok : ranOtherwise;
}

async function runStdio(config: Config, tenant: string, sandbox: Sandbox): Promise<number> {
  const store = openStore(config);
  try {
    await serveStdio({
      lines: createInterface({ input: process.stdin }),
      print,
      open: async (digest) => loadHandler(await store.served(tenant, digest), sandbox),
    });
    return exitCodes.ok;
  } finally {
    await store.close();
  }
}

function fromExamples(tools: readonly Tool[], surface: Surface): Embedder {
  const script = new ToolScript(tools, surface);
  return {
    async call(tool, input) {
      const answer = script.answer(tool, input);
      if ('error' in answer) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
      return JSON.parse(answer.output) as Json;
    },
  };
}

function schemasOf(tools: readonly Tool[]): HandlerRecord['toolSchemas'] {
  return Object.fromEntries(
    tools.map(({ name, inputSchema, outputSchema, annotations }) => [
      name,
      {
        ...(inputSchema === undefined ? {} : { inputSchema }),
        ...(outputSchema === undefined ? {} : { outputSchema }),
        readOnly: annotations?.readOnlyHint === true,
      },
    ]),
  );
}

function refused({ faults: [fault] }: Extract<BundleResult, { ok: false }>): HandlerResult {
  const where = fault?.line === undefined ? '' : `line ${fault.line}: `;
  return {
    end: 'refused',
    message: `${where}${fault?.message ?? 'the module cannot be bundled'}`,
    logs: [],
    calls: [],
    durationMs: 0,
  };
}

function print(value: object): void {
  process.stdout.write(`${jsonForTerminal(value)}\n`);
}

function parse(line: string): { [name: string]: Json } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
