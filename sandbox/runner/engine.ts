import type ivm from 'isolated-vm';
import type { GuestDoor, GuestLimits, GuestMessage } from '../guest/protocol.ts';
import { policy, type ResolvedLimits } from '../policy.ts';
import { type AnswerTable, pack, Texts } from '../wire.ts';

/** The guest's side (sandbox/guest) as one expression, put in here when a cell's program is bundled. */
declare const glueText: string;

/** A hardened context, and the way into it. */
export interface Realm {
  engine: Engine;
  context: ivm.Context;
  door: ivm.Reference<GuestDoor>;
  /** How many runs are in it that have not come to their end. */
  users: number;
  /** The prepared answers that it has been brought. */
  tables?: readonly AnswerTable[];
}

/**
 * An isolate with the scripts that open realms in it. It can be made before it is known what for. Its handles are released by hand: to the
 * cell's garbage collector they are a few bytes each, so that it comes for them late, and what they hold fills the isolate and the process.
 */
export class Engine {
  readonly isolate: ivm.Isolate;
  readonly memoryMb: number;
  readonly #glue: ivm.Script;
  #factory: ivm.Script | undefined;
  #limits: ResolvedLimits | undefined;
  #chance = true;
  /** The shared realm as long as nothing of a bundle is in it. */
  #prepared: Realm | undefined;
  readonly #realms = new Set<Realm>();

  constructor(isolatedVm: typeof ivm, memoryMb: number) {
    this.memoryMb = memoryMb;
    this.isolate = new isolatedVm.Isolate({ memoryLimit: memoryMb });
    this.#glue = compileGlue(this.isolate);
  }

  /** Makes the shared realm in advance, with nothing of a bundle in it. */
  prepare(): void {
    this.#prepared ??= this.#harden(true);
  }

  /** Takes the bundle that is run here; nothing of it is executed. Throws where it is no module. */
  load(bundle: string, limits: ResolvedLimits): void {
    // As a module first: text that is one cannot break out of the function that it is put into below, unless by an `await` outside of all
    // functions. That is an operator in a module and a name in a function, and what follows is read otherwise; here it may not stand at all.
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
    this.#chance = bundle.includes('random');
  }

  /** Opens a realm for the bundle: one that runs can share, or one of a single run. */
  open(shared: boolean): Realm {
    const realm = (shared && this.#prepared) || this.#harden(shared);
    if (shared) this.#prepared = undefined;
    const limits = this.#limits as ResolvedLimits;
    const factory = (this.#factory as ivm.Script).runSync(realm.context, {
      reference: true,
      timeout: limits.stepMs,
    }) as ivm.Reference<() => unknown>;
    const message: GuestMessage = { op: 'bind', limits: guestLimits(limits), chance: this.#chance };
    realm.door.applySync(undefined, [pack(message, Texts.of([])), factory.derefInto()]);
    factory.release();
    return realm;
  }

  /** Lets go of a realm that no run is in any more. */
  close(realm: Realm): void {
    if (!this.#realms.delete(realm)) return;
    realm.door.release();
    realm.context.release();
  }

  /** Ends the isolate, with all that is in it. */
  dispose(): void {
    for (const realm of this.#realms) this.close(realm);
    this.#glue.release();
    this.#factory?.release();
    if (!this.isolate.isDisposed) this.isolate.dispose();
  }

  #harden(shared: boolean): Realm {
    const context = this.isolate.createContextSync();
    const install = this.#glue.runSync(context, { reference: true }) as ivm.Reference<(shared: boolean) => GuestDoor>;
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

/** The compiled glue, which is the same in every isolate; of bundles nothing is kept. */
let glueCache: ivm.ExternalCopy<ArrayBuffer> | undefined;

function compileGlue(isolate: ivm.Isolate): ivm.Script {
  if (glueCache) return isolate.compileScriptSync(glueText, { filename: 'glue.js', cachedData: glueCache });
  const script = isolate.compileScriptSync(glueText, { filename: 'glue.js', produceCachedData: true });
  glueCache = (script as ivm.CachedDataResult).cachedData;
  return script;
}

/** How the bundler ends a module: the only export, and nothing after it. */
const exportTail = /\nexport \{\n {2}([\w$]+)(?: as (?:handle|perform))?\n\};\n$/;

/** Where engines come from: one is made while there is nothing else to do, so that the next handler need not wait for it. */
export class EngineShelf {
  readonly #ivm: typeof ivm;
  readonly #shared: boolean;
  #memoryMb: number | undefined;
  #spare: Engine | undefined;

  /** With or without the realm that runs share. */
  constructor(isolatedVm: typeof ivm, { shared }: { shared: boolean }) {
    this.#ivm = isolatedVm;
    this.#shared = shared;
  }

  /** An engine that nobody has used. */
  take(memoryMb: number): Engine {
    const spare = this.#spare;
    this.#spare = undefined;
    this.#memoryMb = memoryMb;
    if (spare?.memoryMb === memoryMb) return spare;
    spare?.dispose();
    return new Engine(this.#ivm, memoryMb);
  }

  /** Makes one like the one that was taken last, unless there is one. */
  refill(): void {
    if (this.#spare || this.#memoryMb === undefined) return;
    this.#spare = new Engine(this.#ivm, this.#memoryMb);
    if (this.#shared) this.#spare.prepare();
  }
}
