import type { Finding } from '../../contract/finding.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import type { Accepted } from './accept.ts';
import { type Envelope, signEnvelope } from './envelope.ts';
import type { BareMessage } from './error-message.ts';
import type { Identity } from './identity.ts';
import { type Model, type Protocol, readManifest, told } from './manifest.ts';
import { allows, isMarked, knownMembers, MARK, modelsOf, type Shown, shownModels } from './marks.ts';
import { encodePayload } from './payload-text.ts';
import { wantsReply } from './read.ts';

/** A protocol that is ready for messages. Its contents are private to this library. */
export interface OpenProtocol {
  /** `proto:` and 64 hex digits. */
  readonly digest: string;
  readonly protocol: Protocol;
  readonly shown: Shown;
}

/**
 * Opens the text of a manifest. If something is wrong with it, its findings are those of a job that has it as
 * agreement.
 */
export function openProtocol(
  manifest: string,
): { ok: true; protocol: OpenProtocol } | { ok: false; findings: Finding[] } {
  const { protocol, faults } = readManifest(manifest);
  if (protocol === undefined || faults.length > 0) return { ok: false, findings: faults.map(({ finding }) => finding) };
  return { ok: true, protocol: { digest: protocol.digest, protocol, shown: shownModels(protocol) } };
}

/** A message as a handler takes it, or why it takes none: an `ErrorMessage` with `error` tells the sender. */
export type MessageReading =
  | { ok: true; model: string; payload: Json; isRequest: boolean }
  | { ok: false; fault: 'model-unknown' | 'payload-invalid'; error: string };

/** The payload of a message in an envelope, as handlers see it. Never throws. */
export function messageIn(
  { envelope, text }: Pick<Accepted, 'envelope' | 'text'>,
  { protocol, shown }: OpenProtocol,
): MessageReading {
  const model = modelNamed(envelope.schema_digest, protocol);
  if (model === undefined) {
    const error = `Received message with unrecognized schema digest: ${told(envelope.schema_digest)}`;
    return { ok: false, fault: 'model-unknown', error };
  }
  const value = jsonIn(text);
  const payload = value === undefined ? undefined : knownMembers(model.schema, value);
  if (payload === undefined || !allows(model.schema, payload)) {
    const error = `Message does not conform to expected schema: ${model.name}`;
    return { ok: false, fault: 'payload-invalid', error };
  }
  const isRequest = protocol.interactions.some(({ request }) => request === model);
  const isNamed = isMarked(model, shown) && isObject(payload);
  return { ok: true, model: model.name, payload: isNamed ? { ...payload, [MARK]: model.name } : payload, isRequest };
}

/** Where a message goes, and what its envelope carries. */
export interface Addressing {
  target: string;
  /** A UUID of version 4, in lower case. */
  session: string;
  expires?: bigint;
  nonce?: bigint;
}

/** An envelope around a message, signed by its sender. */
export function seal(
  { schema_digest, protocol_digest, payload }: BareMessage,
  { target, session, expires, nonce }: Addressing,
  identity: Identity,
): Envelope {
  const envelope: Envelope = {
    version: 1n,
    sender: identity.address,
    target,
    session,
    schema_digest,
    protocol_digest: protocol_digest ?? null,
    payload: encodePayload(JSON.stringify(payload)),
    expires: expires ?? null,
    nonce: nonce ?? null,
    signature: null,
  };
  return signEnvelope(envelope, identity);
}

/**
 * The message for a handler's payload, or why there is none. `null` is the answer to a request that wants
 * no reply.
 */
export type Sealable = { ok: true; message: BareMessage | null } | { ok: false; error: string };

/** The request that a payload is. `model` names it if its members do not say. */
export function requestOf(payload: Json, opened: OpenProtocol, model?: string): Sealable {
  const requests = opened.protocol.interactions.map(({ request }) => request);
  return messageOf(payload, requests, opened, model);
}

/** The reply that a handler's answer is to a request with this digest of its schema. */
export function replyOf(answer: Json, request: string, opened: OpenProtocol, model?: string): Sealable {
  const { interactions } = opened.protocol;
  const asked = interactions.find((one) => one.request.digest === request);
  if (asked === undefined)
    return { ok: false, error: `Cannot reply: found no request with digest ${told(request)}, wanted one` };
  if (answer === null && !wantsReply(asked.replies, opened.protocol)) return { ok: true, message: null };
  return messageOf(answer, asked.replies, opened, model);
}

function messageOf(
  payload: Json,
  candidates: readonly Model[],
  { digest, protocol, shown }: OpenProtocol,
  named?: string,
): Sealable {
  const wanted = named === undefined ? candidates : candidates.filter(({ name }) => name === named);
  const found = modelsOf(payload, wanted, shown);
  const [model] = found;
  const names = candidates.map(({ name }) => name).join(', ');
  if (model === undefined || found.length > 1) {
    const what = model === undefined ? 'none of its models' : found.map(({ name }) => name).join(' and ');
    return { ok: false, error: `Cannot wrap payload: found ${what}, wanted one of ${names}` };
  }
  let bare = payload;
  if (isMarked(model, shown) && isObject(payload)) {
    const { [MARK]: _, ...members } = payload;
    bare = members;
  }
  const ofProtocol = model === protocol.errorMessage ? {} : { protocol_digest: digest };
  return { ok: true, message: { schema_digest: model.digest, ...ofProtocol, payload: bare } };
}

function modelNamed(digest: string, { models, errorMessage: error }: Protocol): Model | undefined {
  return [...models, error].find((model) => model.digest === digest);
}

function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
