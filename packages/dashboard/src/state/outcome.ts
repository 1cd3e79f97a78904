import type { EffectPage, EffectView } from '@holter/server/wire';
import { get } from './api.ts';
import { tell } from './toasts.ts';

const EVERY_MS = 1_000;
/** A stop may take half a minute, and the start that follows it some seconds more. */
const LOOKS_MAX = 60;
const IDLE_LOOKS_MAX = 8;

const doneWords: Readonly<Record<string, (agentId: string, effect: EffectView) => string>> = {
  nudge: (agentId, { outcome }) =>
    outcome === 'seen' ? `${agentId} has read the nudge` : `The nudge was delivered to ${agentId}`,
  terminate: (agentId) => `${agentId} was stopped`,
  spawn: (agentId) => `${agentId} was restarted`,
};
const failedWords: Readonly<Record<string, string>> = {
  nudge: 'could not be nudged',
  terminate: 'could not be stopped',
  spawn: 'could not be restarted',
};

/** Follows what a decision has set in motion, and tells how it ended. `known` are the effects from before it. */
export async function followOutcome(agentId: string, known: ReadonlySet<string>): Promise<void> {
  const told = new Set<string>();
  for (let looks = 0, idle = 0; looks < LOOKS_MAX && idle < IDLE_LOOKS_MAX; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    const ours = (await effectsOf(agentId)).filter(
      ({ effectId, kind }) => kind in doneWords && !known.has(effectId) && !told.has(effectId),
    );
    for (const effect of ours.filter(({ status }) => status === 'done' || status === 'dead')) {
      told.add(effect.effectId);
      sayOutcome(agentId, effect);
    }
    idle = ours.length === 0 ? idle + 1 : 0;
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
