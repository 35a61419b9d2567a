import type { Case, Interaction, LocatedSchema } from '../contract/agreement.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { describesObjects, withMember, wrappedSchema } from './with-member.ts';

/** One method of a service, without the mark that its requests need if there are several methods. */
export interface DescribedMethod {
  /** Its name; unique in its agreement. */
  name: string;
  /** `null` if no schema describes the request. */
  request: LocatedSchema | null;
  /** Each is a possible reply; empty if no schema describes them. */
  replies: readonly LocatedSchema[];
  /** Its examples. */
  examples: readonly MethodExample[];
  /** Where it is in the text: UTF-16 offsets, end exclusive. */
  start: number;
  end: number;
}

/** A request of a method with its reply. */
export interface MethodExample {
  request: Json;
  response: Json;
  /** What the example shows; empty if it does not say. */
  expected: string;
}

/** The member with which a request names its method, if an agreement has several. */
const METHOD_MARK = '$method';

/** The member next to the mark that holds a request which is not an object. */
const PARAMS = 'params';

/**
 * The interactions and cases of some methods. With several methods, a request of `search` is
 * `{ "$method": "search", …members }`, or `{ "$method": "search", "params": request }` if it is not an object.
 */
export function interactionsOf(methods: readonly DescribedMethod[]): { interactions: Interaction[]; cases: Case[] } {
  const isMarked = methods.length > 1;
  const examples = methods.flatMap((method) =>
    method.examples.map((example) =>
      isMarked ? { ...example, request: markedRequest(method, example.request) } : example,
    ),
  );
  return {
    interactions: methods.map((method) => ({
      name: isMarked ? method.name : '',
      request: isMarked ? markedSchema(method) : method.request,
      replies: method.replies,
    })),
    cases: examples.map((example, index) => ({ testCase: index + 1, ...example, negative: false })),
  };
}

/** A request of a method as handlers see it if the agreement has several methods. */
function markedRequest({ name, request: located }: Pick<DescribedMethod, 'name' | 'request'>, request: Json): Json {
  const isBeside = located === null ? isObject(request) : describesObjects(located.schema);
  if (!isBeside) return { [METHOD_MARK]: name, [PARAMS]: request };
  // The schema wants an object, so this request violates it; a finding must show it as it is.
  return isObject(request) ? { [METHOD_MARK]: name, ...request } : request;
}

function markedSchema({ name, request, start, end }: DescribedMethod): LocatedSchema {
  const mark: JsonObject = { const: name };
  if (request === null) {
    const schema: Json = { type: 'object', properties: { [METHOD_MARK]: mark }, required: [METHOD_MARK] };
    return { schema, start, end, heading: name };
  }
  return describesObjects(request.schema)
    ? withMember(request, METHOD_MARK, mark)
    : wrappedSchema(request, METHOD_MARK, mark, PARAMS);
}
