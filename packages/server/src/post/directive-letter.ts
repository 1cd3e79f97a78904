import type { Directive, Instant, MessagePriority } from '@holter/core';
import type { NewLetter } from '../store/letters.ts';
import { OWN_CLIENT_IDS } from './client-ids.ts';
import { letterTime } from './letter-times.ts';

const FORMS: Readonly<
  Record<Directive['type'], readonly [type: string, subject: string, priority: MessagePriority]>
> = {
  nudge: ['nudge', '[NUDGE] What Holter has found', 'high'],
  inquiry: ['status-inquiry', '[STATUS CHECK] How are you?', 'high'],
  reminder: ['reminder', '[REMINDER] A letter was not acknowledged', 'normal'],
  handoff: ['handoff-request', '[HANDOFF] Please write down where you are', 'urgent'],
  deny: ['deny', '[DENIED] A call is refused', 'high'],
  stop: ['stop', '[STOP] Please save your state and stop', 'urgent'],
};

/** Whether it carries out a step of an incident, which awaits its effect by itself. */
export const isDirective = ({ clientId }: Pick<NewLetter, 'clientId'>): boolean =>
  clientId?.startsWith(OWN_CLIENT_IDS.directive) === true;

/** What a reply would carry to the agent, as a letter from Holter. */
export function directiveLetter(
  { id, type: kind, message, answerBy, taskId }: Directive,
  place: { readonly from: string; readonly to: string; readonly at: Instant; readonly letterId: string },
): NewLetter {
  const { from, to, at: sentAt, letterId } = place;
  const [type, ownSubject, priority] = FORMS[kind];
  const subject = taskId === undefined ? ownSubject : '[STATUS CHECK] Task progress inquiry';
  return {
    letterId,
    from,
    to,
    clientId: `${OWN_CLIENT_IDS.directive}${id}`,
    subject,
    priority,
    inReplyTo: null,
    passed: [],
    isVerified: true,
    sentAt,
    content: JSON.stringify({
      type,
      message,
      ...(taskId !== undefined && { task_id: taskId }),
      ...(answerBy !== undefined && { expected_response_by: letterTime(answerBy) }),
      directive: id,
    }),
  };
}
