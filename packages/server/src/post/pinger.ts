import { type Agent, hashText, type Instant, later } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import { policyOfAgent } from '../policy/index.ts';
import type { Store } from '../store/store.ts';
import type { PostOffice } from './post-office.ts';

const TICK_MS = 1_000;
const PAGE = 200;
/** Newest pings of an agent that stay in its box. */
const KEPT = 5;
/** Seed 001 §1.3.3: an agent that calls itself degraded is watched closely, so many times as often. */
const CLOSELY = 4;
const CLOSELY_MS_MIN = 15_000;

type PingerContext = {
  readonly engine: Pick<Engine, 'read' | 'onFollowed' | 'currentPolicies'>;
  readonly store: Pick<Store, 'listAgents'>;
  readonly office: Pick<PostOffice, 'ping'>;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
};

type Pace = {
  readonly sequence: number;
  /** The ping that is no longer needed. */
  readonly oldSequence: number;
  readonly nextAt: Instant;
  /** By more than its tasks: a ping that nobody judges would only fill its box. */
  readonly isWatched: boolean;
};

/**
 * Writes a ping into the box of each agent that has promised pongs, once per interval of its role, and more often
 * while it calls itself degraded. The number of the part of an interval is the ping's sequence, so that several servers
 * send one ping together. Whether pongs are missed is judged
 * by the rules; a ping itself proves nothing. Returns how to stop it.
 */
export function startPinger({ engine, store, office, clock, failed }: PingerContext): () => void {
  const dueAt = new Map<string, Instant>();
  /** Where the list of known agents goes on; null when it was read to its end. */
  let unread: string | null = '';
  let isStopped = false;
  let cancel: () => void = () => undefined;

  const note = (agent: Agent): void => {
    const { agentId } = agent.hard;
    if (!isPinged(agent)) dueAt.delete(agentId);
    else if (!dueAt.has(agentId)) dueAt.set(agentId, clock.now());
    else if (isDegraded(agent)) {
      const { nextAt } = paceOf(agent, clock.now());
      if (nextAt < (dueAt.get(agentId) ?? nextAt)) dueAt.set(agentId, nextAt);
    }
  };

  /** Agents begin at different times within an interval, so that not all are pinged at once. */
  const paceOf = (agent: Agent, now: Instant): Pace => {
    const { agentId, promises } = agent.hard;
    const policy = policyOfAgent(engine.currentPolicies, agent.hard);
    const intervalMs = promises.beatEveryMs ?? policy.beat.intervalMs;
    const parts = Math.min(CLOSELY, Math.max(1, Math.floor(intervalMs / CLOSELY_MS_MIN)));
    const partMs = intervalMs / parts;
    const step = isDegraded(agent) ? 1 : parts;
    const everyMs = partMs * step;
    const shifted = now + (Math.abs(hashText(agentId)) % intervalMs);
    const sequence = Math.floor(shifted / everyMs) * step;
    return {
      sequence,
      oldSequence: sequence - KEPT * step,
      nextAt: later(now, Math.ceil(everyMs - (shifted % everyMs))),
      isWatched: policy.watch === 'all',
    };
  };

  const sendDue = async (): Promise<void> => {
    const now = clock.now();
    for (const [agentId, at] of [...dueAt]) {
      if (at > now || isStopped) continue;
      const agent = await engine.read(agentId);
      if (!agent || !isPinged(agent)) {
        dueAt.delete(agentId);
        continue;
      }
      const { nextAt, isWatched, ...ping } = paceOf(agent, now);
      dueAt.set(agentId, nextAt);
      if (isWatched) await office.ping(agent, ping);
    }
  };

  /** Agents that were registered before this start, for a second at a time; a page that can't be read is read later. */
  const loadKnown = async (): Promise<void> => {
    const until = later(clock.now(), TICK_MS);
    while (unread !== null && !isStopped && clock.now() < until) {
      const { items, nextCursor } = await store.listAgents({ limit: PAGE, cursor: unread });
      for (const { agent } of items) note(agent);
      unread = nextCursor;
    }
  };

  const tick = async (): Promise<void> => {
    await loadKnown();
    await sendDue();
  };

  const schedule = (delayMs: number): void => {
    if (isStopped) return;
    cancel = clock.after(
      delayMs,
      () =>
        void tick()
          .catch(failed)
          .finally(() => schedule(TICK_MS)),
    );
  };

  const unfollow = engine.onFollowed(({ stored }) => {
    if (stored) note(stored.agent);
  });
  schedule(0);
  return () => {
    isStopped = true;
    unfollow();
    cancel();
  };
}

const isDegraded = ({ hard }: Agent): boolean => hard.points.some(({ kind }) => kind === 'self-reported');

const isPinged = ({ hard }: Agent): boolean => hard.promises.pongs === true && !hard.end;
