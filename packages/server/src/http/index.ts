/** The HTTP side: everything that programs and people ask of Holter from outside. */
export { buildHttp } from './build-http.ts';
export { type Client, ClientError, createClient } from './client.ts';
export type { HttpDeps, HttpLimits } from './deps.ts';
export type * from './types.ts';
