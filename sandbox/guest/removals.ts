import { watchBuffers } from './buffers.ts';
import {
  defineProperty,
  deleteProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hide,
  lend,
  makeSymbol,
  mapGet,
  mapSet,
  NativeMap,
  NativeTypeError,
  ownKeys,
  scope,
} from './primordials.ts';

/** One function of each kind: they lead to constructors and prototypes that no global names. */
export const functionKinds: readonly object[] = [() => {}, async () => {}, function* () {}, async function* () {}];

/**
 * Removes the built-ins that no handler needs or that reach too far. In a realm that runs share, also those by which a
 * run could tell another something.
 */
export function removeBuiltIns(shared: boolean): void {
  const removed = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'console'];
  for (let index = 0; index < removed.length; index += 1) deleteProperty(scope, removed[index] as string);
  // Raw JSON can hold what no value of a program can be: a reader would take `1e999` for infinity.
  deleteProperty(JSON, 'rawJSON');
  deleteProperty(JSON, 'isRawJSON');
  if (shared) refuseLastMatch();
  replaceSymbolRegistry(shared);
  refuseCode();
  watchBuffers();
}

/**
 * The statics of RegExp (`$1`, `lastMatch`, …) show what another run matched. A run that reads them is repeated in a
 * realm of its own.
 */
function refuseLastMatch(): void {
  const refusing = {
    get(): never {
      throw new NativeTypeError('the last match is not kept where runs share a realm');
    },
    set(): never {
      throw new NativeTypeError('the last match is not kept where runs share a realm');
    },
  };
  const keys = ownKeys(RegExp);
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as PropertyKey;
    const descriptor = getOwnPropertyDescriptor(RegExp, key);
    if (typeof key !== 'string' || !descriptor || !('get' in descriptor)) continue;
    defineProperty(RegExp, key, {
      __proto__: null,
      enumerable: false,
      configurable: false,
      get: refusing.get,
      set: refusing.set,
    } as PropertyDescriptor);
  }
}

/**
 * The registry of `Symbol.for` belongs to the isolate: its symbols outlive every run and keep their names. In a shared
 * realm `Symbol.for` throws, so that the run is repeated in a realm of its own, with a registry of its own.
 */
function replaceSymbolRegistry(shared: boolean): void {
  if (shared) {
    hide(Symbol, 'for', (): never => {
      throw new NativeTypeError('the registry of symbols is not kept where runs share a realm');
    });
    return;
  }
  const byKey: Map<string, symbol> = new NativeMap();
  const keys: Map<symbol, string> = new NativeMap();
  hide(Symbol, 'for', (name: unknown): symbol => {
    const key = `${name as string}`;
    const known = mapGet(byKey, key);
    if (known !== undefined) return known;
    const made = makeSymbol(key);
    mapSet(byKey, key, made);
    mapSet(keys, made, key);
    return made;
  });
  hide(Symbol, 'keyFor', (symbol: unknown): string | undefined => {
    if (typeof symbol !== 'symbol') throw new NativeTypeError('what is given is not a symbol');
    return mapGet(keys, symbol);
  });
}

/** No code from strings: neither by `eval` nor by any of the four constructors of functions. */
function refuseCode(): void {
  const refusing = () => (): never => {
    throw new NativeTypeError('code from strings is not allowed');
  };
  for (let index = 0; index < functionKinds.length; index += 1) {
    const prototype = getPrototypeOf(functionKinds[index] as object) as object;
    const maker = refusing();
    lend(maker, 'Function', prototype);
    defineProperty(prototype, 'constructor', {
      __proto__: null,
      value: maker,
      writable: false,
      enumerable: false,
      configurable: false,
    } as PropertyDescriptor);
    if (index === 0) hide(scope, 'Function', maker);
  }
  hide(scope, 'eval', refusing());
}
