// Built-ins, taken before any guest code has run. Guest code may replace them, and we would then call its code.

export const {
  apply,
  construct,
  defineProperty,
  deleteProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  ownKeys,
  setPrototypeOf,
} = Reflect;
export const { freeze, hasOwn, isExtensible } = Object;
export const { parse, stringify } = JSON;
export const { imul } = Math;
export const makeSymbol = Symbol;
export const scope = globalThis as unknown as Record<string, unknown>;
export const NativeArrayBuffer = ArrayBuffer;
export const NativeDate = Date;
export const NativeError = Error;
export const NativeMap = Map;
export const NativeMath = Math;
export const NativePromise = Promise;
export const NativeRangeError = RangeError;
export const NativeTypeError = TypeError;

const bindCall = Function.prototype.bind.bind(Function.prototype.call as never) as unknown as <
  T,
  A extends unknown[],
  R,
>(
  method: (this: T, ...args: A) => R,
) => (self: T, ...args: A) => R;
export const slice = bindCall(String.prototype.slice);
export const indexOf = bindCall(String.prototype.indexOf);
export const charCodeAt = bindCall(String.prototype.charCodeAt);
export const symbolText = bindCall(Symbol.prototype.toString);
export const bigintText = bindCall(BigInt.prototype.toString);
export const dateText = bindCall(Date.prototype.toString);
export const mapGet = bindCall(Map.prototype.get);
export const mapSet = bindCall(Map.prototype.set);
export const mapDelete = bindCall(Map.prototype.delete);

/** A list that inherits nothing, so that no setter planted on `Array.prototype` is ever called. */
export function bareList<T>(): T[] {
  const list: T[] = [];
  setPrototypeOf(list, null);
  return list;
}

/** Sets a property that no loop over properties sees. */
export function hide(target: object, key: PropertyKey, value: unknown): void {
  defineProperty(target, key, {
    __proto__: null,
    value,
    writable: true,
    enumerable: false,
    configurable: true,
  } as PropertyDescriptor);
}

/** Gives a constructor the name and the prototype of the one that it replaces. */
export function lend(made: object, name: string, prototype: object): void {
  hide(made, 'name', name);
  defineProperty(made, 'prototype', { __proto__: null, value: prototype, writable: false } as PropertyDescriptor);
}
