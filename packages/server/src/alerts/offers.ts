import {
  type AlertDecision,
  type AlertNotice,
  ASKING_STEPS,
  type Decision,
  type Hard,
  type Instant,
  minutes,
  type Policy,
  whyNotDecide,
} from '@holter/core';

type Context = {
  readonly hardOf: (agentId: string) => Hard | undefined;
  readonly policyOf: (hard: Hard) => Policy;
  /** Nobody is there who could start an agent of this executor. */
  readonly isStarterGone: (executor: string | null) => boolean;
};

/** Adds what may be decided now, where one agent's incident asks for a decision. */
export function withOffers(notice: AlertNotice, context: Context, at: Instant): AlertNotice {
  const { hardOf, policyOf, isStarterGone } = context;
  const { action, count, members } = notice;
  const [first] = members;
  const hard = count === 1 && first?.agentId ? hardOf(first.agentId) : undefined;
  const isTold = action === 'trigger' || action === 'repeat';
  if (!isTold || !hard?.incident || hard.incident.id !== first?.incidentId) return notice;
  if (!ASKING_STEPS.has(hard.incident.step)) return notice;
  const policy = policyOf(hard);
  const given = { by: '', reason: '', ...(isStarterGone(hard.executor) && { isStarterGone: true as const }) };
  const offered = choicesOf(hard).filter(
    ([, choice]) => whyNotDecide({ hard, policy, at }, { ...given, ...choice }) === null,
  );
  return offered.length === 0 ? notice : { ...notice, decisions: offered.map(([word]) => word) };
}

type Choice = Decision extends infer D ? (D extends Decision ? Omit<D, 'by' | 'reason'> : never) : never;

const choicesOf = ({ end }: Hard): readonly (readonly [AlertDecision, Choice])[] =>
  end
    ? [
        ['recover', { decision: 'recover' }],
        ['leave_down', { decision: 'dismiss' }],
      ]
    : [
        ['allow_more_time', { decision: 'allow_more_time', forMs: minutes(1) }],
        ['force_handoff', { decision: 'force_handoff' }],
        ['terminate_and_recover', { decision: 'terminate_and_recover' }],
      ];
