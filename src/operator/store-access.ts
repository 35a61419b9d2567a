import { connect, disconnect, keysOf, Quarantine, redisFailure, whenReady } from '../../queues/index.ts';
import { bundleDigest, type Quarantine as SandboxQuarantine } from '../../sandbox/index.ts';
import type { Config } from '../config.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import { createHandlerStore } from '../handlers/redis-handler-store.ts';
import { servedHandler } from '../handlers/served-handler.ts';

/** A command's way to the stored handlers; the connection is made with the first question. */
export interface StoreAccess {
  /** A handler that may be served. Rejects with `JOB_HANDLER_UNKNOWN` where there is none or it was withdrawn, with `PLATFORM_REDIS_UNREACHABLE` where Redis is away. */
  served(tenant: string, digest: string): Promise<HandlerRecord>;
  /** Whether a handler that was served may still be: neither withdrawn nor in quarantine since. Where Redis is away, it may: agents go on talking without it. */
  isServed(tenant: string, record: HandlerRecord): Promise<boolean>;
  /** The bundles that no worker runs any more; whoever runs stored handlers neither runs these nor keeps new ones to itself. */
  quarantine: SandboxQuarantine;
  close(): Promise<void>;
}

type StoreConfig = Pick<Config, 'redisUrl' | 'prefix' | 'quarantineSeconds'>;

const withinMs = 3_000;

/** Opens the way to the stored handlers. */
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
