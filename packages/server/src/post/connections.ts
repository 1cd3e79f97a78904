import { HOLTER } from '../intake/index.ts';
import { type SignalContext, takeSignal } from './take-signal.ts';

/** Who has ended a stream: whoever read it, or Holter. */
export type StreamEnd = 'by-reader' | 'by-holter';

/**
 * The connections of agents that have their letters sent to them as a stream. One that an agent closes, or that breaks,
 * is a fact about the agent (seed 001: `offline`); one that Holter closes is none.
 */
export class Connections {
  private readonly context: SignalContext;
  /** How many streams each start has open here. */
  private readonly counts = new Map<string, number>();

  constructor(context: SignalContext) {
    this.context = context;
  }

  begin(agentId: string, incarnation: number): (end: StreamEnd) => void {
    const start = `${agentId}#${incarnation}`;
    this.counts.set(start, (this.counts.get(start) ?? 0) + 1);
    return (end) => {
      const left = (this.counts.get(start) ?? 1) - 1;
      if (left > 0) this.counts.set(start, left);
      else this.counts.delete(start);
      // If this fails, its silence is judged all the same.
      if (left === 0 && end === 'by-reader') this.closed(agentId, incarnation).catch(() => undefined);
    };
  }

  private async closed(agentId: string, incarnation: number): Promise<void> {
    const agent = await this.context.engine.read(agentId);
    if (agent?.hard.incarnation !== incarnation || agent.hard.end) return;
    await takeSignal(this.context, { kind: 'connection', state: 'closed' }, HOLTER, agentId);
  }
}
