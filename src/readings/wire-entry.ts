import type { PatchOperation } from '../contract/finding.ts';
import { isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';

/**
 * Converts one line of a reader's answer to the stored form. A reader writes `set` and `drop` for a patch, and puts
 * `answer`, `calls`, `with` and others next to the claim, not in `expect`. Members in the stored form stay unchanged.
 * `inputOf` returns the input of a negotiated case; `writingTools` are the tools that change something.
 */
export function storedEntry(
  line: JsonObject,
  inputOf: (testCase: number) => Json | undefined,
  writingTools: readonly string[],
): JsonObject {
  const {
    of,
    quote,
    id,
    claim,
    base = 0,
    broken,
    request,
    set,
    drop,
    tools,
    peer,
    confirmation: _,
    expect,
    ...written
  } = line;
  const input = typeof base === 'number' && base > 0 ? inputOf(base) : undefined;
  const patch = Array.isArray(request) ? request : (patchOf(set, drop, input) as unknown as Json[]);
  return {
    ...withoutUndefined({ id, of: typeof of === 'number' ? [of] : of, quote }),
    claim: claim ?? 'what these sentences say',
    base,
    ...(patch.length === 0 ? {} : { request: patch }),
    ...withoutUndefined({ broken }),
    ...(isObject(tools) ? { tools: mapMembers(tools, answersOf) } : {}),
    ...(peer === undefined ? {} : { peer: answersOf(peer) }),
    expect: expectationOf({ ...(isObject(expect) ? expect : {}), ...written }, writingTools),
  };
}

function withoutUndefined(members: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

function mapMembers(object: JsonObject, of: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, of(value)]));
}

/** The patch of `set` and `drop`. A member of `set` may exist or not. */
function patchOf(set: Json | undefined, drop: Json | undefined, input: Json | undefined): PatchOperation[] {
  const changes = isObject(set) ? Object.entries(set) : [];
  const drops = Array.isArray(drop) ? drop : drop === undefined ? [] : [drop];
  return [
    ...changes.map(([path, value]): PatchOperation => {
      // `add` sets a member, whether it exists or not. In a list it would insert an item, so an existing place is
      // replaced.
      const isItem = input === undefined ? /\/\d+$/.test(path) : valueAt(input, path) !== undefined;
      return { op: path === '' || isItem ? 'replace' : 'add', path, value };
    }),
    ...drops.map((path): PatchOperation => ({ op: 'remove', path: String(path) })),
  ];
}

/** Scripted answers of a tool or the peer: one or a list, each in short or full form. */
function answersOf(written: Json): Json {
  return (Array.isArray(written) ? written : [written]).map((one): Json => {
    if (typeof one === 'string') return { fail: one };
    if (!isObject(one)) return one;
    const { set, drop, when, ...answer } = one;
    const patch = patchOf(set, drop, undefined);
    return {
      ...answer,
      // An empty change is an answer too: the one of the examples.
      ...(set === undefined && drop === undefined ? {} : { patch: patch as unknown as Json }),
      ...(when === undefined ? {} : { when: assertionsOf(when) }),
    };
  });
}

/** Assertions in short form, as values by pointer, or in full form. */
function assertionsOf(written: Json): Json {
  if (!isObject(written)) return written;
  return Object.entries(written).map(([at, equals]) => ({ at, equals }));
}

function listOf(value: Json | undefined): Json[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function expectationOf(written: JsonObject, writingTools: readonly string[]): JsonObject {
  const { answer, same, absent, check, calls, with: inputs, sends, sent, order, never, alike, anyOf, end } = written;
  const answers = [
    ...listOf(answer === undefined ? undefined : assertionsOf(answer)),
    ...(same === true ? [{ sameAsBase: true }] : []),
    ...listOf(absent).map((at) => ({ at, absent: true })),
    ...listOf(check),
  ];
  const named = new Set([
    ...(isObject(calls) ? Object.keys(calls) : []),
    ...listOf(calls).map((one) => isObject(one) && one.tool),
  ]);
  const uncalled =
    written.acts === 0 ? writingTools.filter((tool) => !named.has(tool)).map((tool) => ({ tool, times: 0 })) : [];
  const counted = [...countsOf(calls), ...uncalled, ...inputsOf(inputs)];
  const sending = [
    ...(typeof sends === 'number' ? [{ times: sends }] : listOf(sends)),
    ...(sent === undefined ? [] : inputsInOrder(sent)),
  ];
  return withoutUndefined({
    answer: answers.length === 0 ? undefined : answers,
    calls: counted.length === 0 ? undefined : counted,
    sends: sending.length === 0 ? undefined : sending,
    order,
    never: never === undefined ? undefined : listOf(never).map((one) => (isObject(one) ? one : { value: one })),
    alike: isObject(alike) || alike === undefined ? alike : { to: alike },
    anyOf: Array.isArray(anyOf) ? anyOf.map((one) => (isObject(one) ? expectationOf(one, writingTools) : one)) : anyOf,
    end,
  });
}

function countsOf(calls: Json | undefined): Json[] {
  if (!isObject(calls)) return listOf(calls);
  return Object.entries(calls).map(([tool, count]) => ({ tool, ...(isObject(count) ? count : { times: count }) }));
}

function inputsOf(inputs: Json | undefined): Json[] {
  if (!isObject(inputs)) return [];
  return Object.entries(inputs).flatMap(([tool, input]) => inputsInOrder(input).map((one) => ({ tool, ...one })));
}

/** What every call or request must contain; for a list, what each must contain in order. */
function inputsInOrder(written: Json): JsonObject[] {
  if (!Array.isArray(written)) return [{ input: assertionsOf(written) }];
  return written.map((one, index) => ({ nth: index + 1, input: assertionsOf(one) }));
}
