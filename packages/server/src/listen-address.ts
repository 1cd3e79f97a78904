import { isIP } from 'node:net';

export { isLoopback } from './policy/loopback.ts';

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 4658;

/** The names by which this machine calls itself; a `Host` header may carry them with any port. */
export const LOCAL_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** As it stands in a URL and in a `Host` header. */
export const urlName = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

export const urlOf = (host: string, port: number, isSecure = false): string =>
  `${isSecure ? 'https' : 'http'}://${urlName(host)}:${port}`;
