import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { type MessageReading, type Model, readModel } from './model.ts';
import { type NegotiationError, readNegotiationError } from './negotiation-error.ts';
import { timeOf } from './time.ts';

/** The profile that ANP-06 defines, and its method. */
export const NEGOTIATION_PROFILE = 'anp.meta.negotiation.v1';
export const NEGOTIATE_METHOD = 'anp.negotiate';

/** The mode of a request that names none. */
export const DEFAULT_MODE = 'structured_selection';

/** What the caller wants to do (section 7.4). */
export interface Intent {
  name?: string;
  description?: string;
  intentTags?: string[];
  inputSummary?: JsonObject;
}

/** What the caller is able to do (section 7.5). */
export interface CallerCapabilities {
  supportedProfiles?: string[];
  supportedSecurityProfiles?: string[];
  supportedContentTypes?: string[];
  supportedExecutionModes?: string[];
  limits?: JsonObject;
}

/** What the caller prefers and requires (section 7.6). */
export interface Constraints {
  preferredInterfaceTypes?: string[];
  requiresHumanAuthorization?: boolean;
  maxLatencyMs?: number;
  allowNaturalLanguageFallback?: boolean;
  requiredSecurityProfile?: string;
  preferredContentTypes?: string[];
}

/** `params.body` of a request (section 7.3). */
export interface NegotiateBody {
  negotiation_id?: string;
  /** May be unknown: a server answers it with `meta.unsupported_negotiation_mode`. */
  mode?: string;
  intent: Intent;
  requiredCapabilities?: string[];
  callerCapabilities?: CallerCapabilities;
  constraints?: Constraints;
  candidateInterfaceRefs?: string[];
  /** URIs and protocol artifacts. */
  candidateProtocols?: (string | JsonObject)[];
}

/** What was selected (section 8.3). */
export interface Selected {
  capability?: string;
  interface?: string;
  protocol?: string;
  profile?: string;
  securityProfile?: string;
  contentType?: string;
  url?: string;
  /** URI or digest. */
  protocolArtifact?: string;
}

/** The result of a negotiation (section 8). It authorizes nothing (section 12.2). */
export interface NegotiationResult {
  negotiationId: string;
  status: 'accepted' | 'rejected' | 'needs_more_information';
  /** Present if accepted. */
  selected?: Selected;
  execution?: { mode?: string; requiresHumanAuthorization?: boolean; timeoutMs?: number };
  /** URIs. */
  schemas?: { requestSchema?: string; responseSchema?: string };
  /** RFC 3339. */
  validUntil?: string;
  negotiationDigest?: string;
  alternatives?: JsonObject[];
  reason?: string;
}

/** The entry of an Agent Description that says where to negotiate (section 5). */
export interface MetaProtocolInterface {
  type: 'MetaProtocolInterface';
  profile: typeof NEGOTIATION_PROFILE;
  binding: string;
  url: string;
  methods: string[];
  id?: string;
  protocol?: string;
  version?: string;
  security?: string | string[];
  securityProfiles?: string[];
  negotiates?: string[];
  inputSchema?: string;
  outputSchema?: string;
  description?: string;
}

const intent: Model = {
  optional: { name: 'text', description: 'text', intentTags: 'texts', inputSummary: 'object' },
};

const callerCapabilities: Model = {
  optional: {
    supportedProfiles: 'texts',
    supportedSecurityProfiles: 'texts',
    supportedContentTypes: 'texts',
    supportedExecutionModes: 'texts',
    limits: 'object',
  },
};

const constraints: Model = {
  optional: {
    preferredInterfaceTypes: 'texts',
    requiresHumanAuthorization: 'flag',
    maxLatencyMs: 'count',
    allowNaturalLanguageFallback: 'flag',
    requiredSecurityProfile: 'text',
    preferredContentTypes: 'texts',
  },
};

const negotiateBody: Model = {
  required: { intent },
  optional: {
    negotiation_id: 'text',
    mode: 'text',
    requiredCapabilities: 'texts',
    callerCapabilities,
    constraints,
    candidateInterfaceRefs: 'texts',
    candidateProtocols: 'texts or objects',
  },
};

const selected: Model = {
  optional: {
    capability: 'text',
    interface: 'text',
    protocol: 'text',
    profile: 'text',
    securityProfile: 'text',
    contentType: 'text',
    url: 'text',
    protocolArtifact: 'text',
  },
};

const negotiationResult: Model = {
  required: { negotiationId: 'text', status: ['accepted', 'rejected', 'needs_more_information'] },
  optional: {
    selected,
    execution: { optional: { mode: 'text', requiresHumanAuthorization: 'flag', timeoutMs: 'count' } },
    schemas: { optional: { requestSchema: 'text', responseSchema: 'text' } },
    validUntil: 'time',
    negotiationDigest: 'text',
    alternatives: 'objects',
    reason: 'text',
  },
};

const metaProtocolInterface: Model = {
  required: { url: 'text' },
  preset: {
    type: [['MetaProtocolInterface'], 'MetaProtocolInterface'],
    profile: [[NEGOTIATION_PROFILE], NEGOTIATION_PROFILE],
    binding: ['text', 'jsonrpc-2.0'],
    methods: ['texts', [NEGOTIATE_METHOD]],
  },
  optional: {
    id: 'text',
    protocol: 'text',
    version: 'text',
    security: 'text or texts',
    securityProfiles: 'texts',
    negotiates: 'texts',
    inputSchema: 'text',
    outputSchema: 'text',
    description: 'text',
  },
};

/**
 * Reads `params.body` of an `anp.negotiate` request. This and the next two accept and refuse what the models of the
 * Python SDK (`anp.meta_negotiation`) do.
 */
export function readNegotiateBody(given: Json): MessageReading<NegotiateBody> {
  return readModel(negotiateBody, given);
}

/** Reads the result of a negotiation: an accepted one has something selected. */
export function readNegotiationResult(given: Json): MessageReading<NegotiationResult> {
  const reading = readModel<NegotiationResult>(negotiationResult, given);
  if (!reading.ok || reading.message.status !== 'accepted' || reading.message.selected !== undefined) return reading;
  const message = 'Cannot read message at /selected: found nothing, wanted this member, since the status is accepted';
  return { ok: false, faults: [{ pointer: '/selected', message }] };
}

/** Reads the entry of an Agent Description; what its type fixes may be left out. */
export function readMetaProtocolInterface(given: Json): MessageReading<MetaProtocolInterface> {
  const reading = readModel<MetaProtocolInterface>(metaProtocolInterface, given);
  if (!reading.ok || reading.message.methods.includes(NEGOTIATE_METHOD)) return reading;
  const message = `Cannot read message at /methods: found no "${NEGOTIATE_METHOD}", wanted it among the methods`;
  return { ok: false, faults: [{ pointer: '/methods', message }] };
}

/** An `anp.negotiate` request (section 7.2). */
export interface NegotiateRequest {
  jsonrpc: '2.0';
  id: string | number;
  method: typeof NEGOTIATE_METHOD;
  params: { meta: { profile: typeof NEGOTIATION_PROFILE } & JsonObject; body: NegotiateBody; auth?: JsonObject };
}

const negotiateRequest: Model = {
  required: {
    jsonrpc: ['2.0'],
    method: [NEGOTIATE_METHOD],
    params: {
      required: { meta: { required: { profile: [NEGOTIATION_PROFILE] } }, body: negotiateBody },
      optional: { auth: 'object' },
    },
  },
};

/** Reads a whole `anp.negotiate` request. */
export function readNegotiateRequest(given: Json): MessageReading<NegotiateRequest> {
  const reading = readModel<NegotiateRequest>(negotiateRequest, given);
  if (!reading.ok || ['string', 'number'].includes(typeof reading.message.id)) return reading;
  const message = 'Cannot read message at /id: found no string and no number, wanted one of them';
  return { ok: false, faults: [{ pointer: '/id', message }] };
}

/** The answer to an `anp.negotiate` request. */
export type NegotiateAnswer =
  | { kind: 'result'; result: NegotiationResult }
  | { kind: 'error'; error: NegotiationError }
  /** An error of JSON-RPC, or of another profile. */
  | { kind: 'other error'; error: JsonObject };

/** Reads the response to an `anp.negotiate` request. */
export function readNegotiateResponse(given: Json): MessageReading<NegotiateAnswer> {
  const reading = readModel<JsonObject>({ required: { jsonrpc: ['2.0'] } }, given);
  if (!reading.ok) return reading;
  const { result, error } = reading.message;
  if (isObject(error)) {
    const known = readNegotiationError(error);
    return { ok: true, message: known.ok ? { kind: 'error', error: known.error } : { kind: 'other error', error } };
  }
  const read = readNegotiationResult(isObject(result) ? result : null);
  if (read.ok) return { ok: true, message: { kind: 'result', result: read.message } };
  return { ok: false, faults: read.faults.map((fault) => ({ ...fault, pointer: `/result${fault.pointer}` })) };
}

/** Whether the time until which a result holds has passed; a result without one holds on. `now` in milliseconds. */
export function isExpired({ validUntil }: Pick<NegotiationResult, 'validUntil'>, now: number): boolean {
  const until = validUntil === undefined ? undefined : timeOf(validUntil);
  return until !== undefined && now >= until;
}
