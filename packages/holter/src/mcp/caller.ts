import type { Client } from '@holter/server/local';
import { type Clock, JUDGE_MARKER, type ProcessTable } from '@holter/server/process';
import { Ancestors } from '../caller/ancestors.ts';
import { clientOf } from '../client/ask.ts';
import { type Connection, findServer, type ServerOptions } from '../client/connection.ts';
import type { Io } from '../terminal/io.ts';

/** Who the tools are for. An agent reports for itself and for no other. */
type Caller =
  | { readonly kind: 'agent'; readonly agentId: string; readonly connection: Connection }
  | { readonly kind: 'supervisor'; readonly connection: Connection }
  /** A model that Holter's own judge asks: it reads what agents write, and must not be able to do anything. */
  | { readonly kind: 'judge' };

type CallerParts = {
  readonly io: Io;
  readonly options: ServerOptions;
  readonly table: ProcessTable | null;
  readonly clock: Clock;
};

/**
 * Finds out who started this process. It is an agent if it carries an agent's name in its environment, or one of its
 * ancestors does, or if one of them is an agent that the server watches: an agent must not decide about agents, so
 * its tools are never those of a supervisor.
 */
export class CallerFinder {
  private readonly parts: CallerParts;
  private readonly ancestors: Ancestors;
  /** Made for a session that has none of its own. */
  private made: { readonly tokenId: string; readonly caller: Caller; readonly client: Client } | null = null;

  constructor(parts: CallerParts) {
    this.parts = parts;
    this.ancestors = new Ancestors(parts.io.env, parts.table, parts.clock);
  }

  /** Asked again at every call: a session is known to the server only after its first hook. */
  async find(): Promise<Caller> {
    if (this.isJudge) return { kind: 'judge' };
    if (this.made) return this.made.caller;
    const named = this.named();
    if (named && named.token !== null && named.url !== undefined) {
      const { agentId, url, token } = named;
      return { kind: 'agent', agentId, connection: { url, token } };
    }
    const { io, options } = this.parts;
    const connection = findServer(io, options, 'operator');
    if (named) return this.speakFor(named.agentId, connection);
    const watched = await this.ancestors.watched(clientOf(connection));
    return watched ? this.speakFor(watched, connection) : { kind: 'supervisor', connection };
  }

  private get isJudge(): boolean {
    return this.ancestors.environments.some((env) => env[JUDGE_MARKER]);
  }

  /** While the server cannot be asked: a known agent program above this process may be watched. */
  get mayBeAgent(): boolean {
    return this.named() !== null || this.ancestors.programs.length > 0;
  }

  /** A token that was made for this process ends with it. */
  async close(): Promise<void> {
    if (this.made) await this.made.client.revokeToken(this.made.tokenId).catch(() => undefined);
  }

  private named(): { readonly agentId: string; readonly url?: string; readonly token: string | null } | null {
    const env = this.ancestors.named;
    if (!env?.HOLTER_AGENT_ID) return null;
    const { HOLTER_AGENT_ID: agentId, HOLTER_URL: url, HOLTER_TOKEN: token } = env;
    return { agentId, ...(url && { url }), token: token || null };
  }

  private async speakFor(agentId: string, operator: Connection): Promise<Caller> {
    const client = clientOf(operator);
    const { token, tokenId } = await client.makeToken({ role: 'agent', agentId });
    const caller: Caller = { kind: 'agent', agentId, connection: { url: operator.url, token } };
    this.made = { tokenId, caller, client };
    return caller;
  }
}
