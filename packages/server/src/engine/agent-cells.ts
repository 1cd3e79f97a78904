import { AgentCell, type CellContext } from './agent-cell.ts';

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

  dropIdle(): void {
    for (const [agentId, cell] of this.cells) {
      if (this.cells.size <= this.max) return;
      if (cell.isIdle) this.cells.delete(agentId);
    }
  }
}
