import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { FetchedSource, SourceFetcher } from '../contract/ports.ts';
import { quoteText } from '../kernel/quote.ts';

/** How a fetcher reaches the network. Workers have one only, in source-fetcher.ts; tests have their own. */
export interface Network {
  /** Every address of a host. */
  resolve(host: string): Promise<LookupAddress[]>;
  /** Whether an address may be connected to. */
  isAllowed(address: string): boolean;
  /** Certificates of the authorities to trust; those of the system if absent. */
  ca?: string;
}

/** Limits of one fetch. */
export const fetchLimits = {
  /** From the resolution of the name to the last byte, in milliseconds; a source is a short text. */
  timeoutMs: 5_000,
  /** As much as a document may have. */
  bytes: 262_144,
  uriChars: 2_000,
  headerBytes: 16_384,
} as const;

/** Why a source was not fetched. If it is refused, every other try would fail too. */
class NotFetched extends Error {
  readonly isRefused: boolean;

  constructor(message: string, isRefused: boolean) {
    super(message);
    this.isRefused = isRefused;
  }
}

const refused = (found: string, wanted: string) => new NotFetched(`found ${found}, wanted ${wanted}`, true);

/**
 * A fetcher of texts from these hosts, each `host` or `host:port`, by GET over TLS. Refuses redirects, other hosts,
 * hosts with an address that is not allowed, and whatever exceeds `fetchLimits`. The address is checked again once
 * connected, before anything is sent. Uses no proxy, sends no credentials, keeps no connection.
 */
export function fetcherOn(network: Network, hosts: readonly string[]): SourceFetcher {
  const allowed = new Set(hosts);
  return {
    async fetch(uri, signal, withinMs = fetchLimits.timeoutMs): Promise<FetchedSource> {
      try {
        const url = checkedUrl(uri, allowed);
        const timed = AbortSignal.any([signal, AbortSignal.timeout(Math.min(withinMs, fetchLimits.timeoutMs))]);
        const bytes = await bytesOf(await responseTo(url, network, timed), timed);
        return { ok: true, text: textOf(bytes) };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof NotFetched) return { ok: false, isRefused: error.isRefused, message: error.message };
        return { ok: false, isRefused: false, message: `found ${faultIn(error)}, wanted a text` };
      }
    },
  };
}

function checkedUrl(uri: string, allowed: ReadonlySet<string>): URL {
  const url = uri.length <= fetchLimits.uriChars && URL.canParse(uri) ? new URL(uri) : undefined;
  if (url?.protocol !== 'https:') throw refused(quoteText(uri), 'an https URL');
  if (url.username !== '' || url.password !== '') throw refused('a URL with a login', 'one without');
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0 || !allowed.has(url.host))
    throw refused(`host ${quoteText(url.host)}`, 'one that the operator allows');
  return url;
}

function responseTo(url: URL, network: Network, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method: 'GET',
      // A shared agent might use a proxy of the environment, or a connection whose address was not checked here.
      agent: false,
      lookup: checkedLookup(network),
      servername: url.hostname,
      headers: {
        accept: 'text/plain, text/markdown, */*;q=0.1',
        'accept-encoding': 'identity',
        'user-agent': 'protosmith',
      },
      maxHeaderSize: fetchLimits.headerBytes,
      signal,
      ...(network.ca === undefined ? {} : { ca: network.ca }),
    });
    asked.on('socket', (socket) =>
      socket.once('connect', () => {
        const address = socket.remoteAddress ?? '';
        if (!network.isAllowed(address)) asked.destroy(unallowed(address));
      }),
    );
    asked.once('response', resolve);
    asked.once('error', reject);
    asked.end();
  });
}

function unallowed(address: string): NotFetched {
  return refused(`address ${quoteText(address)}`, 'a public one');
}

/** Resolves a name; fails if one of its addresses is not allowed. */
function checkedLookup(network: Network): LookupFunction {
  return (host, options, callback) => {
    network.resolve(host).then(
      (addresses) => {
        const [first] = addresses;
        const bad = addresses.find(({ address }) => !network.isAllowed(address));
        if (bad !== undefined || first === undefined)
          callback(bad === undefined ? new Error('no address') : unallowed(bad.address), [], 0);
        else if (options.all === true) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, [], 0),
    );
  };
}

async function bytesOf(response: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  try {
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400) throw refused(`a redirect (status ${statusCode})`, 'the text itself');
    if (statusCode !== 200) throw new NotFetched(`found status ${statusCode}, wanted 200`, isLasting(statusCode));
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw refused(`content encoding ${quoteText(encoding)}`, 'none');
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response) {
      signal.throwIfAborted();
      length += (chunk as Buffer).length;
      if (length > fetchLimits.bytes) throw refused('a longer text', `at most ${fetchLimits.bytes} bytes`);
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks, length);
  } finally {
    response.destroy();
  }
}

/** Whether another try would get the same status. */
function isLasting(status: number): boolean {
  return status < 500 && status !== 408 && status !== 425 && status !== 429;
}

function textOf(bytes: Buffer): string {
  try {
    // The hash is that of the exact text, so a byte order mark is part of it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused('bytes that are not UTF-8', 'a text');
  }
}

/** What went wrong on the network, without any text of the server or its certificate. */
function faultIn(error: unknown): string {
  if (error instanceof Error && /^(?:AbortError|TimeoutError)$/.test(error.name)) return 'no answer in time';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[A-Z0-9_]{1,60}$/.test(code) ? `connection fault ${code}` : 'a connection fault';
}
