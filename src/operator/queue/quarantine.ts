import type { QuarantineEntry, QueueOperator } from '../../../queues/index.ts';
import { bundleDigest } from '../../../sandbox/index.ts';
import { readConfig } from '../../config.ts';
import { actOf, type Command, exitCodes, limitOf, readArguments, UsageError } from '../shell/command.ts';
import { digestsMeant, leastOfDigest } from '../shell/cut-digest.ts';
import { onQueue } from '../shell/on-queue.ts';
import { complain, moment, print, rows } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';

const settingsRead = ['redisUrl', 'prefix', 'quarantineSeconds'] as const;

/** Stored handlers of a tenant that are compared with a bundle, the last used first. */
const comparedHandlers = 500;

/** Lists, frees and acknowledges the bundles that killed their sandbox. */
export const quarantine: Command = {
  summary: 'lists, frees or acknowledges the bundles that killed their sandbox',
  help: `Usage: protosmith quarantine list [--limit <n>] [--json]
       protosmith quarantine free <digest …> | --all [--json]
       protosmith quarantine acknowledge <digest …> | --all [--json]

A bundle that killed its sandbox process is in quarantine: no worker runs it. list says which job ran it, and which
stored handler it is, if it is one. free lets workers run it again, as after an accident of the machine; a bundle that
kills again comes back. acknowledge leaves it in quarantine and ends its warning in \`status\`. A digest may be cut to its
first ${leastOfDigest} characters or more.

  --limit <n>   how many to list, the newest first (default 50)
  --all         every bundle in quarantine
  --json        as JSON

${settingsHelp(settingsRead)}
Exit code: 0 done, 64 usage, 65 no such bundle, 69 Redis unreachable, 78 wrong settings.
`,
  async run(args) {
    const { values, positionals } = readArguments(
      args,
      {
        limit: { type: 'string', default: '50' },
        all: { type: 'boolean' },
        json: { type: 'boolean' },
        'redis-url': { type: 'string' },
      },
      { least: 1, most: 1_000, wanted: 'list, free or acknowledge' },
    );
    const [verb = '', ...digests] = positionals;
    const act = actOf(verbs, verb);
    const options = { limit: limitOf(values.limit), all: values.all === true, json: values.json };
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    return onQueue(config, (operator) => act(operator, digests, options));
  },
};

interface Options {
  limit: number;
  all: boolean;
  json: boolean | undefined;
}

type Act = (operator: QueueOperator, digests: readonly string[], options: Options) => Promise<number>;

/** A bundle with the stored handler that it is, if it is one. */
interface Explained extends QuarantineEntry {
  handler: { tenant: string; digest: string } | null;
}

const list: Act = async (operator, digests, { limit, json }) => {
  if (digests.length > 0) throw new UsageError(`Cannot read arguments: ${digests.length} digests, wanted none`);
  const found = await explained(operator, await operator.quarantine.list(limit));
  print(json, found, () => (found.length === 0 ? ['no bundle is in quarantine'] : found.flatMap(told)));
  return exitCodes.ok;
};

const free: Act = (operator, digests, options) =>
  each(operator, digests, options, 'freed', (digest) => operator.quarantine.release(digest));

const acknowledge: Act = (operator, digests, options) =>
  each(operator, digests, options, 'acknowledged', (digest) => operator.quarantine.acknowledge(digest));

const verbs: Record<string, Act> = { list, free, acknowledge };

function told({ digest, sinceMs, reason, handler, ...entry }: Explained): string[] {
  const { jobId, tenant, negotiationId, worker, acknowledged } = entry;
  return [
    digest,
    ...rows([
      ['  since', `${moment(sinceMs)}${acknowledged ? ', acknowledged' : ''}`],
      ['  reason', reason],
      ['  job', jobId ?? 'unknown'],
      ['  negotiation', negotiationId ?? 'unknown'],
      ['  tenant', tenant ?? 'unknown'],
      ['  worker', worker ?? 'unknown'],
      ['  handler', handler === null ? 'none is stored: it was a candidate' : `${handler.digest} of ${handler.tenant}`],
    ]),
  ];
}

/** Adds to each bundle the stored handler that it is. */
async function explained({ handlers }: QueueOperator, entries: readonly QuarantineEntry[]): Promise<Explained[]> {
  const tenants = new Set(entries.flatMap(({ tenant }) => (tenant === null ? [] : [tenant])));
  const wanted = new Set(entries.map(({ digest }) => digest));
  const found = new Map<string, Explained['handler']>();
  for (const tenant of tenants) {
    for (const { digest } of (await handlers.list(tenant)).slice(0, comparedHandlers)) {
      const bundle = bundleIn((await handlers.get(tenant, digest)) ?? '');
      const ofBundle = bundle === null ? null : bundleDigest(bundle);
      if (ofBundle !== null && wanted.has(ofBundle)) found.set(ofBundle, { tenant, digest });
    }
  }
  return entries.map((entry) => ({ ...entry, handler: found.get(entry.digest) ?? null }));
}

function bundleIn(record: string): string | null {
  try {
    const { bundle } = Object(JSON.parse(record)) as { bundle?: unknown };
    return typeof bundle === 'string' ? bundle : null;
  } catch {
    return null;
  }
}

/** Applies an action to each bundle. Reports one that is not there and goes on. */
async function each(
  operator: QueueOperator,
  digests: readonly string[],
  { all, json }: Options,
  done: 'freed' | 'acknowledged',
  act: (digest: string) => Promise<boolean>,
): Promise<number> {
  if (all === digests.length > 0)
    throw new UsageError(
      `Cannot read arguments: ${all ? 'digests and --all' : 'no digest'}, wanted either digests or --all`,
    );
  const known = (await operator.quarantine.list(Number.POSITIVE_INFINITY)).map(({ digest }) => digest);
  const changed: string[] = [];
  let refused = 0;
  for (const given of all ? known : digests) {
    const matches = digestsMeant(given, known);
    const [digest] = matches;
    if (matches.length === 1 && digest !== undefined && (await act(digest))) changed.push(digest);
    else {
      const found = matches.length > 1 ? `${matches.length} digests begin with it` : 'no such digest is in quarantine';
      complain(`Cannot change quarantine of ${given}: ${found}, wanted one of \`quarantine list\``);
      refused += 1;
    }
  }
  print(
    json,
    changed.map((digest) => ({ digest, [done]: true })),
    () => changed.map((digest) => `${digest} ${done}`),
  );
  return refused > 0 ? exitCodes.unreadable : exitCodes.ok;
}
