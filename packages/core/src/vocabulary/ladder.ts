/** The steps of an incident, lowest first. */
export type LadderStep = 'nudge' | 'escalate' | 'terminate' | 'recover' | 'human';

export const LADDER: readonly LadderStep[] = ['nudge', 'escalate', 'terminate', 'recover', 'human'];

/** Steps that ask a person: an acknowledgement of an earlier step does not cover these. */
export const ASKING_STEPS: ReadonlySet<LadderStep> = new Set<LadderStep>(['escalate', 'human']);
