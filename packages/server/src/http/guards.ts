import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Network } from '../policy/index.ts';
import type { Refusal } from './problem.ts';

/**
 * A page in somebody's browser can reach a port of that machine. Two things give it away: a `Host` that is
 * not ours (a name that was made to point here: DNS rebinding), and an `Origin` that is not ours. What a
 * page may send without asking first is never JSON, so a POST has to be JSON.
 */
export function hostGuard(
  listening: readonly string[],
  network: () => Network,
): (host: string, origin: string | undefined, target: string) => Refusal | null {
  const ours = derived(network, ({ hosts }) => ({
    names: new Set([...listening, ...hosts].map((name) => name.toLowerCase())),
    /** The last `Host` that was ours: nearly every request has the same. */
    familiar: '',
  }));
  return (host, origin, target) => {
    const known = ours();
    const isOurs = (name: string): boolean => known.names.has(name.toLowerCase().replace(/:\d{1,5}$/, ''));
    // `GET http://elsewhere/` asks for a proxy, and says so over the head of its own Host.
    if (host === '' || !target.startsWith('/')) return wrongHost;
    if (host !== known.familiar && !isOurs(host)) return wrongHost;
    known.familiar = host;
    if (origin !== undefined && !isOurs(origin.replace(/^https?:\/\//, ''))) return wrongOrigin;
    return null;
  };
}

/** Whether the forwarded headers of this address are believed. */
export function proxyTrust(network: () => Network): (address: string) => boolean {
  const trusted = derived(network, ({ trustedProxies }) => {
    if (trustedProxies.length === 0) return null;
    const list = new BlockList();
    for (const entry of trustedProxies) {
      const [address = '', prefix] = entry.split('/');
      const type = typeOf(address);
      if (prefix === undefined) list.addAddress(address, type);
      else list.addSubnet(address, Number(prefix), type);
    }
    return list;
  });
  // Further addresses come from the headers themselves, and may be anything.
  return (address) => isIP(address) !== 0 && trusted()?.check(address, typeOf(address)) === true;
}

const typeOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Made again only when the configuration was read again. */
function derived<T>(network: () => Network, make: (network: Network) => T): () => T {
  let from = network();
  let made = make(from);
  return () => {
    const now = network();
    if (now !== from) {
      from = now;
      made = make(now);
    }
    return made;
  };
}

const wrongHost: Refusal = {
  status: 421,
  code: 'wrong_host',
  message:
    'the Host header does not name this server: call it by localhost or by the address it listens on, or add the name to `hosts` in holter.yaml',
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
