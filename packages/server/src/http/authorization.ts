import type { FastifyRequest } from 'fastify';
import type { HttpDeps } from './deps.ts';
import { type HttpProblem, problem } from './problem.ts';

/**
 * A browser shows who it is by a cookie, and a cookie goes along with whatever a page of another server makes
 * the browser send. SameSite does not tell ports apart, so that what comes by cookie has to come from our own
 * page: the browser itself says so (Sec-Fetch-Site), and for anything that changes something, Origin too.
 */
export function authorizationOf(request: FastifyRequest, deps: HttpDeps): string | undefined {
  const { headers, method, host } = request;
  if (headers.authorization !== undefined) return headers.authorization;
  const secret = cookieOf(headers.cookie, cookieName(request));
  if (secret === null) return undefined;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw foreign();
  const isRead = method === 'GET' || method === 'HEAD';
  // A proxy that is not trusted may speak https for us.
  const isOwn =
    headers.origin === `https://${host}` || (!isSecure(request) && headers.origin === `http://${host}`);
  if (!isRead && !isOwn) throw foreign();
  if (expiryOf(secret) <= (deps.wall ?? deps.clock).now()) return undefined;
  return `Bearer ${secret}`;
}

type Called = Pick<FastifyRequest, 'host' | 'protocol'>;

const isSecure = ({ protocol }: Called): boolean => protocol === 'https';

/**
 * Browsers share cookies among the ports of one host; two Holters must not log each other out. The prefix lets
 * only this host set it, and only over TLS.
 */
const cookieName = (request: Called): string =>
  `${isSecure(request) ? '__Host-' : ''}holter_${/:(\d{1,5})$/.exec(request.host)?.[1] ?? '80'}`;

/** For `Set-Cookie`; no seconds remove it. */
export const sessionCookie = (request: Called, value: string, seconds: number): string =>
  `${cookieName(request)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${isSecure(request) ? '; Secure' : ''}`;

/** The end of a session is part of its secret; the stored hash covers both, so it can't be moved. */
export const sessionSecret = (secret: string, expiresAt: number): string =>
  `${expiresAt.toString(36)}.${secret}`;

function expiryOf(secret: string): number {
  const time = /^([0-9a-z]{1,12})\./.exec(secret)?.[1];
  return time === undefined ? 0 : Number.parseInt(time, 36);
}

function cookieOf(header: string | undefined, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name && value) return value;
  }
  return null;
}

const foreign = (): HttpProblem =>
  problem(403, 'foreign_page', 'a log-in of the page counts only for calls of the page itself');
