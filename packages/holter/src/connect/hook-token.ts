import { createHash } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { type HookTarget, isHookSecret } from '@holter/server/adapters';
import { isTokenOfHash } from '@holter/server/local';
import { ask } from '../client/ask.ts';
import type { Connection } from '../client/connection.ts';
import { CliFailure } from '../terminal/failure.ts';

/** Stands for the secret in a dry run, which makes none. */
const NOT_MADE = 'hlt_hook_';

/**
 * The token for a file of settings: the one that is in it, if it is a hook token that the server still accepts,
 * else a new one. A hook token that the user was given (HOLTER_TOKEN) is used as it is.
 */
export async function tokenFor(
  server: Connection,
  before: HookTarget | null,
  isDryRun: boolean,
): Promise<string> {
  const { token } = server;
  if (token === null)
    throw new CliFailure('there is no token for that server', 'HOLTER_TOKEN=… or --token-env NAME');
  if (isHookSecret(token)) return token;
  const secret = before && secretOf(before);
  const isHere = secret && before.serverUrl === server.url && isHookSecret(secret);
  if (isHere && (await idOf(server, secret)) !== null) return secret;
  if (isDryRun) return NOT_MADE;
  const made = await ask(server, (client) => client.makeToken({ role: 'hook', user: userName() }));
  return made.token;
}

/** Whether the token was a hook token of this server, which is not accepted any more. */
export async function revokeTokenOf(server: Connection, target: HookTarget): Promise<boolean> {
  const secret = secretOf(target);
  const id = secret && target.serverUrl === server.url ? await idOf(server, secret) : null;
  if (id === null) return false;
  await ask(server, (client) => client.revokeToken(id));
  return true;
}

/** The secret in a file of settings; null where the settings name a variable. */
export const secretOf = ({ header }: HookTarget): string | null => ('token' in header ? header.token : null);

/** `dev@laptop`: sessions belong to the user who connected them, whichever of the user's tokens reports them. */
export function userName(): string {
  return `${userInfo().username}@${hostname()}`.replace(/[^A-Za-z0-9._@-]/g, '-').slice(0, 100);
}

async function idOf(server: Connection, secret: string): Promise<string | null> {
  const hash = createHash('sha256').update(secret).digest('hex');
  const { tokens } = await ask(server, (client) => client.tokens());
  const found = tokens.find(({ tokenId, revokedAt }) => revokedAt === null && isTokenOfHash(tokenId, hash));
  return found?.tokenId ?? null;
}
