import { AGENT_EFFECTS, type Clock, type DemoParts } from '@holter/server';
import { Act } from '../agents/agent-env.ts';
import { SimAgent } from '../agents/sim-agent.ts';
import { Random } from '../base/random.ts';
import { type Door, engineDoor, incarnationOf } from '../engine/door.ts';
import { EngineWorld } from '../engine/engine-world.ts';
import { CAST, GROUPS } from './cast.ts';
import { callThroughBreaker } from './demo-breaker.ts';

const DEMO_HOST = 'demo-host';
/** Its agents are registered as `holter run` registers its child. */
const DEMO_OPERATOR = { role: 'operator', agentId: null, incarnation: null } as const;
const SEED = 7;
const WORLD_STREAM = 1_000;
/** Trouble comes this much more often than in life. */
const HASTE = 4;
const START_WITHIN_MS = 40_000;
const COLLEAGUE_EVERY_MS = 5 * 60_000;
/** A decision waits this long for the person at the page; then a colleague makes it, and the demo goes on. */
const COLLEAGUE_AFTER_MS = 90 * 60_000;

/** Starts the demo's agents around a running engine; returns how to stop it. */
export function startDemo(wall: Clock, { engine, intake, store, sha256 }: DemoParts): () => void {
  const { clock, stop } = stoppable(wall);
  const door: Door = {
    ...engineDoor(engine),
    signal: async (signal, origin) => {
      const via = origin === 'cli' ? ({ role: 'agent', via: origin } as const) : { role: origin };
      const taken = await intake.take(signal, { ...via, agentId: signal.agentId, incarnation: null });
      return taken.kind === 'taken';
    },
    register: async (registration) => {
      const answer = await intake.register(registration, DEMO_OPERATOR);
      return answer.kind === 'refused' ? null : incarnationOf(answer);
    },
  };
  const server = { id: 0, clock, door, pass: async () => {}, through: passOn };
  const parts = new Map<string, (typeof CAST)[number]>();
  const world = new EngineWorld({
    clock,
    random: new Random(SEED, WORLD_STREAM),
    store,
    sha256,
    honesty: 'perfect',
    audit: null,
    pickServer: () => server,
    executorId: DEMO_HOST,
    begun: (agent) => {
      const troubleAfterMs = parts.get(agent.name)?.troubleAfterMs;
      if (agent.incarnation === 1 && troubleAfterMs !== undefined) agent.plan(troubleAfterMs, Act.trouble);
    },
  });
  const detach = engine.addExecutor(world.host.executorFor(DEMO_HOST, AGENT_EFFECTS, server));
  CAST.forEach((part, slot) => {
    const random = new Random(SEED, slot);
    const profile = part.profile ?? random.pick(part.behaviour.profiles);
    const group = GROUPS[slot % GROUPS.length] ?? GROUPS[0];
    const agent = new SimAgent(slot, group, profile, part.behaviour, random, world);
    agent.haste = HASTE;
    parts.set(agent.name, part);
    world.add(agent, random.unit() * START_WITHIN_MS);
    if (part.hasBreaker) callThroughBreaker(agent, engine, clock);
  });
  const maybeDecide = (agentId: string): void => {
    const hard = engine.peek(agentId)?.hard;
    const incident = hard?.incident;
    if (!hard || !incident || clock.now() - incident.openedAt < COLLEAGUE_AFTER_MS) return;
    if (incident.step !== 'human' && incident.step !== 'escalate') return;
    const decision = hard.end ? ('recover' as const) : ('terminate_and_recover' as const);
    const given = { decision, by: 'a colleague (demo)', reason: 'nobody answered', incidentId: incident.id };
    void engine.decide(agentId, given).catch(() => undefined);
  };
  const callColleague = (): void => {
    clock.after(COLLEAGUE_EVERY_MS, () => {
      for (const agentId of parts.keys()) maybeDecide(agentId);
      callColleague();
    });
  };
  callColleague();
  return () => {
    detach();
    stop();
  };
}

const passOn = <T>(_where: string, call: () => Promise<T>): Promise<T> => call();

/** The same clock, with timers that can all be cancelled at once. */
function stoppable(wall: Clock): { readonly clock: Clock; readonly stop: () => void } {
  const cancels = new Set<() => void>();
  let isOver = false;
  const after = (ms: number, callback: () => void): (() => void) => {
    if (isOver) return () => undefined;
    const cancel = wall.after(ms, () => {
      cancels.delete(cancel);
      callback();
    });
    cancels.add(cancel);
    return () => {
      cancels.delete(cancel);
      cancel();
    };
  };
  const stop = (): void => {
    isOver = true;
    for (const cancel of cancels) cancel();
  };
  return { clock: { now: () => wall.now(), after }, stop };
}
