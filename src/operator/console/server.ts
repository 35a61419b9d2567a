import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import type { Registry } from 'prom-client';
import { type QueueOperator, redisFailure, trimmedError } from '../../../queues/index.ts';
import { CodedError } from '../../kernel/errors.ts';
import type { SituationReader } from '../situation/read-situation.ts';
import { guard, refuse } from './admission.ts';
import { ICON, SCRIPT, STYLE } from './assets.ts';
import { mountBoard } from './board.ts';
import { formsOf } from './form.ts';
import { routePages } from './routes.ts';
import { SituationWatch } from './situation-watch.ts';

/** Options of the console. */
export interface ConsoleOptions {
  /** The address to listen on. Whatever it is, requests must come to localhost or 127.0.0.1. */
  host: string;
  port: number;
  token: string;
  /** Whether it may act: requeue and cancel jobs, withdraw handlers, and so on. */
  writable: boolean;
  /** Reads what the overview shows. */
  situations: SituationReader;
  /** Served under `/metrics`. */
  metrics: Registry;
}

/** A running console. */
export interface ConsoleServer {
  readonly port: number;
  close(): Promise<void>;
}

const BOARD = '/board';

/** Serves the console. Rejects with `OPERATOR_PORT_TAKEN`. */
export async function startConsole(operator: QueueOperator, options: ConsoleOptions): Promise<ConsoleServer> {
  const { host, token, writable, metrics } = options;
  const server: FastifyInstance = fastify({
    logger: false,
    bodyLimit: 2_000_000,
    routerOptions: { maxParamLength: 500 },
  });
  const admission = guard(server, { token, writable, board: BOARD });
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(String(body))),
  );
  const fixed = { '/console.css': ['text/css', STYLE], '/console.js': ['text/javascript', SCRIPT] } as const;
  for (const [path, [type, text]] of Object.entries(fixed))
    server.get(path, (_request, reply) => reply.type(`${type}; charset=utf-8`).send(text));
  server.get('/console.svg', (_request, reply) => reply.type('image/svg+xml').send(ICON));
  server.get('/metrics', async (_request, reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.metrics()),
  );
  server.setErrorHandler((error, _request, reply) => {
    const { statusCode = 500 } = Object(error) as { statusCode?: number };
    if (statusCode < 500) return refuse(reply, statusCode, Object(error).message);
    const { code = 'DEFECT_UNCODED', message } = trimmedError(redisFailure(error, 'read the queue') ?? error);
    return refuse(reply, code.startsWith('DEFECT') ? 500 : 503, `${code}: ${message}`);
  });
  const situations = new SituationWatch(options.situations, operator);
  routePages(server, {
    operator,
    situations,
    admission,
    forms: formsOf(admission.formToken, writable),
  });
  await mountBoard(server, operator, { path: BOARD, writable });
  try {
    await server.listen({ host, port: options.port });
  } catch (error) {
    situations.close();
    await server.close();
    const found = (error as NodeJS.ErrnoException).code ?? 'an unknown fault';
    throw new CodedError(
      'OPERATOR_PORT_TAKEN',
      `Cannot open port ${options.port} on ${host}: ${found}, wanted a free one`,
    );
  }
  return {
    port: (server.server.address() as AddressInfo).port,
    async close() {
      situations.close();
      server.server.closeAllConnections();
      await server.close();
    },
  };
}
