import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sha256Hex } from '../../kernel/digest.ts';

/** Who is let in, and what a page may do in the browser. */
export interface Admission {
  /** Every form must have it as its field `csrf`; another site cannot know it. */
  readonly formToken: string;
  /** Whether a form came from one of our pages. */
  isOurForm(request: FastifyRequest, given: string | null): boolean;
}

const COOKIE = 'protosmith-console';

const common = {
  'x-content-type-options': 'nosniff',
  // Not `no-referrer`: then a browser would not say which page a form came from.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Our own pages load their own style and script, and nothing else. */
const STRICT =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Blocks framing and other origins, also the font server that bull-board's pages name. */
const FOR_BOARD =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

/**
 * Guards all paths of the server. A request with the token in `?token=` gets a session cookie; programs send it as
 * `Authorization: Bearer`. Without `writable` only reading is let through. Paths under `board` get bull-board's policy.
 */
export function guard(
  server: FastifyInstance,
  { token, writable, board }: { token: string; writable: boolean; board: string },
): Admission {
  const session = randomBytes(24).toString('base64url');
  const formToken = createHmac('sha256', session).update('form').digest('base64url');
  server.addHook('onRequest', async (request, reply) => {
    const { path, given } = split(request.url);
    const isBoard = path.split(/[/?]/)[1] === board.slice(1);
    reply.headers({ ...common, 'content-security-policy': isBoard ? FOR_BOARD : STRICT });
    // Protects against DNS rebinding: another site whose name points to 127.0.0.1.
    if (!isOurHost(request.headers.host)) return refuse(reply, 421, 'wrong host');
    if (given !== null) {
      if (!equal(given, token)) return refuse(reply, 401, 'wrong token');
      return reply.header('set-cookie', `${COOKIE}=${session}; Path=/; HttpOnly; SameSite=Strict`).redirect(path, 303);
    }
    if (!isAdmitted(request, token, session))
      return refuse(reply, 401, 'open the address that `protosmith console` printed');
    if (!writable && request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(reply, 405, 'read only; start it with `protosmith console --write` to change jobs');
  });
  return {
    formToken,
    isOurForm({ headers }, form) {
      const { origin, host } = headers;
      return form !== null && equal(form, formToken) && (origin === undefined || origin === `http://${host}`);
    },
  };
}

/** Answers with one line of plain text. */
export function refuse(reply: FastifyReply, status: number, why: string): FastifyReply {
  return reply.code(status).header('content-type', 'text/plain; charset=utf-8').send(`${why}\n`);
}

function isOurHost(name: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(name ?? '');
}

/** The path without the token, and the token if there is one. */
function split(url: string): { path: string; given: string | null } {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
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
  return cookies.some((one) => one.startsWith(`${COOKIE}=`) && equal(one.slice(COOKIE.length + 1), session));
}

/** Whether two secrets are equal, in constant time. */
function equal(given: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Hex(given)), Buffer.from(sha256Hex(wanted)));
}
