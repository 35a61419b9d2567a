import type { Json } from '../kernel/json.ts';
import { bareBody, mediaOf, namedExamples } from './openapi-media.ts';
import { ERROR_DATA, errorReply, NOTHING } from './schema-builder.ts';
import { kindOf, type Placed, type Source } from './source.ts';

/** Most responses of one operation. */
const MAX_RESPONSES = 32;

/** A possible reply of an operation. */
export interface OperationReply {
  place: Placed;
  /** The schema of the body, which goes to `at` in the schema of the reply; `null` if there is none. */
  data: Placed | null;
  at: string;
  build(data: Json | undefined): Json;
  /** Example bodies by name. */
  examples: ReadonlyMap<string, Json>;
  /** The reply with a body. */
  reply(body: Json): Json;
}

/**
 * Reads the responses of an operation. The reply of a success is the body; that of any other status is
 * `{ "error": { "code": status, "message": description, "data": body } }`.
 */
export function readReplies(source: Source, operation: Placed): OperationReply[] {
  const responses = source.at(operation, 'responses');
  if (responses !== undefined && responses.node.members === undefined)
    source.fault('error', responses, kindOf(responses.node.value), 'an object of responses');
  const declared = source.members(responses).filter(({ name }) => !name.startsWith('x-'));
  if (responses !== undefined && declared.length > MAX_RESPONSES)
    source.fault('error', responses, `${declared.length} responses`, `at most ${MAX_RESPONSES}`);
  const successes = declared.filter(({ name }) => SUCCESS.test(name)).length;
  return declared.slice(0, MAX_RESPONSES).flatMap(({ name, member }) => {
    const response = source.resolved(member);
    if (response === undefined) return [];
    if (SUCCESS.test(name) || (name === 'default' && successes === 0))
      return [successOf(source, response, successes <= 1)];
    const code = codeOf(name);
    if (code === undefined) {
      source.fault('warning', member, 'a response without a status', 'a status such as 200, 4XX or default');
      return [];
    }
    return [failureOf(source, response, code)];
  });
}

const SUCCESS = /^2(?:\d\d|XX)$/i;

/** The schema of the code of an error; `undefined` if the name is not a status. */
function codeOf(name: string): Json | undefined {
  if (name === 'default') return { type: 'integer', minimum: 400, maximum: 599 };
  if (/^[1345]\d\d$/.test(name)) return { const: Number(name) };
  const [, first] = /^([1345])XX$/i.exec(name) ?? [];
  return first === undefined
    ? undefined
    : { type: 'integer', minimum: Number(first) * 100, maximum: Number(first) * 100 + 99 };
}

function successOf(source: Source, response: Placed, isOnly: boolean): OperationReply {
  const media = mediaOf(source, response);
  return {
    place: media?.schema ?? response,
    data: media?.schema ?? null,
    at: '',
    build: (schema) => (media === undefined ? NOTHING : (schema ?? bareBody(media))),
    examples: media !== undefined ? namedExamples(source, media.place) : new Map(isOnly ? [['', null]] : []),
    reply: (body) => body,
  };
}

function failureOf(source: Source, response: Placed, code: Json): OperationReply {
  const media = mediaOf(source, response);
  const message = source.text(response, 'description').trim();
  const status = (code as { const?: Json }).const;
  return {
    place: response,
    data: media?.schema ?? null,
    at: ERROR_DATA,
    build: (schema) =>
      errorReply(code, message, schema ?? (media === undefined ? true : bareBody(media)), media !== undefined),
    // With a range of statuses, the code of an example is not known.
    examples: media === undefined || status === undefined ? new Map() : namedExamples(source, media.place),
    reply: (data) => ({ error: { code: status ?? null, message, data } }),
  };
}
