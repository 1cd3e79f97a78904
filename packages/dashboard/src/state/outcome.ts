import type { AgentView, EffectPage, EffectView } from '@holter/server/wire';
import { get } from './api.ts';
import { tell } from './toasts.ts';

const EVERY_MS = 1_000;
/** A stop may take half a minute, and the start that follows it some seconds more. */
const LOOKS_MAX = 60;
const IDLE_LOOKS_MAX = 8;
/** The server replaces a `holter run` that was killed within this time. */
const WAITING_LOOKS_MAX = 3;
/** A start that the fleet defers has no effect yet. */
const NONE_LOOKS_MAX = 3;

/** Follows what a decision has set in motion, and tells how it ended. `known` are the effects from before it. */
export async function followOutcome(agentId: string, known: ReadonlySet<string>): Promise<void> {
  const told = new Set<string>();
  let waiting = 0;
  for (let looks = 0, idle = 0; looks < LOOKS_MAX && idle < IDLE_LOOKS_MAX; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    const ours = (await effectsOf(agentId)).filter(
      ({ effectId, summary }) => summary !== null && !known.has(effectId) && !told.has(effectId),
    );
    for (const effect of ours.filter(({ result }) => result === 'done' || result === 'failed')) {
      told.add(effect.effectId);
      say(agentId, effect);
    }
    const stuck = ours.find(({ result }) => result === 'waiting');
    waiting = stuck ? waiting + 1 : 0;
    if (stuck && waiting === WAITING_LOOKS_MAX) say(agentId, stuck);
    idle = ours.length === 0 ? idle + 1 : 0;
    if (idle === NONE_LOOKS_MAX && told.size === 0) await sayDeferred(agentId);
  }
}

function say(agentId: string, { summary, result }: EffectView): void {
  tell(`${agentId} ${summary}`, result !== 'done');
}

/** What was ordered has not begun: the agent's view says what it waits for. */
async function sayDeferred(agentId: string): Promise<void> {
  const agent = await get<AgentView>(`/v1/agents/${encodeURIComponent(agentId)}`).catch(() => null);
  const { incident } = agent ?? {};
  if (incident?.orderedBy) tell(`${agentId} has not been restarted yet: ${incident.next.why}`, true);
}

export async function effectsOf(agentId: string): Promise<EffectPage['effects']> {
  const path = `/v1/agents/${encodeURIComponent(agentId)}/effects`;
  return get<EffectPage>(path, { limit: 10 }).then(
    ({ effects }) => effects,
    () => [],
  );
}
