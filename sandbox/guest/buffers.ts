import {
  apply,
  construct,
  defineProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  hide,
  lend,
  NativeArrayBuffer,
  NativeTypeError,
  ownKeys,
  scope,
  setPrototypeOf,
} from './primordials.ts';

type Constructor = abstract new (...parts: unknown[]) => object;

/**
 * Requests for memory that failed. How much memory is left would tell a run what earlier runs have taken, so a run that
 * was refused memory does not go on: see install-guest.ts. Counted up before the request, since there may be no stack
 * for that afterwards.
 */
let unmet = 0;

/** Whether a request for memory of a buffer failed in this step. */
export function hasRunOut(): boolean {
  return unmet !== 0;
}

/** Begins a step: what failed since the last one was left over from runs that had ended. */
export function forgetUnmet(): void {
  unmet = 0;
}

/** The native constructors that were replaced: no property leads to them now. */
export const replacedConstructors: Constructor[] = [];

/** Watches everything that takes memory for a buffer, and refuses resizable buffers. */
export function watchBuffers(): void {
  // A resizable buffer reserves its maximum length, and no heap limit counts that.
  const FixedArrayBuffer = replaced(NativeArrayBuffer as unknown as Constructor, (parts) => {
    if (parts[1] !== undefined) throw new NativeTypeError('resizable buffers are not allowed');
    return [parts[0]];
  });
  hide(FixedArrayBuffer, 'isView', NativeArrayBuffer.isView);
  copy(NativeArrayBuffer, FixedArrayBuffer, Symbol.species);
  watchMethods(NativeArrayBuffer.prototype, ['slice', 'transfer', 'transferToFixedLength']);

  const typedArray = getPrototypeOf(Uint8Array) as Constructor;
  watchMethods(typedArray.prototype, ['slice', 'map', 'filter', 'toReversed', 'toSorted', 'with']);
  const names = ownKeys(scope);
  for (let index = 0; index < names.length; index += 1) {
    const native = getOwnPropertyDescriptor(scope, names[index] as string)?.value as unknown;
    if (typeof native !== 'function' || getPrototypeOf(native) !== typedArray) continue;
    const watched = replaced(native as unknown as Constructor, (parts) => parts);
    copy(native, watched, 'BYTES_PER_ELEMENT');
  }
}

/** Replaces a global constructor with one that does the same and is watched. */
function replaced(native: Constructor, checked: (parts: unknown[]) => unknown[]): object {
  const { name } = native;
  const watched = function (...parts: unknown[]): object {
    if (!new.target) throw new NativeTypeError(`Constructor ${name} requires 'new'`);
    const allowed = checked(parts);
    unmet += 1;
    try {
      const made = construct(native, allowed, new.target) as object;
      unmet -= 1;
      return made;
    } catch (error) {
      if (!isFailure(error)) unmet -= 1;
      throw error;
    }
  };
  lend(watched, name, native.prototype as object);
  copy(native, watched, 'length');
  setPrototypeOf(watched, getPrototypeOf(native));
  hide(native.prototype as object, 'constructor', watched);
  hide(scope, name, watched);
  replacedConstructors[replacedConstructors.length] = native;
  return watched;
}

function watchMethods(prototype: object, names: readonly string[]): void {
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    if (!hasOwn(prototype, name)) continue;
    const native = (prototype as Record<string, (...parts: unknown[]) => unknown>)[name] as () => unknown;
    // A method: it must not be a constructor, and it needs its `this`.
    const { watched } = {
      watched(this: unknown, ...parts: unknown[]): unknown {
        unmet += 1;
        try {
          const made = apply(native, this, parts as []);
          unmet -= 1;
          return made;
        } catch (error) {
          if (!isFailure(error)) unmet -= 1;
          throw error;
        }
      },
    };
    copy(native, watched, 'name');
    copy(native, watched, 'length');
    hide(prototype, name, watched);
  }
}

function copy(from: object, to: object, key: PropertyKey): void {
  defineProperty(to, key, getOwnPropertyDescriptor(from, key) as PropertyDescriptor);
}

/**
 * Whether an error says that there was no memory, or may mean that: if the stack is short too, V8 says so instead. A
 * run that throws a look-alike ends only itself.
 */
function isFailure(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const message = getOwnPropertyDescriptor(error, 'message')?.value as unknown;
  return message === 'Array buffer allocation failed' || message === 'Maximum call stack size exceeded';
}
