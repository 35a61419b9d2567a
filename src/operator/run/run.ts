import { createSandbox, type Sandbox } from '../../../sandbox/index.ts';
import { readConfig, sandboxOptions } from '../../config.ts';
import type { HandlerRecord } from '../../contract/handler.ts';
import type { Tool } from '../../contract/job.ts';
import { type HandlerResult, loadHandler } from '../../hosting/load-handler.ts';
import { sandboxWarning } from '../../hosting/sandbox-warning.ts';
import { Surface } from '../../hosting/surface.ts';
import type { Json } from '../../kernel/json.ts';
import { openStore, type StoreAccess } from '../handlers/store-access.ts';
import { type Command, exitCodes, readArguments, UsageError } from '../shell/command.ts';
import { complain } from '../shell/print.ts';
import { linesOf, readJson, readLines, readText } from '../shell/read-input.ts';
import { sandboxSettings, settingsHelp } from '../shell/settings-help.ts';
import { printAnswer } from './run-answer.ts';
import { runBatch } from './run-batch.ts';
import { fromExamples, readTools, runSource, schemasOf } from './run-module.ts';
import { serveStdio } from './run-stdio.ts';

const notReturned = 1;

const settingsRead = ['redisUrl', 'prefix', 'quarantineSeconds', ...sandboxSettings] as const;

/** Runs handlers in the sandbox: one request, a batch file, or a session with another program. */
export const run: Command = {
  summary: 'runs a handler in the sandbox',
  help: `Usage: protosmith run [options] <handler digest | file.ts> <request.json | ->
       protosmith run --batch <file.jsonl | ->
       protosmith run --stdio

Runs one request through a stored handler, named by its digest, or through a TypeScript module, which is not
type-checked. Prints one line of JSON: {end, value, message, logs, calls, durationMs}; end is returned, threw,
timed-out, out-of-memory, killed or refused. Default limits: 1 s per step of the guest, 3 s for the watchdog, 64 MB. A
module runs as in a trial: its clock stands still, and random numbers and identifiers depend only on source and request.

  --tools <file>     JSON array of tools as in a job; their examples answer the handler's calls. Default: the tools
                     that the stored handler was verified with; none for a module
  --tenant <name>    whose stored handlers (default "default")
  --batch <file>     lines {id, source, request, tools}; each runs as its own handler, in order, and gets one output
                     line with its id. If the sandbox keeps failing: end null, and error {code, message}
  --stdio            input lines {id, digest, request}; output lines {id, call, tool, input}, to be answered by
                     {id, call, output} or {id, call, error}, and finally {id, end, value, message}; many at once.
                     tool is null if a requester sends. Ends with standard input

${settingsHelp(settingsRead)}
A warning on standard error says if the sandbox is weaker than it could be.
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
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    const wanted = values.batch !== undefined || values.stdio ? 0 : 2;
    if (positionals.length !== wanted || (values.batch !== undefined && values.stdio)) {
      throw new UsageError(
        `Cannot read arguments: ${positionals.length === 1 ? 'one operand' : `${positionals.length} operands`}, wanted a handler and a request, or --batch with a file, or --stdio`,
      );
    }
    const [handler = '', request = ''] = positionals;
    const isStored = values.stdio || /^[0-9a-f]{64}$/.test(handler);
    const store = isStored ? openStore(config) : undefined;
    const sandbox = await createSandbox({
      ...sandboxOptions(config),
      ...(store === undefined ? {} : { quarantine: store.quarantine }),
    });
    const weakness = sandboxWarning(sandbox.layers);
    if (weakness !== undefined) complain(weakness);
    try {
      if (values.batch !== undefined)
        return (await runBatch(await readLines(values.batch), sandbox, printAnswer)) ? exitCodes.ok : notReturned;
      if (store && values.stdio) return await runStdio(store, values.tenant, sandbox);
      const tools = values.tools === undefined ? undefined : readTools((await readJson(values.tools)) as Json);
      const input = (await readJson(request)) as Json;
      const result = store
        ? await runStored(await store.served(values.tenant, handler), input, tools, sandbox)
        : await runSource(await readText(handler), input, tools ?? [], sandbox);
      printAnswer(result);
      return result.end === 'returned' ? exitCodes.ok : notReturned;
    } finally {
      await Promise.all([sandbox.close(), store?.close()]);
    }
  },
};

async function runStored(
  record: HandlerRecord,
  input: Json,
  tools: Tool[] | undefined,
  sandbox: Sandbox,
): Promise<HandlerResult> {
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
}

async function runStdio(store: StoreAccess, tenant: string, sandbox: Sandbox): Promise<number> {
  await serveStdio({
    lines: linesOf(process.stdin),
    print: printAnswer,
    open: async (digest) => {
      const record = await store.served(tenant, digest);
      return { handler: await loadHandler(record, sandbox), isServed: () => store.isServed(tenant, record) };
    },
  });
  return exitCodes.ok;
}
