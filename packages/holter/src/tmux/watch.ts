import { PANE_EXECUTOR } from '@holter/core';
import { isAlive, type ProcessIdentity } from '@holter/server/process';
import type { AgentPage } from '@holter/server/wire';
import { RunFailure } from '../run/end.ts';
import { quoted, TmuxError, TmuxSilent } from './control-client.ts';
import { type Children, childrenOf, type FoundAgent, findAgent } from './find-agent.ts';
import { matchesGlob } from './glob.ts';
import { agentIdOf, PaneAgent, type PaneContext } from './pane-agent.ts';
import type { PaneRow, Panes } from './pane-row.ts';
import type { TmuxServer } from './tmux-server.ts';

type WatchOptions = {
  readonly context: PaneContext;
  readonly server: TmuxServer;
  /** Only sessions whose names match. */
  readonly session: string;
};

const LOOK_EVERY_MS = 2_000;
const FIND_EVERY_MS = 4_000;
/** A pane whose agent could not be registered is tried again after this. */
const TRY_AGAIN_MS = 60_000;
/** An agent that reports through hooks has done so by then. */
const HOOKS_MS = 4_000;
/** So long an agent that has gone may be started again in its pane. */
const KEPT_MS = 60 * 60_000;

/** An option of the tmux server, which ends with it. */
const CLAIM = '@holter-watch';

/** Looks at all panes of one tmux server every two seconds, and looks after the agents in them. */
export class TmuxWatch {
  private readonly options: WatchOptions;
  /** By the key of the tmux server and the id of the pane. */
  private readonly agents = new Map<string, PaneAgent>();
  /** When the process of a pane was found first. */
  private readonly firstSeen = new Map<string, { readonly process: string; readonly at: number }>();
  private readonly refusedAt = new Map<string, number>();
  /** The tmux server that this watcher has marked as its own. */
  private claimed: string | null = null;
  private foundAt = 0;
  private isFinding = false;
  private isThere: boolean | null = null;
  /** Why tmux can't be looked at, as it was said last. */
  private silence: string | null = null;
  /** Whether it was said that no pane runs a known agent. */
  private isNoneSaid = false;
  private isStopped = false;
  private wake: () => void = () => undefined;

  constructor(options: WatchOptions) {
    this.options = options;
  }

  async run(): Promise<void> {
    const { context } = this.options;
    while (!this.isStopped) {
      await this.look();
      await new Promise<void>((resolve) => {
        const cancel = context.clock.after(LOOK_EVERY_MS, resolve);
        this.wake = () => {
          cancel();
          resolve();
        };
      });
    }
    await Promise.all([...this.agents.values()].map((agent) => agent.leave()));
    const { server } = this.options;
    if (server.key !== null && server.key === this.claimed)
      await server.ask(`set-option -su ${CLAIM}`).catch(ignoreGone);
    server.close();
  }

  stop(): void {
    this.isStopped = true;
    this.wake();
  }

  private async look(): Promise<void> {
    const { server, context } = this.options;
    const seen = await this.seePanes();
    const isSilent = seen instanceof TmuxSilent;
    const panes = isSilent ? null : seen;
    this.noteSilence(isSilent ? seen.message : null);
    if (panes && server.key !== this.claimed) await this.claim();
    if (!isSilent) this.noteServer(panes);
    const now = context.clock.now();
    const told = server.isLost ? this.lastOfLost() : null;
    for (const [key, agent] of this.agents) {
      const loss = !server.isLost ? 'none' : agent === told ? 'told' : 'beside';
      const row = (key.startsWith(`${server.key} `) && panes?.get(agent.pane.paneId)) || null;
      await agent.look(isSilent ? 'unknown' : row, loss).catch((error: unknown) => {
        // A pane that goes during the look is reported by the next one; the others are looked at all the same.
        if (!(error instanceof TmuxError)) context.say(`${agent.agentId}: ${error}`);
      });
      if (agent.goneMs > KEPT_MS) await this.forget(key, agent);
    }
    if (panes && !this.isFinding && now - this.foundAt >= FIND_EVERY_MS) {
      this.foundAt = now;
      this.isFinding = true;
      // Not waited for: the looks at known agents must not be late because others are being registered.
      void this.find(panes, now)
        .catch((error: unknown) => context.say(String(error)))
        .finally(() => {
          this.isFinding = false;
        });
    }
  }

  /**
   * With a tmux server all its panes are lost at once. One of them is reported as usual, so that a person hears of it
   * however few they are; the last one, because by then the brake speaks for many.
   */
  private lastOfLost(): PaneAgent | null {
    return [...this.agents.values()].filter((agent) => agent.isRunning && !agent.isAlive).at(-1) ?? null;
  }

  /** Two watchers would mix their keys in the same panes. */
  private async claim(): Promise<void> {
    const { server, context } = this.options;
    const { table, watcher } = context;
    const [text = ''] = await server.ask(`show-options -sqv ${CLAIM}`);
    const holder = identityIn(text);
    if (holder && holder.pid !== watcher.pid && isAlive(table, holder))
      throw new TmuxError(`holter tmux watch runs for this tmux server already (pid ${holder.pid})`);
    await server.ask(`set-option -s ${CLAIM} ${quoted(JSON.stringify(watcher))}`);
    this.claimed = server.key;
  }

  private async seePanes(): Promise<Panes | null | TmuxSilent> {
    try {
      return await this.options.server.look();
    } catch (error) {
      if (error instanceof TmuxSilent) return error;
      throw error;
    }
  }

  private noteSilence(silence: string | null): void {
    if (silence !== null && silence !== this.silence)
      this.options.context.say(`${silence}; agents are judged by their processes alone`);
    else if (silence === null && this.silence !== null) this.options.context.say('tmux answers again');
    this.silence = silence;
  }

  private noteServer(panes: Panes | null): void {
    const isThere = panes !== null;
    if (this.isThere === isThere) return;
    const { say } = this.options.context;
    if (!isThere) say(this.isThere === null ? 'no tmux server runs here yet' : 'the tmux server has gone');
    else if (this.isThere === false) say('the tmux server is there');
    this.isThere = isThere;
  }

  /** Without a word, a watch that finds nothing would look like one that does not work. */
  private noteNone(isNone: boolean, panes: number): void {
    if (isNone && !this.isNoneSaid) this.options.context.say(noneOf(panes, this.options.session));
    this.isNoneSaid = isNone;
  }

  private async forget(key: string, agent: PaneAgent): Promise<void> {
    this.agents.delete(key);
    await agent.leave();
  }

  /** Panes in which no agent is known to run. */
  private async find(panes: Panes, now: number): Promise<void> {
    const { server, session, context } = this.options;
    let children: Children | null = null;
    let hasAgent = false;
    const rows = [...panes.values()].filter((row) => matchesGlob(session, row.sessionName));
    for (const row of rows) {
      const key = `${server.key} ${row.paneId}`;
      const known = this.agents.get(key);
      const isRefused = now - (this.refusedAt.get(key) ?? Number.NEGATIVE_INFINITY) < TRY_AGAIN_MS;
      if (known?.isRunning || known?.isInHand || isRefused) {
        hasAgent = true;
        continue;
      }
      if (row.dead) continue;
      children ??= childrenOf(context.table.rows());
      const found = findAgent(context.table, row.pid, children);
      if (!found) continue;
      hasAgent = true;
      if (this.isDue(key, found, now)) await this.begin(key, row, known, found);
    }
    this.noteNone(!hasAgent, rows.length);
    for (const key of this.firstSeen.keys())
      if (!panes.has(key.slice(key.lastIndexOf(' ') + 1))) this.firstSeen.delete(key);
  }

  private isDue(key: string, { process, adapter }: FoundAgent, now: number): boolean {
    const name = `${process.pid} ${process.startedAt}`;
    if (this.firstSeen.get(key)?.process !== name) this.firstSeen.set(key, { process: name, at: now });
    return !adapter.hooks || now - (this.firstSeen.get(key)?.at ?? now) >= HOOKS_MS;
  }

  private async begin(
    key: string,
    row: PaneRow,
    known: PaneAgent | undefined,
    found: FoundAgent,
  ): Promise<void> {
    const { server, context } = this.options;
    const agentId = known?.agentId ?? agentIdOf(row);
    // Whoever started it with a name of its own reports about it: `holter run` in a pane.
    if (found.env.HOLTER_AGENT_ID && found.env.HOLTER_AGENT_ID !== agentId) return;
    try {
      if (await this.isReported(found)) {
        this.refusedAt.set(key, context.clock.now());
        return;
      }
      if (known) await known.beginAgain(found);
      else {
        const executorId = `${PANE_EXECUTOR}${context.sha256(`${context.hostId} ${key}`).slice(0, 40)}`;
        const agent = new PaneAgent(context, server.paneOf(row.paneId), { agentId, executorId }, found);
        await agent.begin();
        this.agents.set(key, agent);
      }
      this.refusedAt.delete(key);
      context.say(`${agentId} is watched: ${found.adapter.name} in pane ${row.paneId} of ${row.sessionName}`);
    } catch (error) {
      if (!(error instanceof RunFailure)) throw error;
      this.refusedAt.set(key, context.clock.now());
      context.say(`${agentId} can't be watched: ${error.message}`);
    }
  }

  /** A session that reports through hooks is an agent already; its hooks carry nudges, and say more than a screen. */
  private async isReported(found: FoundAgent): Promise<boolean> {
    const { link, sessions } = this.options.context;
    const sessionId = (await sessions.of(found))?.sessionId;
    if (sessionId === undefined) return false;
    const reply = await link.insist('GET', `/v1/agents?q=${encodeURIComponent(sessionId.slice(0, 8))}`);
    const { agents = [] } = reply.body as Partial<AgentPage>;
    return agents.some(({ end }) => end === null);
  }
}

function noneOf(panes: number, session: string): string {
  if (panes === 0) return `no session matches ${session} yet`;
  return `watching ${panes} ${panes === 1 ? 'pane; it runs no' : 'panes; none runs a'} known agent yet`;
}

function identityIn(text: string): ProcessIdentity | null {
  try {
    const { bootId, pid, startedAt } = JSON.parse(text) as Partial<ProcessIdentity>;
    return bootId && pid && startedAt ? { bootId, pid, startedAt } : null;
  } catch {
    return null;
  }
}

const ignoreGone = (error: unknown): void => {
  if (!(error instanceof TmuxError)) throw error;
};
