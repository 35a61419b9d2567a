import type { PatchOperation } from '../contract/finding.ts';
import { isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';

/**
 * One line of a reader's answer, in the stored form. A reader writes `set` and `drop` for a patch, and puts `answer`,
 * `calls`, `with` and others beside the claim in place of `expect`. What has the stored form already stays as it is.
 * `inputOf` gives the input of a negotiated case; `acts` are the tools that change something.
 */
export function storedEntry(
  line: JsonObject,
  inputOf: (testCase: number) => Json | undefined,
  acts: readonly string[],
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
    ...present({ id, of: typeof of === 'number' ? [of] : of, quote }),
    claim: claim ?? 'what these sentences say',
    base,
    ...(patch.length === 0 ? {} : { request: patch }),
    ...present({ broken }),
    ...(isObject(tools) ? { tools: mapped(tools, answersOf) } : {}),
    ...(peer === undefined ? {} : { peer: answersOf(peer) }),
    expect: expectationOf({ ...(isObject(expect) ? expect : {}), ...written }, acts),
  };
}

function present(members: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

function mapped(object: JsonObject, of: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, of(value)]));
}

/** A patch in two words: what is set, which is there or not, and what is left out. */
function patchOf(set: Json | undefined, drop: Json | undefined, input: Json | undefined): PatchOperation[] {
  const changes = isObject(set) ? Object.entries(set) : [];
  const drops = Array.isArray(drop) ? drop : drop === undefined ? [] : [drop];
  return [
    ...changes.map(([path, value]): PatchOperation => {
      // `add` sets a member, there or not. In a list it would put an item before the one that is there.
      const isItem = input === undefined ? /\/\d+$/.test(path) : valueAt(input, path) !== undefined;
      return { op: path === '' || isItem ? 'replace' : 'add', path, value };
    }),
    ...drops.map((path): PatchOperation => ({ op: 'remove', path: String(path) })),
  ];
}

/** How a tool or the peer answers: one answer or a list, each in short or in full. */
function answersOf(written: Json): Json {
  return (Array.isArray(written) ? written : [written]).map((one): Json => {
    if (typeof one === 'string') return { fail: one };
    if (!isObject(one)) return one;
    const { set, drop, when, ...answer } = one;
    const patch = patchOf(set, drop, undefined);
    return {
      ...answer,
      // An empty change is an answer too: as the examples have it.
      ...(set === undefined && drop === undefined ? {} : { patch: patch as unknown as Json }),
      ...(when === undefined ? {} : { when: assertionsOf(when) }),
    };
  });
}

/** Assertions in short, as values by pointer, or in full. */
function assertionsOf(written: Json): Json {
  if (!isObject(written)) return written;
  return Object.entries(written).map(([at, equals]) => ({ at, equals }));
}

function listOf(value: Json | undefined): Json[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function expectationOf(written: JsonObject, acts: readonly string[]): JsonObject {
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
  const unacted = written.acts === 0 ? acts.filter((tool) => !named.has(tool)).map((tool) => ({ tool, times: 0 })) : [];
  const counted = [...countsOf(calls), ...unacted, ...inputsOf(inputs)];
  const sending = [
    ...(typeof sends === 'number' ? [{ times: sends }] : listOf(sends)),
    ...(sent === undefined ? [] : byTurn(sent)),
  ];
  return present({
    answer: answers.length === 0 ? undefined : answers,
    calls: counted.length === 0 ? undefined : counted,
    sends: sending.length === 0 ? undefined : sending,
    order,
    never: never === undefined ? undefined : listOf(never).map((one) => (isObject(one) ? one : { value: one })),
    alike: isObject(alike) || alike === undefined ? alike : { to: alike },
    anyOf: Array.isArray(anyOf) ? anyOf.map((one) => (isObject(one) ? expectationOf(one, acts) : one)) : anyOf,
    end,
  });
}

function countsOf(calls: Json | undefined): Json[] {
  if (!isObject(calls)) return listOf(calls);
  return Object.entries(calls).map(([tool, count]) => ({ tool, ...(isObject(count) ? count : { times: count }) }));
}

function inputsOf(inputs: Json | undefined): Json[] {
  if (!isObject(inputs)) return [];
  return Object.entries(inputs).flatMap(([tool, input]) => byTurn(input).map((one) => ({ tool, ...one })));
}

/** What every call or request carries, or of a list what each carries in its turn. */
function byTurn(written: Json): JsonObject[] {
  if (!Array.isArray(written)) return [{ input: assertionsOf(written) }];
  return written.map((one, index) => ({ nth: index + 1, input: assertionsOf(one) }));
}
