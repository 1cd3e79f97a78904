import type { Clock } from '@holter/server/process';
import type { AgentRecord } from './agent-record.ts';
import type { Plan } from './plan.ts';
import type { SignalQueue } from './signal-queue.ts';

const TOKENS_LOOK_MS = 5_000;

/** Limits that were set on the command line. What they lead to depends on the mode. */
export class LimitGuard {
  private readonly parts: {
    readonly agent: AgentRecord;
    readonly plan: Plan;
    readonly queue: SignalQueue;
    readonly clock: Clock;
    readonly tokensMax: number | undefined;
    readonly say: (line: string) => void;
  };
  private probedAt = 0;
  private isSpent = false;

  constructor(parts: LimitGuard['parts']) {
    this.parts = parts;
  }

  /** Agents report their tokens to the server, so they are read from there. */
  async maybeLookAtTokens(): Promise<void> {
    const { clock, tokensMax, agent } = this.parts;
    if (tokensMax === undefined || this.isSpent || clock.now() - this.probedAt < TOKENS_LOOK_MS) return;
    this.probedAt = clock.now();
    const tokens = (await agent.look())?.tokens ?? 0;
    if (tokens <= tokensMax || this.isSpent) return;
    this.isSpent = true;
    this.exceed('--limit-tokens', `used ${tokens} tokens`, `${tokensMax} tokens`);
  }

  /** In mode `act` the option is the operator's decision, made in advance; otherwise a person is notified. */
  exceed(option: string, evidence: string, limit: string): void {
    const { plan, agent, queue, clock, say } = this.parts;
    say(`${plan.agentId} ${evidence}, more than ${option} ${limit}`);
    if (plan.mode === 'act') {
      void agent.terminate(`holter run ${option}`, `it ${evidence}, more than ${limit}`);
      return;
    }
    const finding = { kind: 'limit-exceeded', severity: 'act', source: 'operating-system' } as const;
    queue.put(agent.incarnation, {
      kind: 'finding',
      finding: { ...finding, since: clock.now(), evidence, threshold: limit },
    });
  }
}
