import type { IncomingHttpHeaders } from 'node:http';
import type { Refusal } from './problem.ts';

/**
 * A page in somebody's browser can reach a port of that machine. Two things give it away: a `Host` that is
 * not ours (a name that was made to point here: DNS rebinding), and an `Origin` that is not ours. What a
 * page may send without asking first is never JSON, so a POST has to be JSON.
 */
export function hostGuard(
  hosts: readonly string[],
): (headers: IncomingHttpHeaders, target: string) => Refusal | null {
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  const isOurs = (host: string): boolean => {
    const name = host.toLowerCase();
    return allowed.has(name) || allowed.has(name.replace(/:\d{1,5}$/, ''));
  };
  /** The last one that was ours: nearly every request has the same. */
  let familiar: string | undefined;
  return ({ host, origin }, target) => {
    // `GET http://elsewhere/` asks for a proxy, and says so over the head of its own Host.
    if (host === undefined || !target.startsWith('/')) return wrongHost;
    if (host !== familiar && !isOurs(host)) return wrongHost;
    familiar = host;
    if (origin !== undefined && !isOurs(origin.replace(/^https?:\/\//, ''))) return wrongOrigin;
    return null;
  };
}

const wrongHost: Refusal = {
  status: 421,
  code: 'wrong_host',
  message:
    'the Host header does not name this server: call it by localhost, or by the address that `holter up --host` was given',
};
const wrongOrigin: Refusal = {
  status: 403,
  code: 'wrong_origin',
  message: 'requests from pages of other origins are not taken',
};

export function contentTypeProblem(headers: IncomingHttpHeaders, wanted: string): Refusal | null {
  const type = headers['content-type'];
  if (type === wanted) return null;
  const bare = type === undefined ? '' : (type.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (bare === wanted) return null;
  return { status: 415, code: 'wrong_content_type', message: `send it with content-type ${wanted}` };
}
