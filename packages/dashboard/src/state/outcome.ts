import type { EffectPage, EffectView } from '@holter/server/wire';
import { get } from './api.ts';
import { tell } from './toasts.ts';

const EVERY_MS = 1_000;
const TRIES_MAX = 40;

const doneWords: Readonly<Record<string, (agentId: string, effect: EffectView) => string>> = {
  nudge: (agentId, { outcome }) =>
    outcome === 'seen' ? `${agentId} has read the nudge` : `The nudge was delivered to ${agentId}`,
  terminate: (agentId) => `${agentId} was stopped`,
  spawn: (agentId) => `${agentId} was started again`,
};
const failedWords: Readonly<Record<string, string>> = {
  nudge: 'could not be nudged',
  terminate: 'could not be stopped',
  spawn: 'could not be started',
};

/** Follows what a decision set in motion, and tells how it ended. */
export async function followOutcome(agentId: string, known: ReadonlySet<string>): Promise<void> {
  const told = new Set<string>();
  for (let i = 0; i < TRIES_MAX; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    const effects = await effectsOf(agentId);
    const ours = effects.filter(({ effectId, kind }) => !known.has(effectId) && kind in doneWords);
    for (const effect of ours) {
      if (told.has(effect.effectId) || (effect.status !== 'done' && effect.status !== 'dead')) continue;
      told.add(effect.effectId);
      sayOutcome(agentId, effect);
    }
    if (ours.length === 0 && i > 3) return;
    if (ours.length > 0 && ours.every(({ effectId }) => told.has(effectId)) && i > 8) return;
  }
}

function sayOutcome(agentId: string, effect: EffectView): void {
  const { kind, status, outcome, detail } = effect;
  const isDone = status === 'done' && outcome !== 'unknown' && outcome !== 'refused';
  if (isDone) tell(doneWords[kind]?.(agentId, effect) ?? '');
  else tell(`${agentId} ${failedWords[kind] ?? ''}: ${detail || outcome || 'no reason was given'}`, true);
}

export async function effectsOf(agentId: string): Promise<EffectPage['effects']> {
  const path = `/v1/agents/${encodeURIComponent(agentId)}/effects`;
  return get<EffectPage>(path, { limit: 10 }).then(
    ({ effects }) => effects,
    () => [],
  );
}
