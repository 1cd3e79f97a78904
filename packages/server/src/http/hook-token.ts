/** The secret of a hook token says that it is one: it lies in a file of settings, where people should see it. */
export const hookSecret = (secret: string): string => secret.replace(/^hlt_/, 'hlt_hook_');

/** `hook:dev@laptop#0f3a…`: the user, and the beginning of the secret's hash. */
export const hookTokenId = (user: string, hash: string): string => `hook:${user}#${hash.slice(0, 16)}`;

/** The user of a hook token; null for any other token. */
export const userOfToken = (tokenId: string): string | null => /^hook:([^#]+)#/.exec(tokenId)?.[1] ?? null;
