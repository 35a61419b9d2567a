import type { Json } from '../kernel/json.ts';
import type { MethodExample } from './described-method.ts';
import type { OperationReply } from './openapi-replies.ts';
import type { OperationRequest } from './openapi-request.ts';

/** Most examples of one operation. */
const MAX_EXAMPLES = 64;

/**
 * The examples of an operation. A request and a reply belong together if they have the same name, or if there is only
 * one request and one reply. If several replies have one name, none of them is used.
 */
export function examplesOf(request: OperationRequest, replies: readonly OperationReply[]): MethodExample[] {
  const answers = replies.flatMap(({ examples, reply }) =>
    [...examples].map(([name, body]) => ({ name, response: reply(body) })),
  );
  const paired = [...Map.groupBy(answers, ({ name }) => name)].flatMap(([name, [answer, ...more]]) => {
    const asked = requestNamed(request, name);
    return asked === undefined || answer === undefined || more.length > 0
      ? []
      : [{ request: asked, response: answer.response, expected: name }];
  });
  if (paired.length > 0) return paired.slice(0, MAX_EXAMPLES);
  const names = new Set(request.parts.flatMap(({ examples }) => [...examples.keys()]));
  const [only = '', ...others] = [...names];
  const [answer, ...more] = answers;
  const asked = others.length + more.length > 0 ? undefined : requestNamed(request, only);
  return answer === undefined || asked === undefined
    ? []
    : [{ request: asked, response: answer.response, expected: answer.name || only }];
}

/** The request made of the examples of one name; `undefined` if a required part, or all of it, has none. */
function requestNamed({ parts, bodyMember }: OperationRequest, name: string): Json | undefined {
  const [first] = parts;
  if (parts.length === 1 && first?.at === '') return first.examples.get(name);
  if (parts.length > 0 && !parts.some(({ examples }) => examples.has(name))) return undefined;
  const members: [string, Json][] = [];
  for (const part of parts) {
    // An unnamed example of a parameter goes with each named example of the other parts.
    const value = part.examples.get(name) ?? part.examples.get('');
    if (value !== undefined) members.push([part.name, value]);
    else if (part.required || part.name === bodyMember) return undefined;
  }
  return Object.fromEntries(members);
}
