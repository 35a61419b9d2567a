import type { QueueOperator } from '../../../queues/index.ts';
import type { HandlerRecord } from '../../contract/handler.ts';
import { readRecord } from '../../handlers/redis-handler-store.ts';
import { digestsMeant } from '../shell/cut-digest.ts';

/** Handlers read per call if all are wanted. */
const batch = 200;

/** The handlers of a tenant. */
type Stored = QueueOperator['handlers'];

/** A stored handler in a list. */
export type ListedHandler = Awaited<ReturnType<typeof describe>>;

/** The last used handlers of a tenant, or of every tenant; at most `limit` for each. */
export async function listHandlers(stored: Stored, tenant: string | undefined, limit: number) {
  const tenants = tenant === undefined ? await stored.tenants() : [tenant];
  const lists = tenants.map(async (name) =>
    Promise.all((await stored.list(name, { limit })).map(async (entry) => describe(stored, name, entry))),
  );
  return (await Promise.all(lists)).flat();
}

async function describe(stored: Stored, tenant: string, entry: Awaited<ReturnType<Stored['list']>>[number]) {
  const record = await recordOf(stored, tenant, entry.digest);
  return {
    tenant,
    ...entry,
    role: record?.role ?? null,
    protocolHash: record?.provenance.protocolHash ?? null,
    model: record?.provenance.model ?? null,
  };
}

/** The digests of all handlers of a tenant. */
export async function everyDigest(stored: Stored, tenant: string): Promise<string[]> {
  const digests: string[] = [];
  for (let offset = 0; ; offset += batch) {
    const page = await stored.list(tenant, { offset, limit: batch });
    digests.push(...page.map(({ digest }) => digest));
    if (page.length < batch) return digests;
  }
}

/**
 * The digests that a text means: itself if it is a whole one, else those of a tenant's handlers that begin with it;
 * with `withdrawnToo` also of withdrawn ones that are not stored.
 */
export async function digestsLike(
  stored: Stored,
  tenant: string,
  given: string,
  { withdrawnToo = false } = {},
): Promise<string[]> {
  if (/^[0-9a-f]{64}$/.test(given)) return [given];
  const withdrawn = withdrawnToo ? (await stored.withdrawnOf(tenant)).map(({ digest }) => digest) : [];
  return digestsMeant(given, [...new Set([...(await everyDigest(stored, tenant)), ...withdrawn])]);
}

/** The record of a handler; `null` if none is stored or it cannot be read. */
export async function recordOf(stored: Stored, tenant: string, digest: string): Promise<HandlerRecord | null> {
  const text = await stored.get(tenant, digest);
  return text === null ? null : readRecord(text);
}

/** The lookup key under which jobs find a handler. */
export async function lookupsOf(stored: Stored, tenant: string, digest: string): Promise<string[]> {
  const lookup = (await recordOf(stored, tenant, digest))?.lookup;
  return lookup === undefined ? [] : [lookup];
}
