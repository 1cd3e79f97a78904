import type { Agent } from '@holter/core';
import { AgentCell, type CellContext, withSoftOf } from './agent-cell.ts';

const CELLS_MAX = 20_000;

/** The cells in memory, one for each recently active agent. */
export class AgentCells {
  private readonly context: CellContext;
  private readonly max: number;
  private readonly cells = new Map<string, AgentCell>();

  constructor(context: CellContext, max = CELLS_MAX) {
    this.context = context;
    this.max = max;
  }

  get size(): number {
    return this.cells.size;
  }

  get(agentId: string): AgentCell | undefined {
    return this.cells.get(agentId);
  }

  of(agentId: string): AgentCell {
    const known = this.cells.get(agentId);
    if (known) return known;
    const cell = new AgentCell(agentId, this.context);
    this.cells.set(agentId, cell);
    return cell;
  }

  /** The newest records of those agents that exist, soft facts included. */
  async readMany(agentIds: readonly string[]): Promise<readonly Agent[]> {
    const { servers, store } = this.context;
    const known = servers ? [] : agentIds.flatMap((agentId) => this.get(agentId)?.agent ?? []);
    if (known.length === agentIds.length) return known;
    const loaded = await store.loadMany(agentIds);
    return loaded.map(({ agent }) => this.freshen(agent));
  }

  /** Adds what this server has heard since the record was stored. */
  freshen(agent: Agent): Agent {
    const known = this.get(agent.hard.agentId)?.agent;
    if (!known || known === agent) return agent;
    return known.hard.at >= agent.hard.at ? withSoftOf(known, agent) : withSoftOf(agent, known);
  }

  dropIdle(): void {
    for (const [agentId, cell] of this.cells) {
      if (this.cells.size <= this.max) return;
      if (cell.isIdle) this.cells.delete(agentId);
    }
  }
}
