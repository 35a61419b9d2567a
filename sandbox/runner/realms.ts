import type { ResolvedLimits } from '../policy.ts';
import type { ActiveRun } from './active-run.ts';
import type { Engine, EngineShelf, Realm } from './engine.ts';

/**
 * The isolate of one bundle and the realms in it. The isolate is made when a realm is first wanted, and anew after each
 * `discard`.
 */
export class Realms {
  readonly #engines: EngineShelf;
  readonly #bundle: string;
  readonly #limits: ResolvedLimits;
  #engine: Engine | undefined;
  #shared: Realm | undefined;

  constructor(engines: EngineShelf, bundle: string, limits: ResolvedLimits) {
    this.#engines = engines;
    this.#bundle = bundle;
    this.#limits = limits;
  }

  /** Whether the isolate is gone because the bundle did not fit into its memory. */
  get areOutOfMemory(): boolean {
    return this.#engine?.isolate.isDisposed ?? false;
  }

  /** Whether the realm is in the isolate of now. */
  has({ engine }: Realm): boolean {
    return engine === this.#engine;
  }

  /** The frozen realm that runs share. Throws if the bundle cannot be loaded. */
  openShared(): Realm {
    this.#shared ??= this.open(true);
    return this.#shared;
  }

  /** Opens a realm for one run. Throws if the bundle cannot be loaded. */
  open(frozen: boolean): Realm {
    if (!this.#engine) {
      this.#engine = this.#engines.take(this.#limits.memoryMb);
      this.#engine.load(this.#bundle, this.#limits);
    }
    return this.#engine.open(frozen);
  }

  /** Lets no other run into a realm: one that was given up there has left something behind. */
  retire(realm: Realm | undefined): void {
    if (realm === this.#shared) this.#shared = undefined;
  }

  /** Puts a run into a realm or out of all, and closes the realm that it leaves empty, unless that is shared. */
  move(run: ActiveRun, realm: Realm | undefined): void {
    const left = run.realm;
    run.realm = realm;
    if (realm) realm.users += 1;
    if (!left) return;
    left.users -= 1;
    if (left.users === 0 && left !== this.#shared) left.engine.close(left);
  }

  /** Ends the isolate with all that is in it. */
  discard(): void {
    this.#shared = undefined;
    this.#engine?.dispose();
    this.#engine = undefined;
  }
}
