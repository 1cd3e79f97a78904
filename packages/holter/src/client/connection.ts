import { DataFolder, dataFolderPath, type FirstRole } from '@holter/server/local';
import type { Command } from 'commander';
import { CliFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

export type ServerOptions = { readonly url?: string; readonly data?: string };

/** Of a command that prints for people or, on request, for programs. */
export type PrintOptions = ServerOptions & { readonly json?: boolean };

/** The address of the server and the token for it. */
export type Connection = { readonly url: string; readonly token: string | null };

/** The two options of every command that talks to a server. */
export function withServer(command: Command): Command {
  return command
    .option('--url <url>', 'address of the server (default: HOLTER_URL, else the one of the data folder)')
    .option('--data <dir>', 'data folder of the server (default: HOLTER_DATA, else the XDG state folder)');
}

/**
 * Uses the server that `--url` or HOLTER_URL names, with HOLTER_TOKEN; otherwise the data folder of a server on this
 * machine, which contains its address and tokens. HOLTER_TOKEN is always the token for the server that was named, and
 * a token from the folder is sent only to the server of that folder.
 */
export function findServer(io: Io, options: ServerOptions, role: FirstRole): Connection {
  const folder = new DataFolder(dataFolderPath(options.data, io.env));
  const local = folder.readServer();
  const named = options.url ?? (options.data === undefined ? io.env.HOLTER_URL || undefined : undefined);
  const url = named ?? local?.url;
  if (url === undefined) {
    throw new CliFailure(
      `no server is running on the data folder ${folder.path}`,
      'start one: holter up    or name one: HOLTER_URL=http://127.0.0.1:4658',
    );
  }
  const isLocal = local !== null && sameServer(url, local.url);
  const given = named === undefined ? undefined : io.env.HOLTER_TOKEN;
  const token = given || (isLocal ? folder.readToken(role) : null);
  return { url: url.replace(/(?<!\/)\/+$/, ''), token };
}

function sameServer(one: string, other: string): boolean {
  try {
    return new URL(one).origin === new URL(other).origin;
  } catch {
    throw new CliFailure(`${one} is not an address`, 'write it like http://127.0.0.1:4658');
  }
}

/** An agent must not decide about agents: it could exempt itself. */
export function refuseAgents(io: Io, command: string): void {
  const { HOLTER_AGENT_ID: agentId } = io.env;
  if (!agentId) return;
  throw new CliFailure(
    `this is the terminal of the agent ${agentId}, and agents may not use \`holter ${command}\``,
    'run it in your own terminal, where HOLTER_AGENT_ID is not set',
  );
}
