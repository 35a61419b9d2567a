import { connect, disconnect, keysOf, Quarantine, redisFailure, whenReady } from '../../../queues/index.ts';
import { bundleDigest, type Quarantine as SandboxQuarantine } from '../../../sandbox/index.ts';
import type { Config } from '../../config.ts';
import type { HandlerRecord } from '../../contract/handler.ts';
import { createHandlerStore } from '../../handlers/redis-handler-store.ts';
import { servedHandler } from '../../handlers/served-handler.ts';

/** A command's access to stored handlers; connects on first use. */
export interface StoreAccess {
  /**
   * A handler that may be served. Rejects with `JOB_HANDLER_UNKNOWN` if there is none or it was withdrawn, with
   * `PLATFORM_REDIS_UNREACHABLE` if Redis is unreachable.
   */
  served(tenant: string, digest: string): Promise<HandlerRecord>;
  /**
   * Whether a served handler may still be used: neither withdrawn nor in quarantine. True if Redis is unreachable, so
   * that agents go on talking.
   */
  isServed(tenant: string, record: HandlerRecord): Promise<boolean>;
  /** The bundles in quarantine. Commands that run stored handlers respect it and add to it. */
  quarantine: SandboxQuarantine;
  close(): Promise<void>;
}

type StoreConfig = Pick<Config, 'redisUrl' | 'prefix' | 'quarantineSeconds'>;

const withinMs = 3_000;

/** Opens access to the stored handlers. */
export function openStore(config: StoreConfig): StoreAccess {
  let connection: ReturnType<typeof connect> | undefined;
  const connected = async () => {
    connection ??= connect(config.redisUrl, 'caller');
    await whenReady(connection, withinMs);
    return connection;
  };
  const quarantine = async () => new Quarantine(await connected(), keysOf(config.prefix), config.quarantineSeconds);
  return {
    async served(tenant, digest) {
      return servedHandler(createHandlerStore(await connected(), config), tenant, digest);
    },
    async isServed(tenant, { digest, bundle }) {
      if (connection?.status !== 'ready') return true;
      const store = createHandlerStore(connection, config);
      const kept = new Quarantine(connection, keysOf(config.prefix));
      return Promise.all([store.withdrawnFor(tenant, digest), kept.has(bundleDigest(bundle))]).then(
        ([withdrawn, isQuarantined]) => withdrawn === null && !isQuarantined,
        () => true,
      );
    },
    quarantine: {
      has: async (digest) => {
        const shared = await quarantine();
        return shared.has(digest).catch((error) => {
          throw redisFailure(error, 'look into the quarantine') ?? error;
        });
      },
      add: async (digest) => (await quarantine()).add(digest, 'a run of it killed its cell'),
    },
    close: async () => connection && disconnect(connection),
  };
}
