import type { Engine } from '@holter/server';
import type { SimAgent } from '../agents/sim-agent.ts';

const NAME = 'external_api';
const CALL_MS = 40_000;
const MINUTE = 60_000;
/** Of every half hour, these minutes are bad weather at the provider. */
const WEATHER_MS = 30 * MINUTE;
const BAD_FROM = 4 * MINUTE;
const BAD_TO = 9 * MINUTE;

/** Calls a provider through its breaker, for ever: asks, calls, reports. Returns how to stop. */
export function callThroughBreaker(
  agent: SimAgent,
  engine: Engine,
  clock: { now(): number; after(ms: number, callback: () => void): () => void },
): () => void {
  const start = clock.now();
  let cancel: () => void = () => undefined;
  let isStopped = false;
  const call = async (): Promise<void> => {
    const roll = agent.random.unit();
    const asked = await engine.breaker(agent.name, NAME, { kind: 'acquire' }, roll);
    const permit = asked.kind === 'folded' ? asked.permit : undefined;
    if (permit?.kind !== 'permit') return;
    const weather = (clock.now() - start) % WEATHER_MS;
    const outcome = weather >= BAD_FROM && weather < BAD_TO ? 'failure' : 'success';
    const { generation, permitId } = permit;
    const report = { generation, permitId, outcome } as const;
    await engine.breaker(agent.name, NAME, { kind: 'report', report }, roll);
  };
  const next = (): void => {
    cancel = clock.after(CALL_MS * agent.random.between(0.7, 1.3), () => {
      const work = agent.isRunning ? call() : Promise.resolve();
      void work
        .catch(() => undefined)
        .then(() => {
          if (!isStopped) next();
        });
    });
  };
  next();
  return () => {
    isStopped = true;
    cancel();
  };
}
