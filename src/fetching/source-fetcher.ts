import { lookup } from 'node:dns/promises';
import type { SourceFetcher } from '../contract/ports.ts';
import { fetcherOn } from './fetch-source.ts';
import { isPublicAddress } from './public-address.ts';

/**
 * The fetcher of a worker: texts from these hosts alone, each `host` or `host:port`, and from public addresses alone.
 * Nothing but the list of hosts can be set.
 */
export function createSourceFetcher(hosts: readonly string[]): SourceFetcher {
  return fetcherOn({ resolve: (host) => lookup(host, { all: true }), isAllowed: isPublicAddress }, hosts);
}
