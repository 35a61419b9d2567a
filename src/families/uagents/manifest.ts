import type { Finding } from '../../contract/finding.ts';
import { type LocatedJson, nodeAt } from '../../documents/located-json.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { quoteText } from '../../kernel/quote.ts';
import type { PlacedFinding } from '../family.ts';
import { locatedJsonOf, protocolDigestOf, schemaDigestOf, textAt } from './digests.ts';
import { ERROR_MESSAGE_DIGEST, errorMessageSchema } from './error-message.ts';
import { keptSchema } from './kept-schema.ts';

/** A message of a protocol: a model, in the peers' word. */
export interface Model {
  /** Its title; its digest if it has none, or shares it with another model. */
  name: string;
  digest: string;
  /** As the peers' code keeps it. */
  schema: JsonObject;
  /** Where its schema is in the manifest: UTF-16 offsets, end exclusive. */
  start: number;
  end: number;
}

/** What a protocol allows: each request with its replies. */
export interface Protocol {
  digest: string;
  models: readonly Model[];
  /** `ErrorMessage` is among the replies to every request; besides it, a request without replies wants none. */
  interactions: readonly { request: Model; replies: readonly Model[] }[];
  /** The model that may answer every request. */
  errorMessage: Model;
}

/** A manifest that was read. Faults of its digests and names do not prevent reading the rest. */
export interface ManifestReading {
  /** The JSON that it is; absent if it is not JSON. */
  root?: LocatedJson;
  protocol?: Protocol;
  faults: PlacedFinding[];
}

/**
 * Most models and interactions of one manifest: each is compared with all others, and all form one schema.
 */
const MAX_MODELS = 64;

/** Reads the text of a manifest. Never throws, whatever the text holds; in time linear in it. */
export function readManifest(text: string): ManifestReading {
  const root = locatedJsonOf(text);
  const digest = root && protocolDigestOf(root, text);
  const listed = root && nodeAt(root, '/models')?.items;
  const asked = root && nodeAt(root, '/interactions')?.items;
  if (root === undefined || digest === undefined || listed === undefined || asked === undefined)
    return invalid('no JSON object with version, models and interactions, each with their digests');
  if (asked.length === 0) return invalid('no interaction');
  if (Math.max(listed.length, asked.length) > MAX_MODELS)
    return invalid(`more than ${MAX_MODELS} models or interactions`);
  const faults: PlacedFinding[] = [];
  const models: Model[] = [];
  for (const [index, node] of listed.entries()) {
    const schema = nodeAt(node, '/schema');
    if (schema === undefined || !isObject(schema.value)) return invalid('a model without a schema');
    const named = textAt(node.value, 'digest') ?? '';
    const found = schemaDigestOf(schema, text);
    if (found !== named) faults.push(mismatch(`/models/${index}/digest`, named, found, node.start));
    const name = textAt(schema.value, 'title') ?? '';
    models.push({ name, digest: named, schema: keptSchema(schema.value), start: schema.start, end: schema.end });
  }
  const claimed = textAt(nodeAt(root, '/metadata')?.value, 'digest');
  if (claimed !== undefined && claimed !== digest)
    faults.push(mismatch('/metadata/digest', claimed, digest, nodeAt(root, '/metadata')?.start ?? 0));
  const errorMessage = errorMessageOf(models, text);
  const known = new Map([errorMessage, ...models.toReversed()].map((model) => [model.digest, model]));
  const interactions: { request: Model; replies: Model[] }[] = [];
  for (const [index, node] of asked.entries()) {
    const responses = nodeAt(node, '/responses')?.items;
    if (responses?.every(({ value }) => typeof value === 'string') !== true)
      return invalid('an interaction without a list of responses');
    const request = textAt(node.value, 'request') ?? '';
    const digests = [...new Set([request, ...responses.map(({ value }) => String(value))])];
    for (const one of digests) {
      if (!known.has(one) && faults.length < MAX_MODELS) faults.push(unknown(`/interactions/${index}`, one, node));
    }
    const [first, ...replies] = [request, ...new Set(responses.map(({ value }) => String(value)))].map((one) =>
      known.get(one),
    );
    if (first === undefined) continue;
    const allowed = [...replies, errorMessage].filter((reply) => reply !== undefined);
    const same = interactions.find((one) => one.request === first);
    const before = same?.replies ?? [];
    const together = [...new Set([...before, ...allowed])];
    if (same === undefined) interactions.push({ request: first, replies: together });
    else same.replies = together;
  }
  nameApart([...new Set([...models, errorMessage])]);
  return { root, protocol: { digest, models, interactions, errorMessage }, faults };
}

/** `ErrorMessage` as in the manifest, else in the form that every agent knows. */
function errorMessageOf(models: readonly Model[], text: string): Model {
  const digest = ERROR_MESSAGE_DIGEST;
  const end = text.length;
  return (
    models.find((model) => model.digest === digest) ?? {
      name: 'ErrorMessage',
      digest,
      schema: errorMessageSchema,
      start: end,
      end,
    }
  );
}

/** Models of one title, or of none, are called by their digests. */
function nameApart(models: readonly Model[]): void {
  const byName = Map.groupBy(models, ({ name }) => name);
  for (const [name, same] of byName)
    if (name === '' || same.length > 1) for (const model of same) model.name = model.digest;
}

function invalid(found: string): ManifestReading {
  const message = `Cannot read manifest: found ${found}, wanted a protocol manifest with at least one interaction and at most ${MAX_MODELS} models`;
  return { faults: [placed({ code: 'DOCUMENT_MANIFEST_INVALID', message }, 0)] };
}

function mismatch(pointer: string, named: string, found: string, at: number): PlacedFinding {
  const message = `Cannot take digest at ${pointer}: found ${quoteText(named)}, wanted ${found}, that of what it names`;
  return placed({ code: 'DOCUMENT_DIGEST_MISMATCH', pointer, message, expected: found, actual: told(named) }, at);
}

function unknown(pointer: string, digest: string, { start }: LocatedJson): PlacedFinding {
  const message = `Cannot find model of the interaction at ${pointer}: found digest ${quoteText(digest)}, wanted that of a model of the manifest`;
  return placed({ code: 'DOCUMENT_MODEL_UNKNOWN', pointer, message, actual: told(digest) }, start);
}

/** The start of a peer's digest for a message, well-formed; a real digest is shorter. */
export function told(digest: string): string {
  return digest.slice(0, 120).toWellFormed();
}

function placed(finding: Omit<Finding, 'severity' | 'in'>, at: number): PlacedFinding {
  return { finding: { severity: 'error', in: 'document', ...finding }, text: 'document', at };
}
