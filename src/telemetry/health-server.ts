import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CodedError } from '../kernel/errors.ts';

/** The result of one health check. */
export interface HealthCheck {
  name: string;
  well: boolean;
  says: string;
}

/** Where the server gets its answers. */
export interface HealthSource {
  /** Whether the process makes progress. A supervisor restarts it if not. */
  live(): HealthCheck[];
  /** Whether it can take jobs. If not, it is not restarted. */
  ready(): Promise<HealthCheck[]>;
  /** All metrics in Prometheus' text format. */
  metrics(): Promise<{ contentType: string; text: string }>;
}

/** A running health server. */
export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `/livez` and `/readyz` (200 or 503, with the checks as JSON) and `/metrics` over HTTP. Rejects with
 * `OPERATOR_PORT_TAKEN` if the port cannot be opened.
 */
export async function startHealthServer(
  at: { host: string; port: number },
  source: HealthSource,
): Promise<HealthServer> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000 }, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, { error: 'GET only' });
    route(path, response).catch(() => answer(response, 503, { error: 'the checks failed' }));
  });
  const route = async (path: string, response: ServerResponse): Promise<void> => {
    if (path === '/livez') return report(response, source.live());
    if (path === '/readyz') return report(response, await source.ready());
    if (path !== '/metrics') return answer(response, 404, { error: '/livez, /readyz or /metrics' });
    const { contentType, text } = await source.metrics();
    response.writeHead(200, { 'content-type': contentType }).end(text);
  };
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new CodedError(
          'OPERATOR_PORT_TAKEN',
          `Cannot open port ${at.port} on ${at.host}: ${error.code ?? error.message}, wanted a free one`,
        ),
      ),
    );
    server.listen({ ...at }, resolve);
  });
  // Open connections of clients must not keep the process alive.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function report(response: ServerResponse, checks: HealthCheck[]): void {
  const well = checks.every((check) => check.well);
  answer(response, well ? 200 : 503, { well, checks });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}
