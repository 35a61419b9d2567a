import { lookup } from 'node:dns/promises';
import type { SourceFetcher } from '../contract/ports.ts';
import { fetcherOn } from './fetch-source.ts';
import { isPublicAddress } from './public-address.ts';

/**
 * The fetcher of a worker: only from these hosts, each `host` or `host:port`, and only from public addresses. No
 * setting changes anything else.
 */
export function createSourceFetcher(hosts: readonly string[]): SourceFetcher {
  return fetcherOn({ resolve: (host) => lookup(host, { all: true }), isAllowed: isPublicAddress }, hosts);
}
