import type { QueueOperator } from '../../../queues/index.ts';
import { type Config, readConfig } from '../../config.ts';
import { exportFormat, type HandlerRecord } from '../../contract/handler.ts';
import type { Report } from '../../contract/outcome.ts';
import { actOf, type Command, exitCodes, limitOf, readArguments, UsageError } from '../shell/command.ts';
import { leastOfDigest } from '../shell/cut-digest.ts';
import { nameOption } from '../shell/name-option.ts';
import { onQueue } from '../shell/on-queue.ts';
import { complain, moment, print, rows, size } from '../shell/print.ts';
import { readJson } from '../shell/read-input.ts';
import { sandboxSettings, settingsHelp } from '../shell/settings-help.ts';
import { digestsLike, everyDigest, listHandlers, lookupsOf, recordOf } from './stored-handlers.ts';

const settingsRead = ['redisUrl', 'prefix', 'retentionSeconds', 'maxHandlersPerTenant', ...sandboxSettings] as const;

/** Lists, shows, exports, imports, pins and withdraws stored handlers. */
export const handlers: Command = {
  summary: 'lists, shows, exports, imports, pins or withdraws stored handlers',
  help: `Usage: protosmith handlers list [--tenant <name>] [--limit <n>] [--json]
       protosmith handlers show <digest> [--tenant <name>] [--json]
       protosmith handlers export <digest …> | --all [--tenant <name>]
       protosmith handlers import <file | -> [--json]
       protosmith handlers pin | unpin | restore <digest …> [--tenant <name>] [--json]
       protosmith handlers withdraw <digest …> --reason <text> [--tenant <name>] [--json]

A stored handler serves every job with the same agreement, tools and role without a model call, after it passes that
job's cases. export prints records as JSON. import runs each record's own cases in the sandbox and stores those that
pass; the first job that finds the handler repeats every check. For a withdrawn handler, export prints only that it is
withdrawn, and import withdraws it too. A pinned handler never expires. A withdrawn handler is never served until it
is restored, even if it is generated again. A digest may be cut to its first ${leastOfDigest} characters or more.

  --tenant <name>   whose handlers (default "default"; list: of all tenants)
  --limit <n>       how many to list for a tenant, the last used first (default 100)
  --all             every handler of the tenant
  --reason <text>   why it is withdrawn
  --json            as JSON

${settingsHelp(settingsRead)}
Exit code: 0 done, 64 usage, 65 no such handler, or one that cannot be imported, 69 Redis unreachable, 78 wrong settings.
`,
  async run(args) {
    const { values, positionals } = readArguments(
      args,
      {
        tenant: { type: 'string' },
        limit: { type: 'string', default: '100' },
        all: { type: 'boolean' },
        reason: { type: 'string' },
        json: { type: 'boolean' },
        'redis-url': { type: 'string' },
      },
      { least: 1, most: 1_000, wanted: 'list, show, export, import, pin, unpin, withdraw or restore' },
    );
    const [verb = '', ...operands] = positionals;
    const act = actOf(verbs, verb);
    const limit = limitOf(values.limit);
    const { reason, json, all = false } = values;
    const tenant = values.tenant === undefined ? undefined : nameOption('tenant', values.tenant);
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    return act({ config, operands, tenant, limit, all, reason, json });
  },
};

interface Call {
  config: Pick<Config, (typeof settingsRead)[number]>;
  operands: readonly string[];
  tenant: string | undefined;
  limit: number;
  all: boolean;
  reason: string | undefined;
  json: boolean | undefined;
}

type Act = (call: Call) => Promise<number>;

const list: Act = async ({ config, operands, tenant, limit, json }) => {
  if (operands.length > 0) throw new UsageError('Cannot read arguments: operands after list, wanted options only');
  const found = await onQueue(config, ({ handlers: stored }) => listHandlers(stored, tenant, limit));
  print(json, found, () =>
    found.length === 0
      ? ['no handlers']
      : found.map(({ tenant: owner, digest, role, protocolHash, usedAtMs, pinned, withdrawn, bytes }) =>
          [
            owner,
            digest,
            role ?? 'unreadable',
            `protocol ${protocolHash?.slice(0, 12) ?? 'unknown'}`,
            `used ${moment(usedAtMs)}`,
            size(bytes),
            ...(pinned ? ['pinned'] : []),
            ...(withdrawn === null ? [] : [`withdrawn: ${withdrawn}`]),
          ].join('  '),
        ),
  );
  return exitCodes.ok;
};

const show: Act = async ({ config, operands, tenant = 'default', json }) => {
  const given = operands[0] ?? '';
  if (operands.length !== 1) throw new UsageError(`Cannot read arguments: ${operands.length} digests, wanted one`);
  const found = await onQueue(config, async ({ handlers: stored }) => {
    const digest = await named('show', stored, tenant, given);
    if (digest === null) return null;
    return { record: await recordOf(stored, tenant, digest), withdrawn: await stored.withdrawnFor(tenant, digest) };
  });
  if (found === null) return exitCodes.unreadable;
  const { record, withdrawn } = found;
  if (record === null) return unknown('show', tenant, given);
  const { provenance } = record;
  print(json, { ...record, withdrawn }, () => [
    ...rows([
      ['digest', record.digest],
      ['role', `${record.role}, ABI ${record.abi}`],
      ['protocol', `${provenance.protocolHash} (${provenance.family})`],
      ['tools', record.tools.join(', ') || 'none'],
      ['amendments', String(record.amendments.length)],
      ['cases', String(record.proof.cases.length)],
      ...provenance.checks.map(({ name, result }): [string, string] => ['check', `${name}: ${result}`]),
      ['made', `${moment(provenance.createdAtMs)} for ${provenance.jobId}`],
      ['by', `${provenance.model} (${provenance.generator}), protosmith ${provenance.protosmithVersion}`],
      ['verifier', provenance.verifierVersion],
      ...(provenance.report === undefined ? [] : reportRows(provenance.report)),
      ['withdrawn', withdrawn ?? 'no'],
      ['source', ''],
    ]),
    ...record.source.split('\n').map((line) => `  ${line}`),
  ]);
  return exitCodes.ok;
};

/** The report of the job that made the handler. */
function reportRows({ verification, cases, attempts, usage, timings }: Omit<Report, 'checks'>): [string, string][] {
  const passed = cases.filter((one) => one.passed).length;
  const cost = usage.costUsd === null ? 'of unknown price' : `${usage.costUsd} US dollars`;
  return [
    ['report', `${verification ?? 'unverified'}, ${passed} of ${cases.length} cases passed`],
    ...attempts.map(({ attempt, model, result, message }): [string, string] => [
      'attempt',
      `${attempt} by ${model}: ${result}${message === undefined ? '' : ` (${message})`}`,
    ]),
    ['usage', `${usage.inputTokens} tokens in, ${usage.outputTokens} out, ${cost}`],
    [
      'stages',
      Object.entries(timings)
        .map(([stage, ms]) => `${stage} ${Math.round(ms)} ms`)
        .join(', '),
    ],
  ];
}

const exported: Act = async ({ config, operands, tenant = 'default', all }) => {
  if (all === operands.length > 0)
    throw new UsageError(
      `Cannot read arguments: ${all ? 'digests and --all' : 'no digest'}, wanted either digests or --all`,
    );
  return onQueue(config, async ({ handlers: stored }) => {
    const wanted: string[] = [];
    for (const given of operands) {
      const digest = await named('export', stored, tenant, given, { withdrawnToo: true });
      if (digest === null) return exitCodes.unreadable;
      wanted.push(digest);
    }
    const known = await stored.withdrawnOf(tenant);
    const withdrawn = known.filter(({ digest }) => all || wanted.includes(digest));
    // Withdrawn handlers are a separate list: an importer that does not know a mark would serve them.
    const digests = (all ? await everyDigest(stored, tenant) : wanted).filter((digest) =>
      withdrawn.every((one) => one.digest !== digest),
    );
    const records: HandlerRecord[] = [];
    let code: number = exitCodes.ok;
    for (const digest of digests) {
      const record = await recordOf(stored, tenant, digest);
      if (record !== null) records.push(record);
      else code = unknown('export', tenant, digest);
      // With --all, one unreadable record must not stop the export of the others.
      if (record === null && !all) return code;
    }
    const marks = withdrawn.map((one) => ({ tenant, ...one }));
    print(true, { format: exportFormat, version: 1, handlers: records, withdrawn: marks }, () => []);
    return code;
  });
};

const imported: Act = async ({ config, operands, json }) => {
  if (operands.length !== 1)
    throw new UsageError(`Cannot read arguments: ${operands.length} files, wanted one, or - for standard input`);
  const given = await readJson(operands[0] ?? '-');
  // Loaded here because only this verb needs the sandbox.
  const { importHandlers } = await import('./handlers-import.ts');
  const results = await importHandlers(given, config);
  print(json, results, () =>
    results.map(
      ({ tenant, digest, stored, withdrawn, why }) =>
        `${tenant}  ${digest}  ${stored ? 'stored' : `${withdrawn ? 'withdrawn' : 'refused'}: ${why}`}`,
    ),
  );
  return results.every(({ stored, withdrawn }) => stored || withdrawn) ? exitCodes.ok : exitCodes.unreadable;
};

/** Makes a verb that applies one change to each named handler. */
function change(
  verb: string,
  did: string,
  act: (stored: QueueOperator['handlers'], call: Call, digest: string) => Promise<unknown>,
): Act {
  return async (call) => {
    const { config, operands, tenant = 'default', json } = call;
    if (operands.length === 0) throw new UsageError('Cannot read arguments: no digest, wanted one or more');
    return onQueue(config, async ({ handlers: stored }) => {
      const changed: string[] = [];
      let missing = 0;
      for (const given of operands) {
        const digest = await named(verb, stored, tenant, given, { withdrawnToo: verb === 'restore' });
        if (digest === null) {
          missing += 1;
          continue;
        }
        if ((await stored.get(tenant, digest)) === null) {
          missing += 1;
          // An expired handler may return by an import or a new generation, so withdraw and restore need no record.
          const needsRecord = (verb !== 'withdraw' && verb !== 'restore') || !/^[0-9a-f]{64}$/.test(digest);
          if (needsRecord) {
            unknown(verb, tenant, digest);
            continue;
          }
          complain(`No handler ${digest} is stored for tenant "${tenant}": it is ${did} in advance`);
        }
        await act(stored, { ...call, tenant }, digest);
        changed.push(digest);
      }
      print(
        json,
        changed.map((digest) => ({ tenant, digest, [did]: true })),
        () => changed.map((digest) => `${digest} ${did}`),
      );
      return missing > 0 ? exitCodes.unreadable : exitCodes.ok;
    });
  };
}

const verbs: Record<string, Act> = {
  list,
  show,
  export: exported,
  import: imported,
  pin: change('pin', 'pinned', async (stored, { tenant = '' }, digest) =>
    stored.pin(tenant, digest, await lookupsOf(stored, tenant, digest)),
  ),
  unpin: change('unpin', 'unpinned', async (stored, { tenant = '' }, digest) =>
    stored.unpin(tenant, digest, await lookupsOf(stored, tenant, digest)),
  ),
  withdraw: (call) => {
    const { reason } = call;
    if (reason === undefined || reason.trim() === '')
      throw new UsageError('Cannot read arguments: withdraw without --reason, wanted why');
    return withdraw(call);
  },
  restore: change('restore', 'restored', (stored, { tenant = '' }, digest) => stored.restore(tenant, digest)),
};

const withdraw = change('withdraw', 'withdrawn', (stored, { tenant = '', reason = '' }, digest) =>
  stored.withdraw(tenant, digest, reason),
);

/** The digest that a text means, or the text if there is none; `null` after a complaint if there are several. */
async function named(
  verb: string,
  stored: QueueOperator['handlers'],
  tenant: string,
  given: string,
  which: { withdrawnToo?: boolean } = {},
): Promise<string | null> {
  const meant = await digestsLike(stored, tenant, given, which);
  if (meant.length <= 1) return meant[0] ?? given;
  complain(
    `Cannot ${verb} handler ${given}: ${meant.length} of tenant "${tenant}" begin so, wanted more of its digest`,
  );
  return null;
}

function unknown(verb: string, tenant: string, digest: string): number {
  complain(`Cannot ${verb} handler ${digest}: none is stored for tenant "${tenant}", wanted one of \`handlers list\``);
  return exitCodes.unreadable;
}
