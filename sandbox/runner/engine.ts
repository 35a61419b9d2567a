import type ivm from 'isolated-vm';
import type { GuestDoor, GuestLimits, GuestMessage } from '../guest/protocol.ts';
import { policy, type ResolvedLimits } from '../policy.ts';
import { type AnswerTable, pack, Texts } from '../wire.ts';

/** The guest's side (sandbox/guest) as one expression. The bundler puts it in when it makes the program of a cell. */
declare const guestCode: string;

/** A hardened context, and the way into it. */
export interface Realm {
  engine: Engine;
  context: ivm.Context;
  door: ivm.Reference<GuestDoor>;
  /** How many runs in it have not ended. */
  users: number;
  /** The prepared answers that the guest has here. */
  tables?: readonly AnswerTable[];
}

/**
 * An isolate with the scripts that open realms in it. It can be made before its bundle is known. Its handles are
 * released by hand: to the garbage collector of the cell they are a few bytes each, so it collects them late, while
 * what they hold fills the isolate and the process.
 */
export class Engine {
  readonly isolate: ivm.Isolate;
  readonly memoryMb: number;
  readonly #install: ivm.Script;
  #factory: ivm.Script | undefined;
  #limits: ResolvedLimits | undefined;
  #usesRandom = true;
  /** The shared realm, until a bundle is put into it. */
  #prepared: Realm | undefined;
  readonly #realms = new Set<Realm>();

  constructor(isolatedVm: typeof ivm, memoryMb: number) {
    this.memoryMb = memoryMb;
    this.isolate = new isolatedVm.Isolate({ memoryLimit: memoryMb });
    this.#install = compileGuest(this.isolate);
  }

  /** Makes the shared realm in advance, without a bundle. */
  prepare(): void {
    this.#prepared ??= this.#harden(true);
  }

  /** Compiles the bundle and executes nothing of it. Throws if it is not a module. */
  load(bundle: string, limits: ResolvedLimits): void {
    // As a module first: a text that is a module cannot break out of the function that it is put into below, except by
    // an `await` outside of all functions. In a module that is an operator, in a function a name, so what follows would
    // be parsed differently. A static block allows neither.
    this.isolate.compileModuleSync(bundle, { filename: 'handler.js' }).release();
    const [tail, name] = exportTail.exec(bundle) ?? ['', 'undefined'];
    const body = bundle.slice(0, bundle.length - tail.length);
    if (body.includes('await'))
      this.isolate
        .compileScriptSync(`(class { static {\n${body}\n} })`, { filename: 'handler.js', lineOffset: -1 })
        .release();
    this.#factory = this.isolate.compileScriptSync(
      `(function (Math) { "use strict"; return (function () { "use strict";\n${body}\nreturn ${name};\n})(); })`,
      { filename: 'handler.js', lineOffset: -1 },
    );
    this.#limits = limits;
    this.#usesRandom = bundle.includes('random');
  }

  /** Opens a realm for the bundle: a frozen one that runs can share, or one for a single run. */
  open(shared: boolean): Realm {
    const realm = (shared && this.#prepared) || this.#harden(shared);
    if (shared) this.#prepared = undefined;
    const limits = this.#limits as ResolvedLimits;
    const factory = (this.#factory as ivm.Script).runSync(realm.context, {
      reference: true,
      timeout: limits.stepMs,
    }) as ivm.Reference<() => unknown>;
    const message: GuestMessage = { op: 'bind', limits: guestLimits(limits), chance: this.#usesRandom };
    realm.door.applySync(undefined, [pack(message, Texts.of([])), factory.derefInto()]);
    factory.release();
    return realm;
  }

  /** Releases a realm that has no run left. */
  close(realm: Realm): void {
    if (!this.#realms.delete(realm)) return;
    realm.door.release();
    realm.context.release();
  }

  /** Ends the isolate, with all that is in it. */
  dispose(): void {
    for (const realm of this.#realms) this.close(realm);
    this.#install.release();
    this.#factory?.release();
    if (!this.isolate.isDisposed) this.isolate.dispose();
  }

  #harden(shared: boolean): Realm {
    const context = this.isolate.createContextSync();
    const install = this.#install.runSync(context, { reference: true }) as ivm.Reference<
      (shared: boolean) => GuestDoor
    >;
    const door = install.applySync(undefined, [shared], {
      result: { reference: true },
    }) as unknown as Realm['door'];
    install.release();
    const realm = { engine: this, context, door, users: 0 };
    this.#realms.add(realm);
    return realm;
  }
}

function guestLimits({ maxResultBytes, maxLogBytes, maxCalls }: ResolvedLimits): GuestLimits {
  return {
    maxResultLength: maxResultBytes,
    maxLogLength: maxLogBytes,
    maxCallLength: policy.maxCallBytes.default,
    maxExchangeLength: policy.maxExchangeBytes.default,
    maxDepth: policy.maxDepth.default,
    maxMessageLength: policy.maxMessageCharacters.default,
    maxCalls,
    maxIssuedIds: policy.maxIssuedIds.default,
  };
}

/** The compiled code of the guest's side, which is the same in every isolate. Nothing of a bundle is cached. */
let guestCache: ivm.ExternalCopy<ArrayBuffer> | undefined;

function compileGuest(isolate: ivm.Isolate): ivm.Script {
  if (guestCache) return isolate.compileScriptSync(guestCode, { filename: 'guest.js', cachedData: guestCache });
  const script = isolate.compileScriptSync(guestCode, { filename: 'guest.js', produceCachedData: true });
  guestCache = (script as ivm.CachedDataResult).cachedData;
  return script;
}

/** How the bundler ends a module: its only export and nothing after it. */
const exportTail = /\nexport \{\n {2}([\w$]+)(?: as (?:handle|perform))?\n\};\n$/;

/** Keeps a spare engine, made while the cell has nothing else to do, so that the next handler need not wait for one. */
export class EngineShelf {
  readonly #ivm: typeof ivm;
  readonly #shared: boolean;
  #memoryMb: number | undefined;
  #spare: Engine | undefined;

  /** `shared`: whether the spare gets a shared realm. */
  constructor(isolatedVm: typeof ivm, { shared }: { shared: boolean }) {
    this.#ivm = isolatedVm;
    this.#shared = shared;
  }

  /** Returns an unused engine with this heap limit. */
  take(memoryMb: number): Engine {
    const spare = this.#spare;
    this.#spare = undefined;
    this.#memoryMb = memoryMb;
    if (spare?.memoryMb === memoryMb) return spare;
    spare?.dispose();
    return new Engine(this.#ivm, memoryMb);
  }

  /** Makes a spare like the engine that was taken last, unless there is a spare. */
  refill(): void {
    if (this.#spare || this.#memoryMb === undefined) return;
    this.#spare = new Engine(this.#ivm, this.#memoryMb);
    if (this.#shared) this.#spare.prepare();
  }
}
