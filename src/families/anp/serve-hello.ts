import type { HandlerRecord } from '../../contract/handler.ts';
import type { Role } from '../../contract/job.ts';
import { recordFault } from '../../contract/record-fault.ts';
import { sha256Hex } from '../../kernel/digest.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type Fault, fault } from './fault.ts';
import type { DestinationHello, SourceHello } from './messages.ts';

/** What our side of a connection can serve. */
export interface Serving {
  /** The role of our agent in this connection. */
  role: Role;
  /** Records of handlers that are not withdrawn, the preferred one first; other roles and families are skipped. */
  handlers: readonly HandlerRecord[];
  /** The texts of consensus protocols, by URI; nothing is fetched. */
  protocols?: Readonly<Record<string, string>>;
  /** Whether a handler serves only if a complete reading judged it, as with `PROTOSMITH_READING=required`. */
  needsReading?: boolean;
  /** Our `supportedCapabilities`; default: those that a handler needs. */
  capabilities?: readonly string[];
  /** Further members of our hello, such as a session id. */
  others?: JsonObject;
}

/** What a hello can be answered with. */
export interface Served {
  /** The handler for the peer's `usedProtocolHash`; `null` without such a handler or without a hash. */
  used: HandlerRecord | null;
  /** The peer's candidates that a handler serves, in the peer's order. */
  candidates: { uri: string; protocolHash: string; handler: HandlerRecord }[];
  /** Confirms the hash if a handler serves it, else selects the first candidate; with neither, the peers negotiate. */
  hello: DestinationHello;
}

const META_PROTOCOL_VERSION = '1.0';
const OUR_CAPABILITIES = ['verificationProtocol', 'testCasesNegotiation', 'fixErrorNegotiation'];

/**
 * Finds the stored handlers that serve a peer's hash (0-RTT) or candidate URIs (consensus protocols), and builds the
 * answer. A handler serves a document only if it was made for the exact text (by its SHA-256), and its record is sound.
 */
export function serveHello({ metaProtocol }: SourceHello, serving: Serving): Served {
  const { usedProtocolHash, candidateProtocols = [] } = metaProtocol;
  const { protocols = {}, capabilities = OUR_CAPABILITIES, others = {} } = serving;
  const find = finder(serving);
  const used = usedProtocolHash === undefined ? null : find(bareHash(usedProtocolHash));
  const candidates = [...new Set(candidateProtocols)].flatMap((uri) => {
    const document = Object.hasOwn(protocols, uri) ? protocols[uri] : undefined;
    if (document === undefined) return [];
    const protocolHash = sha256Hex(document);
    const handler = find(protocolHash);
    return handler === null ? [] : [{ uri, protocolHash, handler }];
  });
  const [first] = candidates;
  const hello: DestinationHello = {
    ...others,
    version: META_PROTOCOL_VERSION,
    type: 'destinationHello',
    metaProtocol: {
      version: META_PROTOCOL_VERSION,
      supportedCapabilities: [...capabilities],
      ...(used !== null && usedProtocolHash !== undefined ? { usedProtocolHash } : {}),
      ...(used === null && first !== undefined ? { selectedProtocol: first.uri } : {}),
    },
  };
  return { used, candidates, hello };
}

/**
 * What the peer's answer to our hello settles: our hash, one of our candidates, or `null`, after which the peers
 * negotiate. Faults: `not-offered`.
 */
export function settledBy(
  { metaProtocol: own }: SourceHello,
  { metaProtocol: answer }: DestinationHello,
): { ok: true; settled: { protocolHash: string } | { uri: string } | null } | Fault {
  const { usedProtocolHash: hash, selectedProtocol: uri } = answer;
  if (hash !== undefined) {
    const isOurs = own.usedProtocolHash !== undefined && bareHash(hash) === bareHash(own.usedProtocolHash);
    return isOurs ? { ok: true, settled: { protocolHash: bareHash(hash) } } : notOffered('usedProtocolHash');
  }
  if (uri === undefined) return { ok: true, settled: null };
  return own.candidateProtocols?.includes(uri) ? { ok: true, settled: { uri } } : notOffered('selectedProtocol');
}

function notOffered(name: string): Fault {
  const pointer = `/metaProtocol/${name}`;
  return fault(
    'not-offered',
    `Cannot use protocol at \`${pointer}\`: found one that we did not offer, wanted one of ours`,
    pointer,
  );
}

/** Finds the first handler that serves a document, by its hash. A record is checked only once it is needed. */
function finder({ handlers, role, needsReading }: Serving): (protocolHash: string) => HandlerRecord | null {
  const serves = (record: HandlerRecord) =>
    record.role === role &&
    record.provenance.family === 'anp' &&
    (needsReading !== true || record.proof.reading?.complete === true);
  const byHash = Map.groupBy(handlers.filter(serves), ({ provenance }) => provenance.protocolHash);
  return (protocolHash) => byHash.get(protocolHash)?.find((record) => recordFault(record) === undefined) ?? null;
}

/** The 64 hex digits of a hash in any of the spellings that jobs accept. */
function bareHash(hash: string): string {
  return hash.replace(/^sha-?256:/, '').toLowerCase();
}
