import type { JsonObject } from '../../kernel/json.ts';

/** How far a negotiation is. */
export type NegotiationStatus = 'negotiating' | 'accepted' | 'rejected';

/**
 * A round of the negotiation of a protocol. `sequenceId` starts at 0; `candidateProtocols` is the whole document each
 * time. Unknown members are kept, here and in all other messages.
 */
export type ProtocolNegotiation = JsonObject & {
  action: 'protocolNegotiation';
  sequenceId: number;
  candidateProtocols: string;
  modificationSummary?: string;
  status: NegotiationStatus | 'timeout';
};

/** Says whether the code for the agreed protocol is ready. */
export type CodeGeneration = JsonObject & { action: 'codeGeneration'; status: 'generated' | 'error' };

/** An offer of test cases, or the answer to one. */
export type TestCasesNegotiation = JsonObject & {
  action: 'testCasesNegotiation';
  testCases: string;
  modificationSummary?: string;
  status: NegotiationStatus;
};

/** A complaint about messages that break the protocol, or the answer to one. */
export type FixErrorNegotiation = JsonObject & {
  action: 'fixErrorNegotiation';
  errorDescription: string;
  status: NegotiationStatus;
};

/** Anything else, in words; a response has the `messageId` of its request. */
export type NaturalLanguageNegotiation = JsonObject & {
  action: 'naturalLanguageNegotiation';
  type: 'REQUEST' | 'RESPONSE';
  messageId: string;
  message: string;
};

/** A message of ANP's meta-protocol 1.0. */
export type MetaMessage =
  | ProtocolNegotiation
  | CodeGeneration
  | TestCasesNegotiation
  | FixErrorNegotiation
  | NaturalLanguageNegotiation;

/** The name of a message. */
export type Action = MetaMessage['action'];

/** The first message of a connection: what its sender knows, used last, and would like to use. */
export type SourceHello = JsonObject & {
  version: string;
  type: 'sourceHello';
  metaProtocol: JsonObject & {
    version: string;
    supportedCapabilities: string[];
    /** SHA-256 of the document that was agreed on earlier (0-RTT). */
    usedProtocolHash?: string;
    /** URIs of consensus protocols. */
    candidateProtocols?: string[];
  };
};

/** The answer to a `SourceHello`. Without hash and selection, a protocol is to be negotiated. */
export type DestinationHello = JsonObject & {
  version: string;
  type: 'destinationHello';
  metaProtocol: JsonObject & {
    version: string;
    supportedCapabilities: string[];
    /** The hash of the `SourceHello`, if that protocol is used. */
    usedProtocolHash?: string;
    /** One of the `candidateProtocols` of the `SourceHello`. */
    selectedProtocol?: string;
  };
};

/** What the meta-protocol calls the capabilities that not every agent has. */
export const capabilities = [
  'naturalLanguageProtocol',
  'verificationProtocol',
  'naturalLanguageNegotiation',
  'testCasesNegotiation',
  'fixErrorNegotiation',
] as const;

const text = { type: 'string' } as const;
const status = { enum: ['negotiating', 'accepted', 'rejected'] };

/** The JSON Schema of each message, by its `action`. */
export const messageSchemas = {
  protocolNegotiation: message('protocolNegotiation', {
    sequenceId: { type: 'integer', minimum: 0 },
    candidateProtocols: text,
    modificationSummary: text,
    status: { enum: [...status.enum, 'timeout'] },
  }),
  codeGeneration: message('codeGeneration', { status: { enum: ['generated', 'error'] } }),
  testCasesNegotiation: message('testCasesNegotiation', { testCases: text, modificationSummary: text, status }),
  fixErrorNegotiation: message('fixErrorNegotiation', { errorDescription: text, status }),
  naturalLanguageNegotiation: message('naturalLanguageNegotiation', {
    type: { enum: ['REQUEST', 'RESPONSE'] },
    messageId: text,
    message: text,
  }),
} as const satisfies Record<Action, JsonObject>;

/** The JSON Schema of each hello, by its `type`. */
export const helloSchemas = {
  sourceHello: hello('sourceHello', { candidateProtocols: { type: 'array', items: text } }),
  destinationHello: hello('destinationHello', { selectedProtocol: text }),
} as const;

/** A message's schema. Only the summary may be absent: the first round modifies nothing. */
function message<Properties extends JsonObject>(action: Action, properties: Properties) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: action,
    type: 'object',
    required: ['action', ...Object.keys(properties).filter((name) => name !== 'modificationSummary')],
    properties: { action: { const: action }, ...properties },
  };
}

function hello(type: 'sourceHello' | 'destinationHello', own: JsonObject) {
  const supportedCapabilities = { type: 'array', items: text };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: type,
    type: 'object',
    required: ['version', 'type', 'metaProtocol'],
    properties: {
      version: text,
      type: { const: type },
      metaProtocol: {
        type: 'object',
        required: ['version', 'supportedCapabilities'],
        properties: { version: text, supportedCapabilities, usedProtocolHash: text, ...own },
      },
    },
  };
}
