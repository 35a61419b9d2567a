import type { LoadedHandler, Sandbox } from '../../sandbox/contract.ts';
import { exportNameOf, type HandlerRecord } from '../contract/handler.ts';
import type { BorrowedHandler, HandlerCache } from '../job/services.ts';

/** Most handlers that stay loaded. A cell keeps as many isolates. */
const maxWarm = 8;

/** How long a handler stays loaded, in milliseconds. */
const maxAgeMs = 60_000;

interface Warm {
  loading: Promise<LoadedHandler>;
  loadedAtMs: number;
  users: number;
}

/**
 * A cache of loaded handlers, shared by jobs. It saves only the loading, which costs more than running a few cases:
 * runs stay isolated from each other.
 */
export class WarmHandlers implements HandlerCache {
  readonly #sandbox: Pick<Sandbox, 'load'>;
  readonly #isQuarantined: (bundle: string) => Promise<boolean>;
  readonly #clock: () => number;
  /** The most recently used handler is last. */
  readonly #warm = new Map<string, Warm>();

  constructor(
    sandbox: Pick<Sandbox, 'load'>,
    isQuarantined: (bundle: string) => Promise<boolean>,
    clock: () => number = Date.now,
  ) {
    this.#sandbox = sandbox;
    this.#isQuarantined = isQuarantined;
    this.#clock = clock;
  }

  /**
   * Borrows a stored handler, loaded already if possible. Does not reuse one that another worker has put into
   * quarantine.
   */
  async borrow({ digest, role, bundle, provenance }: HandlerRecord): Promise<BorrowedHandler> {
    const key = `${provenance.tenant} ${digest}`;
    const isQuarantined = this.#warm.has(key) && (await this.#isQuarantined(bundle));
    const known = this.#warm.get(key);
    const isFresh = known !== undefined && !isQuarantined && this.#clock() - known.loadedAtMs < maxAgeMs;
    if (known && !isFresh) await this.#closeUnused(this.#forget([key, known]));
    const one = isFresh
      ? known
      : {
          loading: this.#sandbox.load(bundle, exportNameOf(role)),
          loadedAtMs: this.#clock(),
          users: 0,
        };
    one.users += 1;
    return {
      handler: await one.loading,
      release: async (keep) => {
        one.users -= 1;
        const other = this.#warm.get(key);
        if (other === one || keep) this.#warm.delete(key);
        if (keep) this.#warm.set(key, one);
        const [oldest] = this.#warm;
        const gone = [one, other, ...(oldest && this.#warm.size > maxWarm ? [this.#forget(oldest)] : [])];
        await Promise.all(gone.map((each) => each && this.#closeUnused(each)));
      },
    };
  }

  #forget([key, one]: [string, Warm]): Warm {
    this.#warm.delete(key);
    return one;
  }

  async #closeUnused(one: Warm): Promise<void> {
    if (one.users > 0 || [...this.#warm.values()].includes(one)) return;
    await (await one.loading).close();
  }
}
