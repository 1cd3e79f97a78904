import { HOOK_SECRET_PREFIX } from '../adapters/shared/connect.ts';

/** The secret of a hook token says that it is one: it lies in a file of settings, where people should see it. */
export const hookSecret = (secret: string): string => secret.replace(/^hlt_/, HOOK_SECRET_PREFIX);

/**
 * `hook:dev@laptop#0f3a…`: the user, and the beginning of the secret's hash, by which the command line finds the
 * token whose secret it reads in a file of settings.
 */
export const hookTokenId = (user: string, hash: string): string => `hook:${user}${markOf(hash)}`;

export const isTokenOfHash = (tokenId: string, hash: string): boolean => tokenId.endsWith(markOf(hash));

const markOf = (hash: string): string => `#${hash.slice(0, 16)}`;

/** The user of a hook token; null for any other token. */
export const userOfToken = (tokenId: string): string | null => /^hook:([^#]+)#/.exec(tokenId)?.[1] ?? null;
