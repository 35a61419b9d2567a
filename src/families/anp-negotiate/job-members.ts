import type { Kind } from '../../contract/job.ts';
import { fault, type JobFault, member, quoted, shortened } from '../../contract/job-fault.ts';
import { escapeToken, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { suppliedSchema } from '../supplied.ts';
import { type Agreed, agreedIn, artifactIn, chosenMethods, methodOfResult, withoutFragment } from './agreed.ts';
import { textAt } from './artifact.ts';
import { readNegotiationResult } from './messages.ts';
import { readNegotiationError } from './negotiation-error.ts';

/** JSON Schemas of the members of a job. */
export const messageSchemas = {
  agreement: {
    type: 'object',
    description: 'The accepted result of anp.negotiate, with its protocol artifact.',
    properties: {
      result: {
        type: 'object',
        description: 'The accepted NegotiationResult, or the JSON-RPC response with it.',
      },
      artifact: {
        type: ['object', 'string'],
        description:
          'The protocol artifact; its exact text if its digest is taken of bytes. May be absent if the result names its URI and `supplied` has it, or if the result has the URIs of the schemas.',
      },
      methods: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        uniqueItems: true,
        description: 'The names of the methods that the handler is for; all of them by default.',
      },
      document: {
        type: 'string',
        description: 'Instead of these: the text of an agreement, as the prompts have it.',
      },
    },
  },
  own: { supplied: suppliedSchema },
  testCases: {
    type: 'array',
    description: 'Requests and results; with several methods, each request has the name of its method as `$method`.',
  },
  complaint: {
    type: 'object',
    description: "The peer's JSON-RPC error, or the response with it.",
    anyOf: [
      { required: ['error'], properties: { error: { type: 'object', description: 'The JSON-RPC error.' } } },
      {
        required: ['code', 'message'],
        properties: {
          code: { type: 'integer', description: 'The code of the error.' },
          message: { type: 'string', description: 'What went wrong.' },
        },
      },
    ],
  },
};

/** Faults beyond the schema. */
export function messageFaults(kind: Kind, data: JsonObject): JobFault[] {
  const { agreement, supplied } = data;
  if (!isObject(agreement) || typeof agreement.document === 'string') return [];
  const agreed = agreedIn(agreement, supplied);
  return [...resultFaults(kind, agreed), ...artifactFaults(agreed)];
}

function resultFaults(kind: Kind, { result, resultPointer }: Agreed): JobFault[] {
  if (result === undefined)
    return [fault('JOB_INVALID', resultPointer, 'found nothing, wanted the result of the negotiation')];
  const error = readNegotiationError(member(result, 'error') ?? null);
  if (error.ok) {
    const found = `found error ${error.error.code}, ${error.error.anpCode}, wanted an accepted result`;
    return [fault('JOB_NOT_ACCEPTED', `${resultPointer}/error`, found, { actual: error.error.code })];
  }
  const reading = readNegotiationResult(isObject(result) ? result : null);
  if (!reading.ok)
    return reading.faults.map(({ pointer, message }) =>
      fault('JOB_INVALID', `${resultPointer}${pointer}`, message.slice(message.indexOf('found '))),
    );
  const { status } = reading.message;
  if (status === 'accepted' || kind === 'review') return [];
  const more = { expected: 'accepted', actual: status };
  return [fault('JOB_NOT_ACCEPTED', `${resultPointer}/status`, `found ${quoted(status)}, wanted "accepted"`, more)];
}

function artifactFaults(agreed: Agreed): JobFault[] {
  const { result, artifact: text, supplied } = agreed;
  const schemas = member(result, 'schemas');
  const [requestSchema, responseSchema] = [textAt(schemas, 'requestSchema'), textAt(schemas, 'responseSchema')];
  const only = methodOfResult({
    ...(requestSchema === undefined ? {} : { requestSchema }),
    ...(responseSchema === undefined ? {} : { responseSchema }),
  });
  if (text === undefined && only === undefined) {
    const wanted = 'wanted the protocol artifact, or the URIs of the schemas in the result; nothing is fetched';
    return [fault('JOB_INVALID', '/agreement/artifact', `found nothing, ${wanted}`)];
  }
  const artifact = artifactIn(agreed);
  // An artifact that cannot be read is the peers' fault, and disputed.
  if (text !== undefined && artifact === undefined) return [];
  const unknown = (agreed.methods ?? []).flatMap((name, index) => {
    if (artifact?.methods.some((method) => method.name === name)) return [];
    const found = `found ${quoted(name)}, wanted the name of a method of the artifact`;
    return [fault('JOB_INVALID', `/agreement/methods/${index}`, found, { actual: shortened(name) })];
  });
  const methods = artifact === undefined ? (only ? [only] : []) : chosenMethods(artifact, agreed);
  const uris = methods.flatMap(({ request, response }) =>
    [request, response].flatMap((source) => (source !== undefined && 'uri' in source ? [source.uri] : [])),
  );
  const missing = [...new Set(uris)].filter((uri) => ![uri, withoutFragment(uri)].some((one) => has(supplied, one)));
  return [
    ...unknown,
    ...missing.map((uri) => {
      const found = 'found nothing, wanted the text of this schema, since nothing is fetched';
      return fault('JOB_INVALID', `/supplied/${escapeToken(shortened(uri))}`, found);
    }),
  ];
}

function has(supplied: JsonObject, uri: string): boolean {
  return Object.hasOwn(supplied, uri);
}

/** What a peer's error says: its message, and the details of its data. */
export function complaintText(message: JsonObject): string {
  const error = isObject(message.error) ? message.error : message;
  const text = textAt(error, 'message') ?? '';
  const details = member(member(error, 'data'), 'details') ?? member(error, 'data');
  return details === undefined || details === null ? text : `${text}\n${jsonOf(details)}`.trim();
}

function jsonOf(value: Json): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    // Nested too deep to be written.
    return '';
  }
}
