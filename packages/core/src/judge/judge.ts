import { hashText } from '../base/hash.ts';
import { between, inWords, later } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { askLoss, emit, lookAgainAt, want } from '../record/draft.ts';
import { emitCleared, emitRaised } from '../record/findings.ts';
import { isOffline, lastProofOf, likelyCause, missesAt } from '../record/liveness.ts';
import { replaceTask } from '../record/tasks.ts';
import { runRules } from '../rule/rules.ts';
import { stalledTasks } from '../rule/task-overdue.ts';
import { lifeOfStart, NOTICE_MS_MAX } from '../vocabulary/effect.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { chaseAcks } from './chase-acks.ts';
import { settleHealth } from './health.ts';

/** Runs every rule, emits what changed since the last judgement, and updates liveness and health. */
export function judge(draft: Draft): void {
  runRules(draft);
  tellChanges(draft, draft.hard.derived, draft.found);
  draft.hard.derived = draft.found;
  judgeLiveness(draft);
  inquireAboutTasks(draft);
  chaseAcks(draft);
  settleHealth(draft);
}

/** A finding is reported when its kind is new or its severity changed, not when only its wording did. */
function tellChanges(draft: Draft, before: readonly Finding[], now: readonly Finding[]): void {
  for (const old of before) {
    if (!now.some(({ kind }) => kind === old.kind)) emitCleared(draft, old);
  }
  for (const finding of now) {
    if (!before.some(({ kind, severity }) => kind === finding.kind && severity === finding.severity)) {
      emitRaised(draft, finding, lateBy(draft));
      if (finding.kind === 'hold-overdue') tellPerson(draft, finding);
    }
  }
}

/** A forgotten hold hides everything else, so a person is told. Without an incident nothing follows from it. */
function tellPerson(draft: Draft, { kind, evidence }: Finding): void {
  const { agentId, incarnation, at } = draft.hard;
  const what = draft.hard.incident ? 'Its incident goes on' : 'Nothing happens to it';
  const message = `${agentId} is ${evidence}. ${what}; please look.`;
  emit(draft, { type: 'ATTENTION_RAISED', payload: { agentId, about: kind, message } });
  want(
    draft,
    `${agentId}#${incarnation}/hold/${at}`,
    { kind: 'notify', audience: 'operator', severity: 'info', message, incidentId: null },
    { livesBy: lifeOfStart(agentId, incarnation), until: later(at, NOTICE_MS_MAX) },
  );
}

/** How late a finding is: a deadline may be judged late; a signal is judged when it arrives. */
const lateBy = ({ at, hard }: Draft): number => (hard.wakeAt <= at ? between(hard.wakeAt, at) : 0);

function judgeLiveness(draft: Draft): void {
  const { hard, at, policy, stalls } = draft;
  if (hard.end || policy.watch === 'tasks') return;
  if (hard.unknownSince === undefined) {
    if (missesAt(draft, at, policy, stalls).count < policy.beat.missedMax) return;
    becomeUnknown(draft);
  }
  if (!hard.inquiry && !isOffline(hard)) inquireHowItIs(draft);
}

/** No proof of life or death. The fleet counts a loss; nothing is terminated. */
function becomeUnknown(draft: Draft): void {
  const { hard, at } = draft;
  hard.unknownSince = at;
  const cause = likelyCause(draft);
  emit(draft, {
    type: 'LIVENESS_CHANGED',
    payload: { agentId: hard.agentId, from: 'alive', to: 'unknown', cause },
  });
  askLoss(draft, { signAt: lastProofOf(draft) });
}

/** One that was offline is asked when it is connected again. */
function inquireHowItIs(draft: Draft): void {
  const { hard, at, policy } = draft;
  hard.inquiry = { askedAt: at };
  const silence = inWords(between(lastProofOf(draft), at));
  inquire(
    draft,
    'inquire',
    `Holter: no sign of life from you for ${silence}. Any answer within ${inWords(policy.inquiryWaitMs)} will do.`,
  );
}

/** Seed 001 §1.5.3: the agent of a stalled task is asked first, once per stall. A beat is no answer. */
function inquireAboutTasks(draft: Draft): void {
  const { hard, at, policy } = draft;
  if (!draft.found.some(({ kind }) => kind === 'task-overdue') || hard.holds.length > 0) return;
  for (const task of stalledTasks(draft)) {
    if (task.inquiredAt !== undefined) continue;
    replaceTask(draft, { ...task, inquiredAt: at });
    inquire(
      draft,
      `inquire-task/${hashText(task.id)}`,
      `Holter: your task (${task.id}) appears stalled. Please give a status update within ${inWords(policy.inquiryWaitMs)}.`,
      task.id,
    );
  }
}

function inquire(draft: Draft, name: string, message: string, taskId?: string): void {
  const { hard, at, policy } = draft;
  const answerBy = later(at, policy.inquiryWaitMs);
  want(
    draft,
    `${hard.agentId}#${hard.incarnation}/${name}/${at}`,
    { kind: 'inquire', message, answerBy, ...(taskId !== undefined && { taskId }) },
    { livesBy: lifeOfStart(hard.agentId, hard.incarnation), until: answerBy },
  );
  lookAgainAt(draft, answerBy);
}
