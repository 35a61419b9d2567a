import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { SourceFetcher } from '../../src/contract/ports.ts';
import { fetcherOn, type Network } from '../../src/fetching/fetch-source.ts';

const folder = join(import.meta.dirname, '../../fixtures/fetching');
const pem = (name: string) => readFileSync(join(folder, `test-server.${name}`), 'utf8');

/** A real server over TLS on loopback that is called `protocols.example` and `other.example`. */
export interface HttpsServer {
  port: number;
  /** What was asked, as `method host path`. */
  asked: string[];
  /** Connections that came, whether or not anything was asked. */
  readonly connections: number;
  /** A fetcher whose network ends at this server. */
  fetcher(network?: Partial<Network>, hosts?: readonly string[]): SourceFetcher;
  uri(path: string): string;
  close(): Promise<void>;
}

/** Starts a server that answers as told. */
export async function startHttps(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HttpsServer> {
  const asked: string[] = [];
  let connections = 0;
  const server = createServer({ cert: pem('crt'), key: pem('key') }, (request, response) => {
    asked.push(`${request.method} ${request.headers.host} ${request.url}`);
    answer(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const here: Network = {
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    isAllowed: (address) => address === '127.0.0.1',
    ca: pem('crt'),
  };
  return {
    port,
    asked,
    get connections() {
      return connections;
    },
    fetcher: (network = {}, hosts = [`protocols.example:${port}`]) => fetcherOn({ ...here, ...network }, hosts),
    uri: (path) => `https://protocols.example:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
