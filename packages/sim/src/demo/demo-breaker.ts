import type { Clock, Engine } from '@holter/server';
import type { SimAgent } from '../agents/sim-agent.ts';

const NAME = 'external_api';
const CALL_MS = 40_000;
const MINUTE = 60_000;
/** In every half hour the provider fails during these minutes. */
const CYCLE_MS = 30 * MINUTE;
const BAD_FROM = 4 * MINUTE;
const BAD_TO = 9 * MINUTE;

/** Calls a provider through its breaker, again and again: asks, calls, reports. Ends with the clock's timers. */
export function callThroughBreaker(agent: SimAgent, engine: Engine, clock: Clock): void {
  const start = clock.now();
  const call = async (): Promise<void> => {
    const roll = agent.random.unit();
    const asked = await engine.breaker(agent.name, { name: NAME, act: { kind: 'acquire' }, roll });
    const permit = asked.kind === 'folded' ? asked.permit : undefined;
    if (permit?.kind !== 'permit') return;
    const phase = (clock.now() - start) % CYCLE_MS;
    const outcome = phase >= BAD_FROM && phase < BAD_TO ? 'failure' : 'success';
    const { generation, permitId } = permit;
    const report = { generation, permitId, outcome } as const;
    await engine.breaker(agent.name, { name: NAME, act: { kind: 'report', report }, roll });
  };
  const next = (): void => {
    clock.after(CALL_MS * agent.random.between(0.7, 1.3), () => {
      const work = agent.isRunning ? call() : Promise.resolve();
      void work.catch(() => undefined).then(next);
    });
  };
  next();
}
