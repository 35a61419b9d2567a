import { replacedConstructors } from './buffers.ts';
import {
  defineProperty,
  freeze,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isExtensible,
  NativeDate,
  NativeError,
  NativeTypeError,
  ownKeys,
  scope,
} from './primordials.ts';
import { functionKinds } from './removals.ts';

/** Freezes everything that guest code can reach, so that no run can leave anything to another. */
export function freezeRealm(): void {
  const hidden = hiddenObjects();
  freezeFrom(scope);
  for (const one of hidden) freezeFrom(one);
}

/** Objects that no property of the global object leads to. */
function hiddenObjects(): unknown[] {
  const strictArguments = (function (): object {
    // biome-ignore lint/complexity/noArguments: it leads to %ThrowTypeError%
    return arguments;
  })();
  const stack = getOwnPropertyDescriptor(new NativeError(''), 'stack');
  const segments = new Intl.Segmenter().segment('');
  const instances: object[] = [
    ...functionKinds,
    ...functionKinds.map((kind) => (kind as { prototype?: object }).prototype ?? kind),
    [][Symbol.iterator](),
    new Map()[Symbol.iterator](),
    new Set()[Symbol.iterator](),
    ''[Symbol.iterator](),
    /a/[Symbol.matchAll](''),
    (scope.Iterator as { from(iterator: object): object }).from({ next() {} }),
    ([].values() as unknown as { map(each: (one: unknown) => unknown): object }).map((one) => one),
    segments,
    segments[Symbol.iterator](),
  ];
  return [
    NativeDate,
    ...replacedConstructors,
    getOwnPropertyDescriptor(strictArguments, 'callee')?.get,
    stack?.get,
    stack?.set,
    ...instances.map((instance) => getPrototypeOf(instance)),
  ];
}

/** Freezes an object and everything that it leads to. An object that is not extensible was frozen before. */
function freezeFrom(target: unknown): void {
  if ((typeof target !== 'object' && typeof target !== 'function') || target === null || !isExtensible(target)) return;
  const keys = ownKeys(target);
  if (typeof target === 'object' && target !== scope && hasOwn(target, 'constructor')) allowOverrides(target);
  freeze(target);
  // A built-in that is not a constructor leads nowhere: it has only a name and a length.
  if (typeof target === 'function' && keys.length === 2) return;
  for (let index = 0; index < keys.length; index += 1) {
    const { value, get, set } = getOwnPropertyDescriptor(target, keys[index] as PropertyKey) as PropertyDescriptor;
    if (typeof value === 'function' || typeof value === 'object') freezeFrom(value);
    else if (value === undefined) {
      freezeFrom(get);
      freezeFrom(set);
    }
  }
  freezeFrom(getPrototypeOf(target));
}

/**
 * An assignment such as `error.name = …` or `record.constructor = …` normally makes an own property. With a frozen
 * prototype it would throw. An accessor in place of the value makes it work again.
 */
function allowOverrides(prototype: object): void {
  const all = prototype === Object.prototype || prototype instanceof NativeError || prototype === NativeError.prototype;
  const keys = all ? ownKeys(prototype) : ['toString', 'toJSON', 'valueOf'];
  for (const key of keys) {
    const descriptor = getOwnPropertyDescriptor(prototype, key);
    if (!descriptor?.configurable || !descriptor.writable) continue;
    const { value, enumerable } = descriptor;
    // Methods: a plain function would bring a prototype object along.
    const accessor = {
      get: () => value,
      set(this: object, replacement: unknown) {
        if (this === prototype) throw new NativeTypeError('Cannot assign to read only property');
        const own = getOwnPropertyDescriptor(this, key);
        if (own) (this as Record<PropertyKey, unknown>)[key] = replacement;
        else
          defineProperty(this, key, {
            __proto__: null,
            value: replacement,
            writable: true,
            enumerable: true,
            configurable: true,
          } as PropertyDescriptor);
      },
    };
    const { get, set } = accessor;
    freeze(get);
    freeze(set);
    defineProperty(prototype, key, {
      __proto__: null,
      enumerable: enumerable ?? false,
      configurable: false,
      get,
      set,
    } as PropertyDescriptor);
    freezeFrom(value);
  }
}
