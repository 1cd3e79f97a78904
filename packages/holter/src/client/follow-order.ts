import type { EffectView } from '@holter/server/local';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/paint.ts';
import { ask } from './ask.ts';
import type { Connection } from './connection.ts';

/** What a decision sets in motion, in this order. */
export type Ordered = readonly ('nudge' | 'request-handoff' | 'terminate' | 'spawn')[];

const LOOK_EVERY_MS = 200;
/** A stop may take half a minute. */
const UNDER_WAY_MS_MAX = 45_000;
/** The server replaces a `holter run` that was killed within this time. */
const WAITING_MS_MAX = 3_000;
/** A start that the fleet defers has no effect yet. */
const NO_EFFECT_MS_MAX = 3_000;

const effectsOf = async (connection: Connection, agentId: string): Promise<readonly EffectView[]> =>
  (await ask(connection, (client) => client.effects(agentId, { limit: 20 }))).effects;

/**
 * Remembers what was ordered before a decision. The returned function follows what was ordered since, prints how each
 * ended, and fails with the reason for the one that did not happen.
 */
export async function beforeOrder(
  connection: Connection,
  agentId: string,
): Promise<(io: Pick<Io, 'out'>, ordered: Ordered) => Promise<void>> {
  const known = new Set((await effectsOf(connection, agentId)).map(({ effectId }) => effectId));
  return async (io, ordered) => {
    for (const kind of ordered) {
      const effect = await settled(
        connection,
        agentId,
        (each) => each.kind === kind && !known.has(each.effectId),
      );
      const summary = effect ? effect.summary : await whyNone(connection, agentId);
      const sentence = printable(`${agentId} ${summary}`);
      const next = `holter why ${agentId}`;
      if (effect?.result === 'failed') throw new CliFailure(sentence, next);
      if (effect?.result === 'done' || kind === 'nudge') {
        io.out(`${sentence}\n`);
        continue;
      }
      throw new CliFailure(sentence, next, EXIT.foundWrong);
    }
  };
}

/** The effect when it has ended or has waited for long enough; null if there is none. */
async function settled(
  connection: Connection,
  agentId: string,
  isOurs: (effect: EffectView) => boolean,
): Promise<EffectView | null> {
  const since = { none: 0, 'under-way': 0, waiting: 0 };
  const waitMs = { none: NO_EFFECT_MS_MAX, 'under-way': UNDER_WAY_MS_MAX, waiting: WAITING_MS_MAX };
  for (;;) {
    const effect = (await effectsOf(connection, agentId)).find(isOurs) ?? null;
    if (effect?.result === 'done' || effect?.result === 'failed') return effect;
    const state = effect?.result ?? 'none';
    // A nudge for an agent that calls in is there when its next request comes.
    if (since[state] >= waitMs[state] || (effect?.kind === 'nudge' && state === 'waiting')) return effect;
    since[state] += LOOK_EVERY_MS;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function whyNone(connection: Connection, agentId: string): Promise<string> {
  const { incident } = await ask(connection, (client) => client.agent(agentId));
  return incident ? `has not been restarted yet: ${incident.next.why}` : 'has no open incident any more';
}
