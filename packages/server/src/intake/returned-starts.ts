import type { Engine } from '../engine/engine.ts';

/** Starts whose signals were refused, and that need no second look. */
const LOOKED_AT_MAX = 10_000;

/**
 * A start of an agent that a person has given up and replaced may come back, for instance when its network does. What
 * it reports is refused, and its client is told to stop. People are told once, because both may have done the same work.
 */
export class ReturnedStarts {
  private readonly engine: Pick<Engine, 'read' | 'notify'>;
  private readonly lookedAt = new Set<string>();

  constructor(engine: Pick<Engine, 'read' | 'notify'>) {
    this.engine = engine;
  }

  /** A signal of this start was refused, because the agent has ended or was started again. */
  async refused(agentId: string, incarnation: number): Promise<void> {
    const start = `${agentId}#${incarnation}`;
    if (this.lookedAt.has(start)) return;
    if (this.lookedAt.size >= LOOKED_AT_MAX) this.lookedAt.clear();
    this.lookedAt.add(start);
    try {
      const agent = await this.engine.read(agentId);
      if (!agent?.hard.givenUp?.includes(incarnation)) return;
      const message = `${agentId} was given up and replaced, and its start ${incarnation} is heard again. It is told to stop, and what it reports is refused. Please look whether both have done the same work.`;
      const notice = { audience: 'operator', severity: 'warning', message, incidentId: null } as const;
      await this.engine.notify(agentId, `${start}/returned`, notice);
    } catch (error) {
      this.lookedAt.delete(start);
      throw error;
    }
  }
}
