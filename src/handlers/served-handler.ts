import type { HandlerRecord } from '../contract/handler.ts';
import type { HandlerStore } from '../contract/ports.ts';
import { CodedError } from '../kernel/errors.ts';

/**
 * A stored handler that may be served. Rejects with `JOB_HANDLER_UNKNOWN` if none is stored or it was
 * withdrawn.
 */
export async function servedHandler(
  store: Pick<HandlerStore, 'get' | 'withdrawnFor'>,
  tenant: string,
  digest: string,
): Promise<HandlerRecord> {
  const record = await store.get(tenant, digest);
  const withdrawn = record && (await store.withdrawnFor(tenant, digest));
  if (record !== null && withdrawn === null) return record;
  throw new CodedError(
    'JOB_HANDLER_UNKNOWN',
    `Cannot serve handler ${digest.slice(0, 100)}: ${record === null ? 'none is stored' : 'it was withdrawn'} for tenant "${tenant}", wanted one in service`,
  );
}
