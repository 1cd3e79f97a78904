import type { Agent, Instant } from '@holter/core';
import { AgentCell, type CellContext } from './agent-cell.ts';

const RECORDS_MAX = 20_000;

/**
 * The cells in memory, one for each agent. Those that have needed their records last keep them; the others keep what
 * a plain beat needs, so that many agents that only beat cost little memory and no reads.
 */
export class AgentCells {
  private readonly context: CellContext;
  private readonly recordsMax: number;
  private readonly cells = new Map<string, AgentCell>();
  /** Those that hold a record, or are about to; the one that has not needed it for longest is first. */
  private readonly withRecord = new Set<AgentCell>();

  constructor(context: CellContext, recordsMax = RECORDS_MAX) {
    this.context = context;
    this.recordsMax = recordsMax;
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
    return this.get(agent.hard.agentId)?.freshen(agent) ?? agent;
  }

  /** Call before a request that needs the record. */
  use(cell: AgentCell): void {
    this.withRecord.delete(cell);
    this.withRecord.add(cell);
  }

  /** Agents whose flood is over: their next request writes the rows that stand for it. */
  floodsOver(at: Instant): readonly string[] {
    return [...this.withRecord].filter(({ audit }) => audit.isDue(at)).map(({ agentId }) => agentId);
  }

  dropIdle(): void {
    for (const cell of this.withRecord) {
      if (this.withRecord.size <= this.recordsMax) return;
      if (!cell.isIdle || cell.audit.hasRows) continue;
      this.withRecord.delete(cell);
      if (!cell.shrink()) this.cells.delete(cell.agentId);
    }
  }
}
