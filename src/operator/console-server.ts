import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Registry } from 'prom-client';
import { isUsableId, limits, type QueueOperator } from '../../queues/index.ts';
import { sha256Hex } from '../kernel/digest.ts';
import { CodedError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { trimData, trimTexts } from './trim-data.ts';

/** Options of the console. */
export interface ConsoleOptions {
  /** The address to open; requests must name this machine as localhost or 127.0.0.1 all the same. */
  host: string;
  port: number;
  token: string;
  /** Whether it may retry, remove and add jobs. */
  writable: boolean;
  /** Served under `/metrics`. */
  metrics: Registry;
}

/** A running console. */
export interface ConsoleServer {
  readonly port: number;
  close(): Promise<void>;
}

const cookie = 'protosmith-console';

/** Lines of a job's logs that are shown, from the end. */
const maxLogLines = 100;

/** Blocks other origins, although bull-board's pages name a font server, and framing. */
const headers = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/**
 * Serves the queue's dashboard. A request with the token in `?token=` gets a session cookie; programs send
 * it as `Authorization: Bearer`. All texts of jobs are trimmed. Rejects with `OPERATOR_PORT_TAKEN`.
 */
export async function startConsole(operator: QueueOperator, options: ConsoleOptions): Promise<ConsoleServer> {
  const { host, token, writable, metrics } = options;
  const session = randomBytes(24).toString('base64url');
  const adapter = new FastifyAdapter();
  const queue = new BullMQAdapter(operator.queue, {
    readOnlyMode: !writable,
    description: 'Jobs that wait, run, were put back or failed. Outcomes: protosmith inspect <job>.',
  });
  queue.getJobLogs = async (jobId) => (await operator.queue.getJobLogs(jobId, -maxLogLines, -1)).logs;
  queue.setFormatter('data', (data: unknown) => trimData(data) as Record<string, unknown>);
  queue.setFormatter('name', ({ name }: { name?: string }) => String(trimData(name ?? '')));
  queue.setFormatter('progress', (value: unknown) => trimData(value) as Record<string, unknown>);
  queue.setFormatter('returnValue', (value: unknown) => trimData(value) as Record<string, unknown>);
  createBullBoard({
    queues: [queue],
    serverAdapter: adapter,
    options: {
      uiConfig: { boardTitle: 'protosmith', hideDocsLink: true, hideRedisDetails: false },
    },
  });

  const server: FastifyInstance = fastify({ logger: false, bodyLimit: 2_000_000, trustProxy: false });
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    // Protects against DNS rebinding: another site whose name points to 127.0.0.1.
    if (!isOurHost(request.headers.host)) return refuse(reply, 421, 'wrong host');
    const { path, given } = split(request.url);
    if (given !== null) {
      if (!equal(given, token)) return refuse(reply, 401, 'wrong token');
      return reply.header('set-cookie', `${cookie}=${session}; Path=/; HttpOnly; SameSite=Strict`).redirect(path, 303);
    }
    if (!isAdmitted(request, token, session)) {
      return refuse(reply, 401, 'open the address that `protosmith console` printed');
    }
    if (!writable && request.method !== 'GET' && request.method !== 'HEAD') {
      return refuse(reply, 405, 'read only; start it with `protosmith console --write` to change jobs');
    }
  });
  server.addHook('preHandler', async ({ body, url }) => {
    const fault = faultIn(body, split(url).path.endsWith('/add'));
    if (fault !== undefined) throw Object.assign(new Error(fault), { statusCode: 400 });
  });
  // Anybody may have written a job's hash, logs and options.
  server.addHook('preSerialization', async (_request, _reply, payload) => trimTexts(payload));
  server.get('/metrics', async (_request, reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.metrics()),
  );
  await server.register(adapter.registerPlugin(), { prefix: '' });
  try {
    await server.listen({ host, port: options.port });
  } catch (error) {
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
      server.server.closeAllConnections();
      await server.close();
    },
  };
}

/** Why a request body is refused: a worker could not take it, or BullMQ would fail on it. */
function faultIn(body: unknown, adds: boolean): string | undefined {
  // The request wraps the job in one more level.
  const most = limits.nesting.value + 1;
  if (isDeeper(body, most)) return `Cannot take data: nested more than ${most} levels deep, wanted fewer`;
  if (!adds) return undefined;
  const { options } = isObject(body) ? body : {};
  const id = isObject(options) ? options.jobId : undefined;
  return typeof id === 'string' && isUsableId(id)
    ? undefined
    : 'Cannot add job: no usable id, wanted {"jobId": …} in its options that is not a number, has no ":" and is not the name of a key of BullMQ';
}

/** Goes level by level, because recursion would overflow the stack. */
function isDeeper(value: unknown, most: number): boolean {
  let level = [value];
  for (let depth = 0; depth <= most; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}

function isOurHost(name: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(name ?? '');
}

/** The path without the token, and the token if there is one. */
function split(url: string): { path: string; given: string | null } {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const given = searchParams.get('token');
  searchParams.delete('token');
  const query = searchParams.size > 0 ? `?${searchParams}` : '';
  // Two slashes at the start would name another host.
  return { path: `/${pathname.replace(/^\/+/, '')}${query}`, given };
}

function isAdmitted({ headers: sent }: FastifyRequest, token: string, session: string): boolean {
  const bearer = /^Bearer (\S+)$/i.exec(sent.authorization ?? '')?.[1];
  if (bearer !== undefined) return equal(bearer, token);
  const cookies = (sent.cookie ?? '').split(/;\s*/);
  return cookies.some((one) => one.startsWith(`${cookie}=`) && equal(one.slice(cookie.length + 1), session));
}

/** Whether two secrets are equal, in constant time. */
function equal(given: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Hex(given)), Buffer.from(sha256Hex(wanted)));
}

function refuse(reply: FastifyReply, status: number, why: string): FastifyReply {
  return reply.code(status).header('content-type', 'text/plain; charset=utf-8').send(`${why}\n`);
}
