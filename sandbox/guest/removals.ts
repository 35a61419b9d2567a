import {
  construct,
  defineProperty,
  deleteProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hide,
  lend,
  NativeArrayBuffer,
  NativeTypeError,
  ownKeys,
  scope,
} from './primordials.ts';

/** One function of each kind: they lead to the constructors and prototypes that no global names. */
export const functionKinds: readonly object[] = [() => {}, async () => {}, function* () {}, async function* () {}];

/** Takes away what no handler needs and what reaches further than it should; where runs are to share the realm, what one could tell another by too. */
export function takeAway(shared: boolean): void {
  const removed = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'console'];
  for (let index = 0; index < removed.length; index += 1) deleteProperty(scope, removed[index] as string);
  // Raw JSON is what no value of a program can become: `1e999` would be infinite where it is read.
  deleteProperty(JSON, 'rawJSON');
  deleteProperty(JSON, 'isRawJSON');
  if (shared) refuseMatches();
  refuseCode();
  refuseResizableBuffers();
}

/** The statics of RegExp (`$1`, `lastMatch`, …) tell one run what another matched. A run that asks for them is made again where they are its own. */
function refuseMatches(): void {
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

/** No code from strings: not by `eval`, not by any of the four constructors of functions. */
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

/** A resizable buffer reserves its greatest length, which no heap limit counts. */
function refuseResizableBuffers(): void {
  const FixedArrayBuffer = function (length: unknown, options: unknown): object {
    if (!new.target) throw new NativeTypeError("Constructor ArrayBuffer requires 'new'");
    if (options !== undefined) throw new NativeTypeError('resizable buffers are not allowed');
    return construct(NativeArrayBuffer, [length], new.target) as object;
  };
  hide(FixedArrayBuffer, 'isView', NativeArrayBuffer.isView);
  lend(FixedArrayBuffer, 'ArrayBuffer', NativeArrayBuffer.prototype);
  hide(NativeArrayBuffer.prototype, 'constructor', FixedArrayBuffer);
  defineProperty(
    FixedArrayBuffer,
    Symbol.species,
    getOwnPropertyDescriptor(NativeArrayBuffer, Symbol.species) as PropertyDescriptor,
  );
  hide(scope, 'ArrayBuffer', FixedArrayBuffer);
}
