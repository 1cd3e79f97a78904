/** The steps of an incident, lowest first. */
export type LadderStep = 'nudge' | 'escalate' | 'terminate' | 'recover' | 'human';

export const LADDER: readonly LadderStep[] = ['nudge', 'escalate', 'terminate', 'recover', 'human'];

/** Steps at which somebody is asked: whoever acknowledged what came before has not seen this one. */
export const ASKING_STEPS: ReadonlySet<LadderStep> = new Set<LadderStep>(['escalate', 'human']);
