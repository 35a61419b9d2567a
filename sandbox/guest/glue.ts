/** What the glue is told about limits when it is installed. Lengths are counted in UTF-16 units; the host counts bytes again. */
export interface GuestLimits {
  maxResultLength: number;
  maxLogLength: number;
  maxCallLength: number;
  maxMessageLength: number;
  maxCalls: number;
  maxIssuedIds: number;
}

/** What the clock of a run says: always `fixedMs`, or where that is null the host's time and `offsetMs`. */
export interface GuestClock {
  fixedMs: number | null;
  offsetMs: number;
}

/**
 * Messages into the guest; those that let runs go on say what their clock is. `bind` comes once, with the bundle's factory. Columns and rows
 * instead of records keep a batch cheap: `start` has a seed and an index into `kinds` for each run, and its input as text;
 * `resume` has `[run, call, code or nothing]` for each answer, and its output or error message as text. Answers that the guest has at hand it gives
 * at the next `go` or `resume`: like all others they come after whatever the run can do without them. `poll` lets nothing go on.
 */
export type GuestMessage =
  | { op: 'bind'; limits: GuestLimits }
  | { op: 'tables'; tables: readonly GuestAnswers[] }
  | ({ op: 'start'; runs: number[]; seeds: string[]; kind: number[]; kinds: GuestKind[] } & GuestClock)
  | ({ op: 'resume'; answers: [run: number, call: number, code: string][] } & GuestClock)
  | ({ op: 'go' } & GuestClock)
  | { op: 'poll' };

/** What runs have in common; `answers` is an index into the tables that were brought last, -1 for none. */
export type GuestKind = [send: boolean, tools: readonly string[], answers: number];

/** Answers known beforehand: tool → text of the input → answer. */
export type GuestAnswers = Readonly<
  Record<string, Readonly<Record<string, { output: string } | { error: { code: string; message: string } }>>>
>;

/** Stands in front of news where the guest has answers at hand, so that the host is to come again and let it go on. */
export const comeAgain = '+';

/**
 * What the guest says. Texts: the value of each `plain` run, which returned and did nothing else; each settled run's value or message, its
 * stack where it threw, its logs; then each call's input.
 */
export interface GuestNews {
  plain: number[];
  settled: [run: number, returned: 0 | 1, logs: number, ids: string[]][];
  calls: [run: number, call: number, tool: string, answered: 0 | 1][];
}

/** The only door between host and guest: packed text in, packed text out. */
export type GuestDoor = (message: string, factory?: unknown) => string;

/** Name under which `context.send` is reported; no tool can have it, for tools are named in letters, digits and `_`. */
export const sendCommand = '>';

/**
 * Hardens the realm it is called in and returns the door; where runs are to share the realm, freezes it. Its text is compiled inside the
 * isolate: it can use nothing from outside itself, and whatever it needs later it takes now, before any guest code has run.
 */
export function installGlue(shared: boolean, sendName: string): GuestDoor {
  const scope = globalThis as unknown as Record<string, unknown>;

  const {
    apply,
    construct,
    defineProperty,
    deleteProperty,
    getOwnPropertyDescriptor,
    getPrototypeOf,
    ownKeys,
    setPrototypeOf,
  } = Reflect;
  const { freeze, hasOwn, isExtensible } = Object;
  const { parse, stringify } = JSON;
  const NativeDate = Date;
  const NativePromise = Promise;
  const NativeTypeError = TypeError;
  const NativeRangeError = RangeError;
  const NativeError = Error;
  const hostNow = Date.now;
  const imul = Math.imul;
  const bindCall = Function.prototype.bind.bind(Function.prototype.call as never) as unknown as <
    T,
    A extends unknown[],
    R,
  >(
    method: (this: T, ...args: A) => R,
  ) => (self: T, ...args: A) => R;
  const slice = bindCall(String.prototype.slice);
  const indexOf = bindCall(String.prototype.indexOf);
  const charCodeAt = bindCall(String.prototype.charCodeAt);
  const symbolText = bindCall(Symbol.prototype.toString);
  const bigintText = bindCall(BigInt.prototype.toString);
  const mapGet = bindCall(Map.prototype.get);
  const mapSet = bindCall(Map.prototype.set);
  const mapDelete = bindCall(Map.prototype.delete);
  const NativeMap = Map;

  /** A list that inherits nothing, so that a setter planted on `Array.prototype` is never met. */
  const bareList = <T>(): T[] => {
    const list: T[] = [];
    setPrototypeOf(list, null);
    return list;
  };
  const hide = (target: object, key: PropertyKey, value: unknown): void => {
    defineProperty(target, key, {
      __proto__: null,
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    } as PropertyDescriptor);
  };

  /** Gives a constructor the name and the prototype of the one that it stands for. */
  const lend = (made: object, name: string, prototype: object): void => {
    hide(made, 'name', name);
    defineProperty(made, 'prototype', {
      __proto__: null,
      value: prototype,
      writable: false,
    } as PropertyDescriptor);
  };

  // --- What is taken away -------------------------------------------------------------------------------------------------------------

  const removed = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'console'];
  for (let index = 0; index < removed.length; index += 1) deleteProperty(scope, removed[index] as string);
  // Raw JSON is what no value of a program can become: `1e999` would be infinite where it is read.
  deleteProperty(JSON, 'rawJSON');
  deleteProperty(JSON, 'isRawJSON');
  // The statics of RegExp (`$1`, `lastMatch`, …) tell one run what another matched.
  const regExpStatics = ownKeys(RegExp);
  for (let index = 0; index < regExpStatics.length; index += 1) {
    const key = regExpStatics[index] as PropertyKey;
    const descriptor = getOwnPropertyDescriptor(RegExp, key);
    if (typeof key === 'string' && descriptor && 'get' in descriptor) deleteProperty(RegExp, key);
  }

  const refuseCode = (): never => {
    throw new NativeTypeError('code from strings is not allowed');
  };
  const kinds = [() => {}, async () => {}, function* () {}, async function* () {}];
  for (let index = 0; index < kinds.length; index += 1) {
    const prototype = getPrototypeOf(kinds[index] as object) as object;
    const refusing =
      index === 0
        ? refuseCode
        : (): never => {
            throw new NativeTypeError('code from strings is not allowed');
          };
    lend(refusing, 'Function', prototype);
    defineProperty(prototype, 'constructor', {
      __proto__: null,
      value: refusing,
      writable: false,
      enumerable: false,
      configurable: false,
    } as PropertyDescriptor);
  }
  hide(scope, 'Function', refuseCode);
  hide(scope, 'eval', () => {
    throw new NativeTypeError('code from strings is not allowed');
  });

  // A resizable buffer reserves its greatest length, which no heap limit counts.
  const NativeArrayBuffer = ArrayBuffer;
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

  // --- Clock and randomness -----------------------------------------------------------------------------------------------------------

  // Runs of several clocks share a realm; nothing of a run goes on but in a step that has its clock.
  let fixedMs: number | null = null;
  let offsetMs = 0;
  const now = (): number => (fixedMs === null ? hostNow() + offsetMs : fixedMs);
  const dateText = bindCall(NativeDate.prototype.toString);
  const GuestDate = function (...parts: unknown[]): unknown {
    if (!new.target) return dateText(new NativeDate(now()));
    return construct(NativeDate, parts.length === 0 ? [now()] : parts, new.target);
  };
  defineProperty(GuestDate, 'length', { __proto__: null, value: 7 } as PropertyDescriptor);
  lend(GuestDate, 'Date', NativeDate.prototype);
  hide(GuestDate, 'now', () => now());
  hide(GuestDate, 'parse', NativeDate.parse);
  hide(GuestDate, 'UTC', NativeDate.UTC);
  hide(NativeDate.prototype, 'constructor', GuestDate);
  hide(scope, 'Date', GuestDate);
  const dateFormat = Intl.DateTimeFormat.prototype;
  const formatGetter = getOwnPropertyDescriptor(dateFormat, 'format')?.get as (
    this: unknown,
  ) => (date: unknown) => string;
  defineProperty(dateFormat, 'format', {
    __proto__: null,
    enumerable: false,
    configurable: true,
    get(this: unknown) {
      const format = apply(formatGetter, this, []) as (date: unknown) => string;
      return (date: unknown) => format(date === undefined ? now() : date);
    },
  } as PropertyDescriptor);
  const formatToParts = dateFormat.formatToParts;
  hide(dateFormat, 'formatToParts', function (this: unknown, date: unknown) {
    return apply(formatToParts, this, [date === undefined ? now() : date]);
  });

  /** A generator of 32-bit numbers (sfc32) seeded by a text. */
  const generator = (seed: string): (() => number) => {
    let a = 0x9e3779b9;
    let b = 0x243f6a88;
    let c = 0xb7e15162;
    let d = 1;
    const next = (): number => {
      const sum = (a + b + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = ((c << 21) | (c >>> 11)) + sum;
      return sum >>> 0;
    };
    for (let index = 0; index < seed.length; index += 1) {
      const unit = charCodeAt(seed, index);
      a = imul(a ^ unit, 0x85ebca6b);
      b = imul(b ^ unit, 0xc2b2ae35);
      c = (c + unit + imul(index, 0x27d4eb2f)) | 0;
    }
    for (let index = 0; index < 15; index += 1) next();
    return next;
  };
  const seededRandom = (seed: string): (() => number) => {
    let next: (() => number) | undefined;
    return () => {
      next ??= generator(seed);
      return next() / 4294967296;
    };
  };
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  let realmRandom = (): number => {
    throw new NativeError('Math.random cannot be reached this way');
  };
  hide(Math, 'random', () => realmRandom());

  // --- Text out of values -------------------------------------------------------------------------------------------------------------

  const cut = (text: string, length: number): string => (text.length > length ? `${slice(text, 0, length)}…` : text);
  const textOf = (value: unknown): string => {
    switch (typeof value) {
      case 'string':
        return value;
      case 'symbol':
        return symbolText(value);
      case 'bigint':
        return `${bigintText(value)}n`;
      case 'function':
        return '[function]';
      case 'object':
        return value === null ? 'null' : objectText(value);
      default:
        return `${value as number}`;
    }
  };
  const objectText = (value: object): string => {
    try {
      if (value instanceof NativeError) return thrownText(value);
      const text = stringify(value) as unknown;
      return typeof text === 'string' ? text : '[object]';
    } catch {
      return '[object]';
    }
  };
  const read = (value: object, key: string): string => {
    try {
      const text = (value as Record<string, unknown>)[key];
      return typeof text === 'string' ? text : '';
    } catch {
      return '';
    }
  };
  const thrownText = (thrown: unknown): string => {
    if (typeof thrown !== 'object' || thrown === null) return cut(textOf(thrown), limits.maxMessageLength);
    const name = cut(read(thrown, 'name'), 100);
    const message = cut(read(thrown, 'message'), limits.maxMessageLength);
    if (name !== '' || message !== '') return name !== '' && message !== '' ? `${name}: ${message}` : name + message;
    try {
      const text = stringify(thrown) as unknown;
      return typeof text === 'string' ? cut(text, limits.maxMessageLength) : 'a value without text';
    } catch {
      return 'a value without text';
    }
  };

  class HandlerError extends NativeError {
    code: string;
    constructor(code: string, message: string) {
      super(message);
      this.code = code;
    }
  }
  hide(HandlerError.prototype, 'name', 'HandlerError');
  freeze(HandlerError.prototype);
  freeze(HandlerError);

  // --- Runs ---------------------------------------------------------------------------------------------------------------------------

  interface Waiting {
    resolve(value: unknown): void;
    reject(reason: unknown): void;
  }
  interface GuestRun {
    run: number;
    answers: GuestAnswers | undefined;
    settled: boolean;
    calls: number;
    waiting: Map<number, Waiting> | undefined;
    logs: string[];
    logLength: number;
    ids: string[];
    nextId: (() => number) | undefined;
  }
  type Handler = (input: unknown, context: object) => unknown;

  let factory: ((math: object) => Handler) | undefined;
  let limits: GuestLimits;
  const runs: Map<number, GuestRun> = new NativeMap();
  let tables: readonly GuestAnswers[] = bareList();
  /** Calls whose answers are at hand and wait to be given. */
  let due = bareList<{ run: GuestRun; waiting: Waiting; answer: GuestAnswers[string][string] }>();
  /** Stands for the logs and identifiers of a run that has none, as most. */
  const noTexts = bareList<string>();
  // What waits to be polled: the rows of the head and the lengths, written out by hand, since a `toJSON` that the guest has planted could
  // make `stringify` say what it likes of other runs.
  let plainRows = '';
  let plainLengths = '';
  let plainTexts = '';
  let settledRows = '';
  let callRows = '';
  let settledLengths = '';
  let callLengths = '';
  let settledTexts = '';
  let callTexts = '';
  // A guest can call us with hardly any stack left. Whatever may fail of it comes first; then nothing is called until all is written down.
  const settle = (run: GuestRun, returned: boolean, text: string, stack: string): void => {
    if (run.settled) return;
    mapDelete(runs, run.run);
    run.settled = true;
    if (returned && run.logs === noTexts && run.ids === noTexts) {
      const comma = plainRows === '' ? '' : ',';
      plainRows += `${comma}${run.run}`;
      plainLengths += `${comma}${text.length}`;
      plainTexts += text;
      return;
    }
    let ids = '';
    for (let index = 0; index < run.ids.length; index += 1)
      ids += `${index === 0 ? '' : ','}"${run.ids[index] as string}"`;
    settledRows += `${settledRows === '' ? '' : ','}[${run.run},${returned ? 1 : 0},${run.logs.length},[${ids}]]`;
    settledLengths += `${settledLengths === '' ? '' : ','}${text.length}`;
    settledTexts += text;
    if (!returned) {
      settledLengths += `,${stack.length}`;
      settledTexts += stack;
    }
    for (let index = 0; index < run.logs.length; index += 1) {
      const line = run.logs[index] as string;
      settledLengths += `,${line.length}`;
      settledTexts += line;
    }
  };
  const settleThrown = (run: GuestRun, thrown: unknown): void => {
    const message = thrownText(thrown);
    const stack =
      typeof thrown === 'object' && thrown !== null ? cut(read(thrown, 'stack'), 4 * limits.maxMessageLength) : '';
    settle(run, false, message, stack);
  };
  /** What is wrong with a text that should be JSON of a limited length; undefined where nothing is. */
  const textFault = (text: unknown, value: unknown, limit: number): string | undefined => {
    if (typeof text !== 'string') return `is not JSON: ${typeof value}`;
    return text.length > limit ? `is too large: at most ${limit} characters of JSON` : undefined;
  };
  const settleReturned = (run: GuestRun, value: unknown): void => {
    let text: unknown;
    let fault: string | undefined;
    try {
      text = stringify(value);
      fault = textFault(text, value, limits.maxResultLength);
    } catch (error) {
      const reason = thrownText(error);
      const end = indexOf(reason, '\n');
      fault = `is not JSON: ${end < 0 ? reason : slice(reason, 0, end)}`;
    }
    if (fault === undefined) settle(run, true, text as string, '');
    else settle(run, false, `the result ${fault}`, '');
  };

  const answerAtHand = (
    answers: GuestAnswers | undefined,
    tool: string,
    input: string,
  ): GuestAnswers[string][string] | undefined => {
    if (!answers || !hasOwn(answers, tool)) return undefined;
    const ofTool = answers[tool] as GuestAnswers[string];
    return hasOwn(ofTool, input) ? ofTool[input] : undefined;
  };
  const command = (run: GuestRun, tool: string, input: unknown): Promise<unknown> =>
    new NativePromise((resolve, reject) => {
      if (run.settled) return;
      const text = stringify(input) as unknown;
      const fault = textFault(text, input, limits.maxCallLength);
      if (fault !== undefined) throw new NativeTypeError(`the input of a call ${fault}`);
      // Looked at after the input was written out, for that may have run code that made calls.
      if (run.calls >= limits.maxCalls) settle(run, false, `made more than ${limits.maxCalls} calls`, '');
      if (run.settled) return;
      const call = run.calls;
      const name = stringify(tool);
      const answer = answerAtHand(run.answers, tool, text as string);
      if (!answer) {
        run.waiting ??= new NativeMap();
        mapSet(run.waiting, call, { resolve, reject });
      }
      // From here on nothing is called: see `settle`.
      if (answer) due[due.length] = { run, waiting: { resolve, reject }, answer };
      run.calls += 1;
      callRows += `${callRows === '' ? '' : ','}[${run.run},${call},${name},${answer ? 1 : 0}]`;
      callLengths += `${callLengths === '' ? '' : ','}${(text as string).length}`;
      callTexts += text as string;
    });

  const log = (run: GuestRun, values: unknown[]): void => {
    if (run.settled || run.logLength > limits.maxLogLength) return;
    let line = '';
    for (let index = 0; index < values.length && line.length <= limits.maxLogLength; index += 1) {
      line += (index === 0 ? '' : ' ') + textOf(values[index]);
    }
    // One for the end of the line: empty lines are not free either.
    run.logLength += line.length + 1;
    if (run.logs === noTexts) run.logs = bareList();
    run.logs[run.logs.length] = run.logLength > limits.maxLogLength ? cut(line, limits.maxLogLength) : line;
  };

  const newId = (run: GuestRun, seed: string): string => {
    if (run.ids.length >= limits.maxIssuedIds)
      throw new NativeRangeError(`newId gives out at most ${limits.maxIssuedIds} identifiers`);
    run.nextId ??= generator(`id ${seed}`);
    let id = '';
    for (let index = 0; index < 16; index += 1) id += letters[run.nextId() % 36] as string;
    if (run.ids === noTexts) run.ids = bareList();
    run.ids[run.ids.length] = id;
    return id;
  };

  const noTools: object = freeze({ __proto__: null });
  const contextOf = (run: GuestRun, seed: string, tools: readonly string[], send: boolean): object => {
    let call = noTools;
    if (tools.length > 0) {
      const functions: Record<string, unknown> = { __proto__: null } as Record<string, unknown>;
      for (let index = 0; index < tools.length; index += 1) {
        const tool = tools[index] as string;
        functions[tool] = (input: unknown) => command(run, tool, input);
      }
      call = freeze(functions);
    }
    const context: Record<string, unknown> = {
      call,
      log: (...values: unknown[]) => log(run, values),
      newId: () => newId(run, seed),
      now: () => now(),
    };
    if (send) context.send = (request: unknown) => command(run, sendName, request);
    return freeze(context);
  };

  const fail = (run: GuestRun, thrown: unknown): void => {
    try {
      settleThrown(run, thrown);
    } catch {
      // Out of stack in the middle of it: there is more of it here.
      settle(run, false, 'threw what cannot be told', '');
    }
  };
  const settleLater = async (run: GuestRun, value: unknown): Promise<void> => {
    try {
      // Nothing that the guest can have changed comes between a promise and `await`.
      settleReturned(run, await value);
    } catch (thrown) {
      fail(run, thrown);
    }
  };
  const start = (run: GuestRun, seed: string, tools: readonly string[], send: boolean, input: string): void => {
    try {
      const random = seededRandom(seed);
      if (!shared) realmRandom = random;
      const handler = (factory as (math: object) => Handler)({ __proto__: Math, random });
      const value = handler(parse(input), contextOf(run, seed, tools, send));
      const mayWait = (typeof value === 'object' && value !== null) || typeof value === 'function';
      if (mayWait && typeof (value as { then?: unknown }).then === 'function') settleLater(run, value);
      else settleReturned(run, value);
    } catch (thrown) {
      fail(run, thrown);
    }
  };

  // --- A realm that runs can share: nothing in it can be changed, so that no run can leave anything to another ---------------------------

  const freezeRealm = (): void => {
    const sample = new NativeError('');
    const strictArguments = (function (): unknown {
      // biome-ignore lint/complexity/noArguments: it leads to %ThrowTypeError%
      return arguments;
    })();
    freezeFrom(scope);
    // What no property of the global object leads to.
    freezeFrom(NativeDate);
    freezeFrom(NativeArrayBuffer);
    freezeFrom(HandlerError);
    freezeFrom(getOwnPropertyDescriptor(strictArguments as object, 'callee')?.get);
    freezeFrom(getOwnPropertyDescriptor(sample, 'stack')?.get);
    freezeFrom(getOwnPropertyDescriptor(sample, 'stack')?.set);
    const segments = new Intl.Segmenter().segment('');
    const instances: object[] = [
      ...kinds,
      ...kinds.map((kind) => (kind as { prototype?: object }).prototype ?? kind),
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
    for (const instance of instances) freezeFrom(getPrototypeOf(instance));
  };

  /** Freezes an object and all that it leads to. What is not extensible has been met before. */
  const freezeFrom = (target: unknown): void => {
    if ((typeof target !== 'object' && typeof target !== 'function') || target === null || !isExtensible(target))
      return;
    const keys = ownKeys(target);
    if (typeof target === 'object' && target !== scope && hasOwn(target, 'constructor')) letBeOverridden(target);
    freeze(target);
    // A built-in that is no constructor leads nowhere: it has a name and a length.
    if (typeof target === 'function' && keys.length === 2) return;
    for (let index = 0; index < keys.length; index += 1) {
      const descriptor = getOwnPropertyDescriptor(target, keys[index] as PropertyKey) as PropertyDescriptor;
      freezeFrom(descriptor.value);
      freezeFrom(descriptor.get);
      freezeFrom(descriptor.set);
    }
    freezeFrom(getPrototypeOf(target));
  };

  /**
   * On frozen prototypes an assignment such as `error.name = …` or `record.constructor = …` would throw where it makes an own property
   * otherwise. An accessor in the place of the value gives that back.
   */
  const letBeOverridden = (prototype: object): void => {
    const all =
      prototype === Object.prototype || prototype instanceof NativeError || prototype === NativeError.prototype;
    const keys = all ? ownKeys(prototype) : ['toString', 'toJSON', 'valueOf'];
    for (const key of keys) {
      const descriptor = getOwnPropertyDescriptor(prototype, key);
      if (!descriptor?.configurable || !descriptor.writable) continue;
      const { value, enumerable } = descriptor;
      // As methods, since a plain function would bring a prototype object along.
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
      freeze(accessor.get);
      freeze(accessor.set);
      const { get, set } = accessor;
      defineProperty(prototype, key, {
        __proto__: null,
        enumerable: enumerable ?? false,
        configurable: false,
        get,
        set,
      } as PropertyDescriptor);
      freezeFrom(value);
    }
  };

  if (shared) freezeRealm();

  // --- The door -----------------------------------------------------------------------------------------------------------------------

  const takeNews = (): string => {
    if (plainRows === '' && settledRows === '' && callRows === '') return '';
    let lengths = plainLengths;
    if (settledLengths !== '') lengths += lengths === '' ? settledLengths : `,${settledLengths}`;
    if (callLengths !== '') lengths += lengths === '' ? callLengths : `,${callLengths}`;
    const news = `{"plain":[${plainRows}],"settled":[${settledRows}],"calls":[${callRows}],"lengths":[${lengths}]}\n${plainTexts}${settledTexts}${callTexts}`;
    plainRows = '';
    plainLengths = '';
    plainTexts = '';
    settledRows = '';
    callRows = '';
    settledLengths = '';
    callLengths = '';
    settledTexts = '';
    callTexts = '';
    return news;
  };
  /** News that were told at the end of a step, for a host that did not hear them because what followed in the step failed. */
  let told = '';
  const giveDue = (): void => {
    const giving = due;
    due = bareList();
    for (let index = 0; index < giving.length; index += 1) {
      const { run, waiting, answer } = giving[index] as (typeof giving)[number];
      if (run.settled) continue;
      if (hasOwn(answer, 'output')) waiting.resolve(parse((answer as { output: string }).output));
      else {
        const { code, message } = (answer as { error: { code: string; message: string } }).error;
        waiting.reject(new HandlerError(code, message));
      }
    }
  };

  return (message, given) => {
    const end = indexOf(message, '\n');
    const header = parse(slice(message, 0, end)) as GuestMessage & { lengths: number[] };
    if (header.op === 'poll') {
      const missed = told;
      told = '';
      if (missed !== '') return `+${missed}`;
      return due.length > 0 ? `+${takeNews()}` : takeNews();
    }
    told = '';
    if (header.op === 'bind') {
      factory = given as typeof factory;
      limits = header.limits;
      return '';
    }
    if (header.op === 'tables') {
      tables = header.tables;
      return '';
    }
    fixedMs = header.fixedMs;
    offsetMs = header.offsetMs;
    if (header.op === 'go') {
      told = takeNews();
      if (due.length === 0) return told;
      giveDue();
      return `+${told}`;
    }
    let at = end + 1;
    const lengths = header.lengths;
    if (header.op === 'start') {
      let waits = false;
      for (let index = 0; index < header.runs.length; index += 1) {
        const kind = header.kinds[header.kind[index] as number] as GuestKind;
        const input = slice(message, at, at + (lengths[index] as number));
        at += lengths[index] as number;
        const run: GuestRun = {
          run: header.runs[index] as number,
          answers: kind[2] < 0 ? undefined : tables[kind[2]],
          settled: false,
          calls: 0,
          waiting: undefined,
          logs: noTexts,
          logLength: 0,
          ids: noTexts,
          nextId: undefined,
        };
        start(run, header.seeds[index] as string, kind[1], kind[0], input);
        if (run.settled) continue;
        mapSet(runs, run.run, run);
        waits = true;
      }
      // Where all have come to their end there is nothing to come back for.
      if (due.length === 0 && waits) return '';
      told = takeNews();
      return due.length > 0 ? `+${told}` : told;
    }
    giveDue();
    for (let index = 0; index < header.answers.length; index += 1) {
      const row = header.answers[index] as (typeof header.answers)[number];
      const id = row[0];
      const call = row[1];
      const code = row[2];
      const text = slice(message, at, at + (lengths[index] as number));
      at += lengths[index] as number;
      const run = mapGet(runs, id);
      const waiting = run?.waiting && mapGet(run.waiting, call);
      if (!run?.waiting || !waiting) continue;
      mapDelete(run.waiting, call);
      if (code === '') waiting.resolve(parse(text));
      else waiting.reject(new HandlerError(code, text));
    }
    return '';
  };
}
