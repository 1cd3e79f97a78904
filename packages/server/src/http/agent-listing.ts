import type { Instant } from '@holter/core';
import { policyOfAgent } from '../policy/index.ts';
import type { HttpDeps } from './deps.ts';
import { turnForLarge } from './json-body.ts';
import { mailAgentView } from './mail-view.ts';

/** A page takes a few milliseconds, and other work has its turn before the next one. */
const PAGE = 100;
/** So long one answer about a fleet of several pages is given to everybody. */
const SHARED_MS = 1_000;

/**
 * The list of all agents with their status, as text. On the port without tokens any program may ask for it, so it is
 * made once at a time, and that of a large fleet at most once a second.
 */
export class AgentListing {
  private readonly deps: HttpDeps;
  private made: { readonly text: Buffer; readonly at: Instant } | null = null;
  private making: Promise<Buffer> | null = null;

  constructor(deps: HttpDeps) {
    this.deps = deps;
  }

  async read(): Promise<Buffer> {
    if (this.made && this.deps.clock.now() - this.made.at < SHARED_MS) return this.made.text;
    this.making ??= this.make().finally(() => {
      this.making = null;
    });
    return this.making;
  }

  private async make(): Promise<Buffer> {
    const { engine, store, clock } = this.deps;
    const parts: string[] = [];
    const stats = { total: 0, online: 0, offline: 0 };
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof store.listAgents>> = await store.listAgents({
        limit: PAGE,
        ...(cursor !== null && { cursor }),
      });
      const found = page.items.map(({ agent }) => engine.freshen(agent));
      const unread = await store.countUnread(found.map(({ hard }) => hard.agentId));
      for (const agent of found) {
        const view = mailAgentView(agent, {
          now: clock.now(),
          policy: policyOfAgent(engine.currentPolicies, agent.hard),
          stalls: engine.stalls,
          unread: unread[agent.hard.agentId] ?? 0,
        });
        stats.total += 1;
        if (view.status === 'offline') stats.offline += 1;
        else if (view.status !== 'unknown') stats.online += 1;
        parts.push(JSON.stringify(view));
      }
      cursor = page.nextCursor;
      if (cursor !== null) await turnForLarge();
    } while (cursor !== null);
    const text = Buffer.from(`{"agents":[${parts.join(',')}],"stats":${JSON.stringify(stats)}}`);
    this.made = stats.total > PAGE ? { text, at: clock.now() } : null;
    return text;
  }
}
